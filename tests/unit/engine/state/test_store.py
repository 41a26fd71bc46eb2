# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of the state of a manifest, and the one line that a run without changes reads."""

from __future__ import annotations

import errno
import os

import pytest
from ccm.engine.state.journal import Journal
from ccm.engine.state.records import Owed
from ccm.engine.state.store import ManifestStore, identity_of, state_directory
from ccm.model.errors import StoreError
from ccm.model.log import Log
from ccm.testing import RecordedLog


def set_digests(digest, settled):
    def change(saved):
        saved.digest, saved.settled = digest, settled

    return change


@pytest.mark.parametrize(
    ("records", "digests"),
    [
        ([], ("ab", "cd")),
        ([Owed("1", "exec#it", "file#a", "now")], ("", "")),
    ],
)
def test_a_digest_does_not_count_beside_a_journal(tmp_path, records, digests):
    journal = Journal(str(tmp_path / "root"), "/m.yaml", RecordedLog())
    store = ManifestStore(str(tmp_path / "root"), "/m.yaml", RecordedLog())
    assert store.digests() == ("", "")
    journal.save(set_digests("ab", "cd"))
    if records:
        journal.note(records)
    assert store.digests() == digests


def test_a_run_without_changes_says_that_it_cannot_note_that(tmp_path, monkeypatch):
    Journal(str(tmp_path / "root"), "/m.yaml", RecordedLog()).save(set_digests("ab", "cd"))
    store = ManifestStore(str(tmp_path / "root"), "/m.yaml", RecordedLog())
    opened = os.open

    def full(path, *given, **options):
        if str(path).startswith("stable-"):
            raise OSError(errno.ENOSPC, "")
        return opened(path, *given, **options)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(StoreError, match=r"/stable-cd: no space left on device$"):
        store.mark_stable("cd")


def test_two_manifests_have_two_directories(tmp_path):
    stores = [ManifestStore(str(tmp_path), identity, Log()) for identity in ("/a", "/b", "/\ud800")]
    assert len({each.directory.path for each in stores}) == 3


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
