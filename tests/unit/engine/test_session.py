# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sessions: the last event of a resource, in memory and shared through a directory."""

import concurrent.futures
import sys
import time

import pytest
from ccm.engine.session import Session
from ccm.engine.session_directory import DirectorySession
from ccm.engine.transaction import run_transaction
from ccm.model.errors import ResourceFailed

from tests.unit.engine.lamp_type import record

from .lamp_type import context, lamp


@pytest.fixture(params=["memory", "directory"])
def session(request, tmp_path):
    return Session() if request.param == "memory" else DirectorySession(str(tmp_path))


def test_the_last_event_counts_by_name_and_by_alias(session):
    record(session, "hall", alias="h")
    record(session, "hall", ensure="off")
    assert session.last_event("lamp", "h").changed
    assert not session.last_event("lamp", "hall").changed


def test_an_alias_of_another_resource_counts_as_well(session):
    record(session, "hall")
    record(session, "shorted", alias="hall")
    assert session.last_event("lamp", "hall").blocks_dependents


def test_ids_sort_in_the_order_of_recording_when_the_clock_is_set_back(session, monkeypatch):
    clock = time.time_ns
    made = []
    for hours in (0, 1, 2):
        monkeypatch.setattr("time.time_ns", lambda hours=hours: clock() - hours * 3600 * 1_000_000_000)
        made.append(record(session, f"lamp{hours}").event_id)
    assert made == sorted(made)
    assert len({event_id[-10:] for event_id in made}) == len(made)


def test_a_missing_event_is_an_error_with_the_reference(session):
    with pytest.raises(ResourceFailed, match=r"^no events found for lamp#hall$"):
        session.last_event("lamp", "hall")


def test_threads_of_one_run_record_at_once(session):
    def work(number):
        for count in range(20):
            event = run_transaction(lamp(f"lamp{number}-{count}"), context(session=session))
            session.finished(event)
            assert session.last_event("lamp", event.name).event_id == event.event_id

    former = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(6) as threads:
            list(threads.map(work, range(6)))
    finally:
        sys.setswitchinterval(former)
    events = list(session.events())
    assert len(events) == 120
    assert len({event.event_id for event in events}) == 120
