# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The digest of the states that the resources of a run reached."""

from __future__ import annotations

import pytest
from ccm.engine.state.reached import Reached, converged, digest_of
from ccm.model.state import State

from tests.unit.engine.lamp_type import lamp


def file_state(**metadata):
    return State("/a", "present", {"metadata": {"mode": "0644", "mtime": 1, **metadata}})


def test_the_time_of_a_file_is_no_difference():
    assert converged(file_state(mtime=1)) == converged(file_state(mtime=2)) != converged(file_state(mode="0600"))
    assert converged(State("/a", "present")) != converged(State("/a", "absent"))


def test_the_digest_of_a_run_does_not_depend_on_the_order():
    pieces = [(lamp("hall"), State("hall", "on")), (lamp("attic"), None), (lamp("attic", ensure="off"), None)]
    digests = set()
    for order in (pieces, pieces[::-1]):
        reached = Reached()
        assert reached.is_empty
        for each, state in order:
            reached.add(("key",), each, state)
        reached.add_text("> ", "text")
        digests.add(reached.digest())
        assert not reached.is_empty
    assert len(digests) == 1


@pytest.mark.parametrize(
    "add",
    [
        lambda reached: reached.add(("other",), lamp("hall"), State("hall", "on")),
        lambda reached: reached.add(("key",), lamp("attic"), State("hall", "on")),
        lambda reached: reached.add(("key",), lamp("hall", ensure="off"), State("hall", "on")),
        lambda reached: reached.add(("key",), lamp("hall"), State("hall", "off")),
        lambda reached: reached.add(("key",), lamp("hall"), None),
        lambda reached: reached.add_text("", "text"),
    ],
    ids=["about", "name", "wanted", "state", "not known", "text"],
)
def test_all_that_was_reached_counts(add):
    first, second = Reached(), Reached()
    first.add(("key",), lamp("hall"), State("hall", "on"))
    before = first.digest()
    add(second)
    assert before != second.digest()
    add(first)
    assert first.digest() not in (before, second.digest())


def test_values_that_cannot_be_marshalled_have_a_digest():
    assert digest_of([1, "a", None]) == digest_of([1, "a", None]) != digest_of([1, "a", False])
    assert len(digest_of(lamp)) == 16
