# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sessions: the last event of a resource, in memory and shared through a directory."""

import concurrent.futures
import json
import os
import subprocess
import sys
import time

import pytest
from ccm.engine.recorded_event import nanoseconds
from ccm.engine.session import Session
from ccm.engine.session_directory import DirectorySession, is_event_id
from ccm.engine.summary import Summary
from ccm.engine.transaction import run_transaction
from ccm.model.clock import new_event_id, timestamp
from ccm.model.errors import ResourceFailed, SessionError

from .lamp_type import context, lamp


@pytest.fixture(params=["memory", "directory"])
def session(request, tmp_path):
    return Session() if request.param == "memory" else DirectorySession(str(tmp_path))


def record(session, name, **given):
    event = run_transaction(lamp(name, **given), context(session=session))
    session.record(event)
    return event


def test_the_last_event_counts_by_name_and_by_alias(session):
    record(session, "hall", alias="h")
    record(session, "hall", ensure="off")
    assert session.last_event("lamp", "h").changed
    assert not session.last_event("lamp", "hall").changed


def test_an_alias_of_another_resource_counts_as_well(session):
    record(session, "hall")
    record(session, "shorted", alias="hall")
    assert session.last_event("lamp", "hall").blocks_dependents


def test_a_clock_that_is_set_back_does_not_hide_events_of_other_processes(tmp_path, monkeypatch):
    first, second = DirectorySession(str(tmp_path)), DirectorySession(str(tmp_path))
    record(first, "hall", ensure="off")
    clock = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: clock() - 3600 * 1_000_000_000)
    record(second, "hall")
    assert second.last_event("lamp", "hall").changed
    assert DirectorySession(str(tmp_path)).last_event("lamp", "hall").changed
    record(first, "hall", ensure="off")
    events = DirectorySession(str(tmp_path)).events()
    assert [event.changed for event in events] == [False, True, False]


def test_ids_sort_in_the_order_of_recording_when_the_clock_is_set_back(session, monkeypatch):
    clock = time.time_ns
    made = []
    for hours in (0, 1, 2):
        monkeypatch.setattr("time.time_ns", lambda hours=hours: clock() - hours * 3600 * 1_000_000_000)
        made.append(record(session, f"lamp{hours}").event_id)
    assert made == sorted(made)
    assert len({event_id[-10:] for event_id in made}) == len(made)


def test_a_file_whose_name_is_an_id_out_of_range_is_ignored(tmp_path):
    (tmp_path / ("z" * 27 + ".event")).write_text("{}")
    session = DirectorySession(str(tmp_path))
    record(session, "hall")
    assert session.last_event("lamp", "hall").changed


def test_a_missing_event_is_an_error_with_the_reference(session):
    with pytest.raises(ResourceFailed, match=r"^no events found for lamp#hall$"):
        session.last_event("lamp", "hall")


def test_the_summary_counts_each_event_once(session):
    session.start()
    for name in ("hall", "hall", "broken", "attic"):
        record(session, name)
    record(session, "cellar", require=["lamp#broken"])
    record(session, "porch", subscribe=["lamp#attic"])
    summary = Summary(session)
    assert (summary.total, summary.unique) == (6, 5)
    assert (summary.changed, summary.failed, summary.skipped, summary.stable) == (4, 1, 1, 0)
    assert (summary.refreshed, summary.unmet, summary.errors) == (1, 1, 1)
    assert summary.duration >= 0


def test_processes_share_a_directory(tmp_path):
    writer, reader = DirectorySession(str(tmp_path)), DirectorySession(str(tmp_path))
    record(writer, "hall")
    assert reader.last_event("lamp", "hall").changed
    record(writer, "shorted", alias="hall")
    assert reader.last_event("lamp", "hall").failed


def test_an_event_file_is_private_and_holds_the_whole_event(tmp_path):
    event = record(DirectorySession(str(tmp_path)), "hall")
    path = tmp_path / f"{event.event_id}.event"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text()) == event.as_dict()
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("note.txt", "x"),
        ("a" * 27 + ".event", "not json"),
        ("b" * 27 + ".event", "[1]"),
        ("c" * 27 + ".event", '{"protocol": "io.choria.ccm.v1.transaction.event"}'),
        (
            "d" * 27 + ".event",
            '{"protocol": "io.choria.ccm.v1.transaction.event", "event_id": "d", "type": "lamp", "name": "x",'
            ' "timestamp": "soon"}',
        ),
        (
            "f" * 27 + ".event",
            '{"protocol": "io.choria.ccm.v1.session.start", "event_id": "f", "timestamp": "9999-12-31T23:59:59Z"}',
        ),
        ("escape.event", "{}"),
        ("e" * 27 + ".event", "[" * 100000),
    ],
)
def test_files_without_an_event_are_ignored(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    session = DirectorySession(str(tmp_path))
    record(session, "hall")
    assert Summary(session).total == 1


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_entries_that_are_not_files_are_ignored(tmp_path, make):
    make(str(tmp_path / ("a" * 27 + ".event")))
    session = DirectorySession(str(tmp_path))
    record(session, "hall")
    assert Summary(session).total == 1


def test_a_missing_directory_is_an_error_when_an_event_is_written(tmp_path):
    session = DirectorySession(str(tmp_path / "none"))
    assert Summary(session).total == 0
    with pytest.raises(SessionError, match=f"^session store {tmp_path}/none does not exist$"):
        record(session, "hall")


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SessionError, match=f"^session store {tmp_path}/file cannot be written: not a directory$"):
        record(DirectorySession(str(tmp_path / "file")), "hall")


CROWD = """
import sys
from ccm.engine.session_directory import DirectorySession
from ccm.engine.transaction import run_transaction
from tests.unit.engine.lamp_type import context, lamp

directory, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
session = DirectorySession(directory)
sys.stdin.readline()
for number in range(count):
    session.record(run_transaction(lamp(f"{who}-{number}"), context(session=session)))
    if number % 50 == 0:
        assert session.last_event("lamp", f"{who}-{number}").name == f"{who}-{number}"
"""


@pytest.mark.starts_processes
def test_many_processes_record_at_once_without_loss(tmp_path):
    command = [sys.executable, "-c", CROWD, str(tmp_path)]
    root = os.path.dirname(__file__).rpartition("/tests/")[0]
    crowd = [
        subprocess.Popen(
            [*command, str(who), "100"], cwd=root, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for who in range(8)
    ]
    for process in crowd:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in crowd:
        assert process.communicate()[1] == ""
        assert process.returncode == 0
    session = DirectorySession(str(tmp_path))
    recorded = [event.name.split("-") for event in session.events()]
    assert len(recorded) == 800
    assert len(os.listdir(tmp_path)) == 800
    for who in range(8):
        assert [int(number) for owner, number in recorded if owner == str(who)] == list(range(100))
    assert Summary(session).unique == 800


@pytest.mark.parametrize("text", ["", "x" * 26, "x" * 28, "../" + "x" * 24, "é" * 27])
def test_invalid_ids(text):
    assert not is_event_id(text)
    assert is_event_id(new_event_id())


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1700000000_000000000, "2023-11-14T22:13:20Z"),
        (1700000000_120000000, "2023-11-14T22:13:20.12Z"),
        (1700000000_000000001, "2023-11-14T22:13:20.000000001Z"),
    ],
)
def test_timestamps_convert_both_ways(moment, text):
    assert timestamp(moment) == text
    assert nanoseconds(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.+1Z",
        "1970-01-01T00:00:00.\u0661Z",
        "1970-01-01T00:00:00+02:00",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "10000-01-01T00:00:00Z",
    ],
)
def test_invalid_timestamps(text):
    with pytest.raises(ValueError, match=r".*"):
        nanoseconds(text)


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
