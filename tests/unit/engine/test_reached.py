# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The digest of the states that the resources of a run reached."""

from __future__ import annotations

import pytest
from ccm.engine.reached import Reached, converged, digest_of
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
        reached = Reached([b"a", b"b"] if order is pieces else [b"b", b"a"])
        for each, state in order:
            reached.add(("key",), each, state) if state else reached.add_missing(("key",), each)
        digests.add(reached.digests())
    assert len(digests) == 1


def stable(name="hall", **metadata):
    state = State(name, "on", {"metadata": metadata} if metadata else {})
    state.stable = True
    return state


def add_changed(reached, state=None, found="f", *, is_as_written=False, name="hall"):
    reached.add_changed(("key",), found, lamp(name), state or stable(name), is_as_written=is_as_written)


@pytest.mark.parametrize(
    "add",
    [
        lambda reached: reached.add(("other",), lamp("hall"), State("hall", "on")),
        lambda reached: reached.add(("key",), lamp("attic"), State("hall", "on")),
        lambda reached: reached.add(("key",), lamp("hall", ensure="off"), State("hall", "on")),
        lambda reached: reached.add(("key",), lamp("hall"), State("hall", "off")),
        lambda reached: reached.add_missing(("key",), lamp("hall")),
        lambda reached: add_changed(reached),
    ],
    ids=["about", "name", "wanted", "state", "not known", "changed"],
)
def test_all_that_was_reached_counts(add):
    first, second = Reached([]), Reached([])
    first.add(("key",), lamp("hall"), State("hall", "on"))
    before = first.digests()[0]
    add(second)
    assert before != second.digests()[0]
    add(first)
    assert first.digests()[0] not in (before, second.digests()[0])


def test_the_texts_of_the_manifests_count():
    assert len({Reached(texts).digests()[0] for texts in ([], [b"a"], [b"a", b"b"])}) == 3


def test_the_next_run_has_the_digest_of_a_run_that_changes_nothing():
    run, next_run = Reached([]), Reached([])
    run.add(("key",), lamp("attic"), stable("attic"))
    add_changed(run)
    for name in ("hall", "attic"):
        next_run.add(("key",), lamp(name), stable(name))
    assert run.digests()[1] == next_run.digests()[0] != run.digests()[0]
    assert next_run.digests()[1] == ""


def test_the_next_run_adds_nothing_for_what_is_as_written():
    run, next_run = Reached([]), Reached([])
    add_changed(run, is_as_written=True)
    run.add(("key",), lamp("attic"), stable("attic"))
    next_run.add(("key",), lamp("attic"), stable("attic"))
    assert run.digests()[1] == next_run.digests()[0]


def test_the_digest_of_the_next_run_is_not_known_without_all_states():
    first, second = Reached([]), Reached([])
    add_changed(first)
    first.add_missing(("key",), lamp("attic"))
    add_changed(second, State("hall", "on"))
    assert first.digests()[1] == second.digests()[1] == ""


def test_the_state_that_a_change_replaced_counts():
    digests = set()
    for found in ("f", "g"):
        reached = Reached([])
        add_changed(reached, found=found)
        digests.add(reached.digests()[0])
    assert len(digests) == 2


def test_values_that_cannot_be_marshalled_have_a_digest():
    assert digest_of([1, "a", None]) == digest_of([1, "a", None]) != digest_of([1, "a", False])
    assert len(digest_of(lamp)) == 16
