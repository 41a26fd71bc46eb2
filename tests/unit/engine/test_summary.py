# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of the events of a session."""

from __future__ import annotations

import pytest
from ccm.engine.session import Session
from ccm.engine.session_directory import DirectorySession
from ccm.engine.summary import Summary
from ccm.engine.transaction import run_transaction

from tests.unit.engine.lamp_type import context, lamp, record


@pytest.fixture(params=["memory", "directory"])
def session(request, tmp_path):
    return Session() if request.param == "memory" else DirectorySession(str(tmp_path))


def test_the_summary_counts_each_event_once(session):
    session.start()
    for name in ("hall", "hall", "broken", "attic"):
        record(session, name)
    record(session, "cellar", require=["lamp#broken"])
    record(session, "porch", subscribe=["lamp#attic"])
    summary = Summary(session)
    assert (summary.total, summary.unique) == (6, 5)
    assert (summary.changed, summary.failed, summary.skipped, summary.stable) == (4, 1, 1, 0)
    assert (summary.refreshed, summary.unmet) == (1, 1)
    assert summary.duration >= 0


def test_health_checks_are_counted_by_their_result(session):
    event = run_transaction(lamp("hall"), context(session=session))
    event.health_checks = [{"status": status} for status in (0, 0, 1, 2, 3, 7)] + [{}]
    session.record(event)
    summary = Summary(session)
    assert (summary.checked, summary.ok, summary.warning, summary.critical, summary.unknown) == (7, 2, 1, 1, 3)


def test_without_a_start_the_time_is_what_the_resources_took(session):
    for name, started, duration in (("hall", 1_000_000_000, 5), ("attic", 500_000_000, 7)):
        event = run_transaction(lamp(name), context(session=session))
        event.started, event.duration = started, duration
        session.record(event)
    summary = Summary(session)
    assert (summary.start, summary.first, summary.end, summary.duration) == (None, 500_000_000, 1_000_000_005, 12)
    shown = summary.as_dict()
    assert (shown["start_time"], shown["end_time"]) == ("1970-01-01T00:00:00.5Z", "1970-01-01T00:00:01.000000005Z")


def test_a_session_in_which_nothing_happened_has_no_times(session):
    shown = Summary(session).as_dict()
    assert {"start_time", "end_time"}.isdisjoint(shown)
    assert (shown["total_resources"], shown["unique_resources"]) == (0, 0)
