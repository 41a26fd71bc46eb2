# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session in a directory: events of several processes, foreign files, and directories that cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
from ccm.cli.main import main
from ccm.engine.session_directory import DirectorySession, is_event_id, is_session_file
from ccm.engine.summary import Summary
from ccm.model.clock import new_event_id
from ccm.model.errors import SessionError

from tests.unit.engine.lamp_type import record


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


def test_a_file_whose_name_is_an_id_out_of_range_is_ignored(tmp_path):
    (tmp_path / ("z" * 27 + ".event")).write_text("{}")
    session = DirectorySession(str(tmp_path))
    record(session, "hall")
    assert session.last_event("lamp", "hall").changed


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


def test_a_session_that_cannot_be_read(tmp_path, monkeypatch, capsys):
    store = tmp_path / "session"
    store.mkdir()

    def raise_error(path):
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", raise_error)
        main(["session", "report", "--session", str(store)])
    assert f"session store {store} cannot be read: " in capsys.readouterr().err


@pytest.mark.starts_processes
def test_a_session_path_with_nul_is_refused(ccm, tmp_path):
    (tmp_path / "nul").write_text("a\0b\n")
    for words, what in (
        (("session", "report", "--session"), f"session store {tmp_path}/a\\x00b cannot be read: "),
        (("session", "new", "--directory"), "session store a\\x00b cannot be made: "),
        (("ensure", "exec", "true", "--session"), f"session store {tmp_path}/a\\x00b cannot be written: "),
    ):
        ran = ccm(*words, "@nul")
        assert (ran.status, ran.err) == (1, f"ccm: error: {what}invalid argument\n")


def test_an_event_that_is_too_large_is_ignored(tmp_path, monkeypatch):
    record(DirectorySession(str(tmp_path)), "hall")
    (file,) = tmp_path.iterdir()
    for limit, counted in ((file.stat().st_size - 1, 0), (file.stat().st_size, 1)):
        monkeypatch.setattr("ccm.engine.session_directory.LARGEST_EVENT", limit)
        assert Summary(DirectorySession(str(tmp_path))).total == counted


def test_a_change_is_noted_until_its_event_is_recorded(tmp_path):
    session = DirectorySession(str(tmp_path))
    session.note_change("lamp", "hall")
    session.note_change("lamp", "hall")
    (note,) = tmp_path.iterdir()
    assert note.name.endswith(".changing")
    # A process that was killed has changed it, as others see it; this one still works.
    assert DirectorySession(str(tmp_path)).last_change("lamp", "hall") == note.stem
    assert (session.last_change("lamp", "hall"), session.last_managed("lamp", "hall")) == ("", "")
    event = record(session, "hall")
    assert [path.suffix for path in tmp_path.iterdir()] == [".event"]
    assert session.last_change("lamp", "hall") == session.last_managed("lamp", "hall") == event.event_id


def test_only_what_changed_and_was_brought_to_its_state_counts(tmp_path):
    session = DirectorySession(str(tmp_path))
    record(session, "hall", ensure="off", alias="h")
    shorted = record(session, "shorted")
    assert (session.last_change("lamp", "hall"), session.last_change("lamp", "shorted")) == ("", "")
    assert session.last_managed("lamp", "h") < shorted.event_id
    assert session.last_managed("lamp", "shorted") == ""


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("a" * 27 + ".event", True),
        ("a" * 27 + ".changing", True),
        ("a" * 27 + ".event.1", False),
        ("a" * 27, False),
        ("a" * 26 + ".event", False),
        ("é" * 27 + ".event", False),
        ("data", False),
    ],
)
def test_the_names_of_files_of_a_session(name, is_one):
    assert is_session_file(name) is is_one
