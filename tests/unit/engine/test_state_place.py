# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of the state of a manifest, and what a run without changes reads of it."""

from __future__ import annotations

import errno
import os
import pathlib
import re
import shutil

import pytest
from ccm.engine.between_runs import identity_of, stable_digest, state_directory
from ccm.engine.state.journal import Journal
from ccm.engine.state.locked_directory import AppendedFile, LockedDirectory
from ccm.engine.state.records import Owed
from ccm.engine.state.stored_files import stored_files
from ccm.engine.state_directory import StateDirectory
from ccm.model.log import Log
from ccm.testing import RecordedLog


def set_digests(digest, settled):
    def change(saved):
        saved.digest, saved.settled = digest, settled

    return change


@pytest.fixture
def directory(tmp_path):
    return StateDirectory(str(tmp_path / "root"), "/m.yaml", RecordedLog())


@pytest.fixture
def journal(directory):
    return Journal(directory)


@pytest.mark.parametrize(
    ("records", "digests"),
    [
        ([], ("ab", "cd")),
        ([Owed("1", "exec#it", "file#a", "now")], ("", "")),
    ],
)
def test_a_digest_does_not_count_beside_a_journal(directory, journal, records, digests):
    assert stored_files(directory).digests == ("", "")
    journal.save(set_digests("ab", "cd"))
    if records:
        journal.note(records)
    assert stored_files(directory).digests == digests


def test_a_run_without_changes_marks_the_state_that_it_read(directory, journal):
    assert stable_digest(directory.root, directory.identity) == ""
    journal.save(set_digests("ab", "cd"))
    assert stable_digest(directory.root, directory.identity) == ""
    journal.mark_stable("cd")
    assert stable_digest(directory.root, directory.identity) == "cd"
    journal.mark_stable("cd")
    assert sum(name.startswith("stable-") for name in directory.names()) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda journal, path: journal.note([]),
        lambda journal, path: journal.save(set_digests("ab", "cd")),
        lambda journal, path: path.write_bytes(path.read_bytes()),
        lambda journal, path: path.chmod(0o400),
        lambda journal, path: path.unlink(),
        lambda journal, path: shutil.copy2(path, f"{path}-copy") and os.replace(f"{path}-copy", path),
    ],
    ids=["a journal", "saved again", "written again", "another mode", "gone", "another file"],
)
def test_a_mark_does_not_count_once_anything_was_written(directory, journal, change):
    journal.save(set_digests("ab", "cd"))
    journal.mark_stable("cd")
    change(journal, pathlib.Path(directory.path, "state"))
    assert stable_digest(directory.root, directory.identity) == ""


SAVE, NOTE = (lambda journal: journal.save(set_digests("ef", ""))), (lambda journal: journal.note([]))


@pytest.mark.parametrize("meanwhile", [SAVE, NOTE], ids=["saves", "notes"])
def test_a_state_that_another_run_wrote_meanwhile_gets_no_mark(directory, journal, meanwhile):
    journal.save(set_digests("ab", "cd"))
    meanwhile(journal)
    journal.mark_stable("cd")
    assert not any(name.startswith("stable-") for name in directory.names())


@pytest.mark.parametrize("write", [SAVE, NOTE], ids=["saves", "notes"])
def test_a_mark_is_removed_before_anything_is_written(directory, journal, monkeypatch, write):
    """The new file may have the inode of the old one, and on some file systems its time."""
    journal.save(set_digests("ab", "cd"))
    journal.mark_stable("cd")

    def killed(*_given, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr(LockedDirectory, "replace", killed)
    monkeypatch.setattr(AppendedFile, "append", killed)
    with pytest.raises(KeyboardInterrupt):
        write(journal)
    assert not any(name.startswith("stable-") for name in directory.names())


def test_a_run_without_changes_says_that_it_cannot_note_that(directory, journal, monkeypatch):
    journal.save(set_digests("ab", "cd"))
    opened = os.open

    def full(path, *given, **options):
        if str(path).startswith("stable-"):
            raise OSError(errno.ENOSPC, "")
        return opened(path, *given, **options)

    monkeypatch.setattr(os, "open", full)
    assert not journal.mark_stable("cd")
    level, message, fields = directory.log.lines[-1]
    assert (level, message) == ("DEBUG", "The next run reads all of the state")
    assert re.search(r"/stable-cd-[0-9a-f.]+: no space left on device$", fields["reason"])


def test_two_manifests_have_two_directories(tmp_path):
    stores = [StateDirectory(str(tmp_path), identity, Log()) for identity in ("/a", "/b", "/\ud800")]
    assert len({each.path for each in stores}) == 3


def test_the_identity_of_a_manifest(tmp_path):
    (tmp_path / "m.yaml").write_text("")
    (tmp_path / "link.yaml").symlink_to("m.yaml")
    path = str(tmp_path / "link.yaml")
    assert identity_of("link.yaml", path) == str(tmp_path / "m.yaml")
    assert identity_of("link.yaml", path, "web") == "name:web"
    assert identity_of("https://me:canary@h/m.tgz", "") == "https://REDACTED@h/m.tgz"
    assert identity_of("-", str(tmp_path / "none")) == identity_of("-", str(tmp_path)) == ""


@pytest.mark.parametrize(
    ("given", "environ", "user", "directory"),
    [
        ("/x/../state", {}, 0, "/state"),
        ("", {"XDG_STATE_HOME": "/xdg"}, 0, "/var/lib/ccm"),
        ("", {"XDG_STATE_HOME": "/xdg"}, 1000, "/xdg/ccm"),
        ("", {"XDG_STATE_HOME": "relative"}, 1000, "/home/me/.local/state/ccm"),
        ("", {}, 1000, "/home/me/.local/state/ccm"),
    ],
)
def test_the_directory_of_all_state(monkeypatch, given, environ, user, directory):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("HOME", "/home/me")
    assert state_directory(given, environ) == directory
