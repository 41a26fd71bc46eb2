# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refreshes that resources are owed: noted before a change, and struck off once they are made."""

from __future__ import annotations

import pytest
from ccm.engine.state.ids import Ids
from ccm.engine.state.owed import OwedRefreshes
from ccm.engine.state.records import Doubt, Owed, Settled

OWE, DOUBT, SETTLE = Owed.kind, Doubt.kind, Settled.kind


def left(*causes, doubtful=False):
    found = [Owed(f"{at}", "exec#it", cause, "now") for at, cause in enumerate(causes, 1)]
    for each in found:
        each.is_doubtful = doubtful
    return found


class Running:
    """The runs that still run, by the ids of records."""

    def __init__(self, *ids):
        self.has = ids.__contains__


def refreshes(*causes, doubtful=False, running=()):
    return OwedRefreshes(left(*causes, doubtful=doubtful), Ids(), Running(*running))


def noted(call, *words):
    """Return the records of a call, without times."""
    records = []
    call(*words, records)
    lines = [record.line() for record in records]
    return [line[:-1] if line[0] == OWE else line for line in lines]


def owe(owed, cause, subscriber="exec#it"):
    """Note that a cause is about to change; return the id of the note."""
    ((action, id, *words),) = noted(owed.owe, subscriber, cause)
    assert (action, *words) == (OWE, subscriber, cause)
    return id


def settled(owed, subscriber="exec#it"):
    """Return the ids that a refresh strikes off."""
    owed.begin(subscriber)
    return [id for _action, *ids in noted(owed.settle, subscriber) for id in ids]


def test_a_refresh_is_noted_once_for_each_cause():
    owed = refreshes()
    ids = [owe(owed, cause) for cause in ("file#a", "file#b")]
    assert noted(owed.owe, "exec#it", "file#a") == []
    assert settled(owed) == ids
    assert settled(owed) == []


def test_only_the_first_note_of_a_resource_waits_for_the_disk():
    owed, records = refreshes(), []
    for cause in ("file#a", "file#b"):
        owed.owe("exec#it", cause, records)
    owed.take_back("exec#it", "file#a", records)
    owed.take_back("exec#it", "file#b", records)
    assert [record.is_synced for record in records] == [True, False, True, False]


@pytest.mark.parametrize("running", [(), ("1",)])
def test_what_an_earlier_run_left_is_not_enough(running):
    """Another run may strike it off before the cause changes."""
    owed = refreshes("file#a", running=running)
    (left,) = owed.begin("exec#it")
    records = []
    owed.owe("exec#it", "file#a", records)
    assert (records[0].since, records[0].is_synced) == (left.since, True)


def test_a_refresh_makes_up_for_what_ended_runs_left_when_it_began():
    owed = refreshes("file#a", "file#b", running=("2",))
    owed.begin("exec#it")
    owed.take_over("exec#it", lambda cause: (), [])
    assert [each.id for each in owed.begin("exec#it")] == ["2"]


def test_what_earlier_runs_left_and_this_one_says_again_is_repeated():
    owed = refreshes("file#a", "file#b", "file#c", running=("2",))
    for cause in ("file#a", "file#b"):
        owe(owed, cause)
    assert owed.repeated() == []
    owed.confirm(["file#a", "file#b", "file#c"])
    assert owed.repeated() == ["1"]


def test_a_cause_that_changed_nothing_owes_nothing():
    owed = refreshes()
    id = owe(owed, "file#a")
    assert noted(owed.take_back, "exec#it", "file#a") == [[SETTLE, id]]
    assert noted(owed.take_back, "exec#it", "file#a") == []


def test_what_did_change_is_not_taken_back():
    owed = refreshes()
    id = owe(owed, "file#a")
    owed.confirm(["file#a"])
    assert noted(owed.take_back, "exec#it", "file#a") == noted(owed.doubt, "exec#it", "file#a") == []
    assert settled(owed) == [id]


def test_a_refresh_strikes_off_what_a_failed_try_left_in_doubt():
    owed = refreshes()
    first = owe(owed, "exec#a")
    assert noted(owed.doubt, "exec#it", "exec#a") == [[DOUBT, first]]
    second = owe(owed, "exec#a")
    assert settled(owed) == [second, first]
    assert settled(owed) == []


@pytest.mark.parametrize("running", [False, True])
def test_after_a_failure_it_is_in_doubt_once(running):
    owed = refreshes()
    id = owe(owed, "file#a")
    assert noted(owed.doubt, "exec#it", "file#a") == [[DOUBT, id]]
    next_try = owe(owed, "file#a")
    assert noted(owed.doubt, "exec#it", "file#a") == [[SETTLE, next_try]]
    assert settled(owed) == [id]
    again = refreshes("file#a", doubtful=True, running=("1",) if running else ())
    id = owe(again, "file#a")
    assert noted(again.doubt, "exec#it", "file#a") == [[DOUBT if running else SETTLE, id]]


@pytest.mark.parametrize("way", ["left", "left in doubt", "own", "own in doubt"])
def test_a_refresh_passes_to_another_resource_once(way):
    owed = refreshes(*(["file#a"] if "left" in way else ()), doubtful="doubt" in way)
    old = "1" if "left" in way else owe(owed, "file#a")
    if way == "own in doubt":
        noted(owed.doubt, "exec#it", "file#a")

    def affected_by(cause):
        return ["exec#other"] if cause == "file#a" else []

    (action, id, subscriber, cause), *doubt, settle = noted(owed.take_over, "exec#it", affected_by)
    assert (action, subscriber, cause, settle) == (OWE, "exec#other", "file#a", [SETTLE, old])
    assert doubt == ([[DOUBT, id]] if "doubt" in way else [])
    assert noted(owed.take_over, "exec#it", affected_by) == []
    assert settled(owed, "exec#other") == [id]


def test_in_the_next_step_earlier_changes_are_those_of_an_earlier_run():
    owed = refreshes()
    for cause in ("file#a", "file#b"):
        owe(owed, cause)
    owed.confirm(["file#a"])
    noted(owed.doubt, "exec#it", "file#b")
    assert (owed.begin("exec#it"), owed.earlier()) == ([], [])
    owed.go_on()
    assert [(each.cause, each.is_doubtful) for each in owed.begin("exec#it")] == [("file#a", False), ("file#b", True)]
    assert noted(owed.take_back, "exec#it", "file#a") == []
