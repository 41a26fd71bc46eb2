# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refreshes that resources are owed: noted before a change, and struck off once they are made."""

from __future__ import annotations

from ccm.engine.state.owed import OwedRefreshes
from ccm.engine.state.records import Doubt, Ids, Owed, Settled

OWE, DOUBT, SETTLE = Owed.kind, Doubt.kind, Settled.kind


def left(*causes, doubtful=False):
    found = [Owed(f"{at}", "exec#it", cause, "now") for at, cause in enumerate(causes, 1)]
    for each in found:
        each.is_doubtful = doubtful
    return found


def refreshes(*causes, doubtful=False):
    return OwedRefreshes(left(*causes, doubtful=doubtful), Ids())


def noted(call, *words, **given):
    """Return the records of a call, without times."""
    records = []
    call(*words, records, **given)
    lines = [record.line() for record in records]
    return [line[:-1] if line[0] == OWE else line for line in lines]


def test_a_refresh_is_noted_once_before_the_first_change():
    owed = refreshes()
    ((action, id, subscriber, cause),) = noted(owed.owe, "exec#it", "file#a")
    assert (action, subscriber, cause) == (OWE, "exec#it", "file#a")
    assert noted(owed.owe, "exec#it", "file#a") == noted(owed.owe, "exec#it", "file#b") == []
    assert owed.causes("exec#it") == ["file#a", "file#b"]
    assert noted(owed.settle, "exec#it") == [[SETTLE, id]]
    assert (owed.causes("exec#it"), noted(owed.settle, "exec#it")) == ([], [])


def test_each_cause_is_noted_on_request():
    owed = refreshes()
    ids = [noted(owed.owe, "exec#it", cause, each=True)[0][1] for cause in ("file#a", "file#b")]
    assert len(set(ids)) == 2
    assert noted(owed.settle, "exec#it") == [[SETTLE, *ids]]


def test_what_an_earlier_run_left_is_enough_unless_it_is_in_doubt():
    assert noted(refreshes("file#a").owe, "exec#it", "file#b") == []
    assert noted(refreshes("file#a").owe, "exec#it", "file#b", each=True) != []
    assert noted(refreshes("file#a").owe, "exec#it", "file#a", each=True) == []
    assert noted(refreshes("file#a", doubtful=True).owe, "exec#it", "file#a") != []


def test_a_cause_that_changed_nothing_owes_nothing():
    owed = refreshes()
    ((_owe, id, *_words),) = noted(owed.owe, "exec#it", "file#a")
    assert noted(owed.take_back, "exec#it", "file#a") == [[SETTLE, id]]
    assert noted(owed.take_back, "exec#it", "file#a") == []


def test_a_cause_whose_note_covered_another_one_leaves_that_its_own():
    owed = refreshes()
    ((_owe, id, *_words),) = noted(owed.owe, "exec#it", "file#a")
    noted(owed.owe, "exec#it", "file#b")
    settled, (action, other, subscriber, cause) = noted(owed.take_back, "exec#it", "file#a")
    assert settled == [SETTLE, id]
    assert (action, subscriber, cause) == (OWE, "exec#it", "file#b")
    assert other != id


def test_what_did_change_is_not_taken_back():
    owed = refreshes()
    noted(owed.owe, "exec#it", "file#a")
    owed.confirm(["file#a"])
    assert noted(owed.take_back, "exec#it", "file#a") == noted(owed.doubt, "exec#it", "file#a") == []
    assert owed.causes("exec#it") == ["file#a"]


def test_a_refresh_strikes_off_what_a_failed_try_left_in_doubt():
    owed = refreshes()
    [[_owe, first, *_about]] = noted(owed.owe, "exec#it", "exec#a")
    assert noted(owed.doubt, "exec#it", "exec#a") == [[DOUBT, first]]
    [[_owe, second, *_about]] = noted(owed.owe, "exec#it", "exec#a")
    assert noted(owed.settle, "exec#it") == [[SETTLE, second, first]]
    assert noted(owed.settle, "exec#it") == []


def test_after_a_failure_it_is_in_doubt_once():
    owed = refreshes()
    ((_owe, id, *_words),) = noted(owed.owe, "exec#it", "file#a")
    assert noted(owed.doubt, "exec#it", "file#a") == [[DOUBT, id]]
    ((_owe, next_try, *_words),) = noted(owed.owe, "exec#it", "file#a")
    assert noted(owed.doubt, "exec#it", "file#a") == [[SETTLE, next_try]]
    assert noted(owed.settle, "exec#it") == [[SETTLE, id]]
    again = refreshes("file#a", doubtful=True)
    ((_owe, id, *_words),) = noted(again.owe, "exec#it", "file#a")
    assert noted(again.doubt, "exec#it", "file#a") == [[SETTLE, id]]


def test_a_refresh_passes_to_another_resource_once():
    owed = refreshes("file#a", doubtful=True)
    (old,) = owed.owed("exec#it")
    (action, id, subscriber, cause), doubt = noted(owed.replace, "exec#other", old)
    assert (action, subscriber, cause, doubt) == (OWE, "exec#other", "file#a", [DOUBT, id])
    assert noted(owed.replace, "exec#other", old) == []
    assert [each.subscriber for each in owed.all()] == ["exec#it", "exec#other"]


def test_in_the_next_step_earlier_changes_are_those_of_an_earlier_run():
    owed = refreshes()
    noted(owed.owe, "exec#it", "file#a", each=True)
    noted(owed.owe, "exec#it", "file#b", each=True)
    owed.confirm(["file#a"])
    owed.go_on()
    assert [each.cause for each in owed.owed("exec#it")] == ["file#a"]
    assert owed.causes("exec#it") == ["file#b"]
    owed.go_on()
    assert sorted(each.cause for each in owed.owed("exec#it")) == ["file#a", "file#b"]
