# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refreshes of resources that `ccm ensure` manages in one session, each in a process of its own."""

from __future__ import annotations

import os

import pytest


class Script:
    """The commands of a script: a file, and a command that subscribes to it."""

    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.file = directory / "a"
        self.broken = directory / "broken"
        self.me = me
        self.words = ["--session", str(directory / "session")]
        (directory / "session").mkdir()

    def write(self, content, *words):
        owner = ["--owner", ":".join(self.me), "--mode", "0600"]
        return self.ccm("ensure", *self.words, *words, "file", self.file, "--content", content, *owner).out

    def restart(self, *words):
        """Run a command that fails while there is a file `broken`."""
        given = ["--refresh-only", "--subscribe", f"file#{self.file}"]
        return self.ccm("ensure", *self.words, *words, "exec", f"test ! -e {self.broken}", *given).out

    def notes(self):
        return [name for name in os.listdir(self.words[1]) if name.endswith(".changing")]


@pytest.fixture
def script(ccm, tmp_path, me):
    return Script(ccm, tmp_path, me)


OWED = "INFO  refreshed: owed because of file#"


@pytest.mark.starts_processes
def test_a_refresh_is_made_once(script):
    assert "changed" in script.write("one")
    assert script.notes() == []
    for outcome in (" refreshed ", " refreshed "):
        # As in the original, the last event of the file says that it changed.
        assert outcome in script.restart()
    assert "stable" in script.write("one")
    assert " stable " in script.restart()


@pytest.mark.starts_processes
def test_a_script_that_failed_is_run_again(script):
    """The file changed, the command was not reached; now the file is as wanted."""
    script.write("one")
    assert "stable" in script.write("one")
    shown = script.restart()
    assert OWED in shown
    assert " refreshed " in shown
    assert " stable " in script.restart()


@pytest.mark.starts_processes
def test_a_refresh_that_failed_is_made_again(script):
    script.write("one")
    script.broken.touch()
    assert " failed " in script.restart()
    script.broken.unlink()
    script.write("one")
    assert OWED in script.restart()
    assert OWED not in script.restart()


@pytest.mark.starts_processes
def test_a_process_that_was_killed_before_its_event(script, monkeypatch):
    monkeypatch.setattr("ccm.engine.session_directory.DirectorySession.record", lambda *_given: os._exit(9))
    pid = os.fork()
    if not pid:
        script.write("one")
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    monkeypatch.undo()
    assert script.file.read_text() == "one"
    assert len(script.notes()) == 1
    assert "stable" in script.write("one")
    assert OWED in script.restart()
    assert " stable " in script.restart()


@pytest.mark.starts_processes
def test_noop_makes_no_refresh_and_takes_none_away(script):
    script.write("one")
    script.write("one")
    shown = script.restart("--noop")
    assert "INFO  would be refreshed: owed because of file#" in shown
    assert OWED in script.restart()


def test_what_would_have_changed_is_not_owed(script):
    script.write("one", "--noop")
    assert script.notes() == []
    script.write("one", "--noop")
    assert OWED not in script.restart()


def test_without_state_only_the_last_event_counts(script):
    script.write("one", "--no-state")
    script.write("one", "--no-state")
    assert " stable " in script.restart("--no-state")


def test_the_session_can_be_removed(script, monkeypatch, ccm):
    monkeypatch.setattr("ccm.engine.session_directory.DirectorySession._remove", lambda *_given: None)
    script.write("one")
    assert len(script.notes()) == 1
    assert ccm("session", "report", *script.words, "--remove").status == 0
    assert not os.path.exists(script.words[1])


@pytest.mark.starts_processes
def test_a_session_that_cannot_be_written_is_said_once(script):
    os.rmdir(script.words[1])
    done = script.ccm("ensure", *script.words, "exec", "true")
    assert done.err.count("does not exist") == 1
    assert "Traceback" not in done.err
