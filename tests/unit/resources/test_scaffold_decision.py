# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The decision table of scaffolds (behaviour.md 9), row by row."""

from __future__ import annotations

import pytest
from ccm.model.errors import ResourceFailed
from ccm.model.resource import complete
from ccm.resources.scaffold.type import TYPE as SCAFFOLD
from ccm.resources.scaffold.type import ScaffoldState

from .states import seen


def properties(**given):
    values = complete(SCAFFOLD, {"name": "/t", "source": "/s", "ensure": "present", **given})
    made = SCAFFOLD.made(values)
    SCAFFOLD.validate(made)
    return SCAFFOLD.made({**vars(made), **SCAFFOLD.derived_values(made)})


def state(changed, stable, purged):
    metadata = {"name": "/t"}
    for key, count in (("changed", changed), ("stable", stable), ("purged", purged)):
        if count:
            metadata[key] = [f"/t/{number}" for number in range(count)]
    return seen(ScaffoldState, "/t", "present", metadata)


# (changed, stable, purged), purge, verbs, noop message; counted as in the recordings
PRESENT = [
    ((0, 2, 0), False, (), ""),
    ((0, 2, 3), False, (), ""),
    ((0, 2, 0), True, (), ""),
    ((0, 2, 3), True, ("render",), "Would have changed 3 scaffold files"),
    ((1, 0, 0), False, ("render",), "Would have changed 1 scaffold files"),
    ((1, 2, 3), False, ("render",), "Would have changed 1 scaffold files"),
    ((1, 2, 3), True, ("render",), "Would have changed 4 scaffold files"),
]
ABSENT = [
    ((0, 0, 0), False, (), ""),
    ((0, 0, 3), False, (), ""),
    ((0, 0, 3), True, (), ""),
    ((0, 2, 0), False, ("remove",), "Would have removed 2 scaffold files"),
    ((1, 2, 3), False, ("remove",), "Would have removed 3 scaffold files"),
    ((1, 2, 3), True, ("remove",), "Would have removed 6 scaffold files"),
]


@pytest.mark.parametrize(
    ("ensure", "found", "purge", "verbs", "message"),
    [("present", *row) for row in PRESENT] + [("absent", *row) for row in ABSENT],
)
def test_what_is_done_and_said(ensure, found, purge, verbs, message):
    decision = SCAFFOLD.decide(state(*found), properties(ensure=ensure, purge=purge), False)
    assert (decision.verbs, decision.noop_message, decision.settled) == (verbs, message, not verbs)


@pytest.mark.parametrize("found", [(0, 0, 0), (0, 0, 3)])
@pytest.mark.parametrize("purge", [False, True])
def test_a_source_that_renders_nothing_fails_before_anything_is_removed(found, purge):
    with pytest.raises(ResourceFailed, match="present: scaffold produced no changed, stable, or purged files"):
        SCAFFOLD.decide(state(*found), properties(purge=purge), False)


SHORTFALLS = [
    ("present", (0, 1, 0), False, ""),
    ("present", (1, 0, 0), False, ""),
    ("present", (0, 0, 1), False, "present: scaffold produced no changed, stable, or purged files"),
    ("present", (0, 0, 1), True, ""),
    ("absent", (0, 0, 4), True, ""),
    ("absent", (1, 2, 0), False, "absent: target still has 2 stable and 1 changed files"),
]


@pytest.mark.parametrize(("ensure", "found", "purge", "wanted"), SHORTFALLS)
def test_what_is_short_afterwards(ensure, found, purge, wanted):
    assert SCAFFOLD.shortfall(state(*found), properties(ensure=ensure, purge=purge)) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, ("jet", "[[", "]]")),
        ({"engine": ""}, ("jet", "[[", "]]")),
        ({"engine": "go"}, ("go", "{{", "}}")),
        ({"engine": "jinja2"}, ("jinja2", "{{", "}}")),
        ({"engine": "go", "left_delimiter": "<<"}, ("go", "<<", "}}")),
        ({"right_delimiter": ">>"}, ("jet", "[[", ">>")),
    ],
)
def test_languages_have_their_delimiters(given, wanted):
    made = properties(**given)
    assert (made.engine, made.left_delimiter, made.right_delimiter) == wanted
