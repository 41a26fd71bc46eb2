# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls in expressions that are resolved just before their resource is managed."""

from __future__ import annotations

import pytest
from ccm.data.functions import FUNCTIONS
from ccm.engine.late_calls import depends_on_others, late_calls, senders_in, senders_named
from ccm.model.resource import Resource, complete
from ccm.resources.types import resource_type

EXEC = resource_type("exec")


def resource(**given):
    return Resource(EXEC, EXEC.made(complete(EXEC, {"name": "ls", **given})))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ file('a') }}", [("file", "a")]),
        ("x ${ upper(file( \"a\" )) } y {{ sent('exec#b').stdout }}", [("file", "a"), ("sent", "exec#b")]),
        ("{{ sent('a', 1) }}", [("sent", "a")]),
        ("{{ profile('a') }}", []),
        ("{{ file(Data.name) }}", []),
        ("{{ file('a' + 'b') }}", []),
        ("file('a')", []),
        ("{{ 1 }} file('a')", []),
    ],
)
def test_calls_that_name_their_text(text, found):
    calls = list(late_calls(resource(command=text), "file|sent"))
    assert calls == [(function, given, "command") for function, given in found]


def test_only_late_properties_are_searched():
    given = {"environment": ["A={{ file('b') }}", "B=c"], "path": "{{ file('early') }}"}
    assert list(late_calls(resource(**given), "file")) == [("file", "b", "environment")]


def test_senders_with_the_property_that_names_them():
    found = senders_named(resource(command="{{ sent('exec#a').stdout }}", cwd="{{ sent('exec#b').x }}"))
    assert found == {"exec#a": "command", "exec#b": "cwd"}
    assert senders_named(resource(command="ls")) == {}
    assert senders_in({"k": ["{{ sent('exec#a').x }}", {"l": "${ sent('exec#b').x }"}], "n": 1}) == {"exec#a", "exec#b"}


@pytest.mark.parametrize(
    ("given", "depends"),
    [
        ({"command": "{{ Data.x }}"}, False),
        ({"command": "{{ readFile('/x') }}"}, True),
        ({"command": "readFile('/x')"}, False),
        ({"environment": ["A={{ template('x') }}"]}, True),
        ({"cwd": "${ kvGet('a', 'b') }"}, True),
        ({"path": "{{ file('x') }}"}, False),
        ({}, False),
    ],
)
def test_what_may_read_what_others_changed(given, depends):
    assert depends_on_others(resource(**given)) is depends


def test_each_function_that_reads_more_than_data_is_known():
    slot = resource_type("exec")
    calls = {name: slot.made(complete(slot, {"command": f"${{ {name}('x') }}"})) for name in FUNCTIONS}
    found = {name for name, properties in calls.items() if depends_on_others(Resource(slot, properties))}
    assert found == set(FUNCTIONS) - {"lookup"}
