# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of one manifest: its place, its content with the journal, and what is removed from it."""

from __future__ import annotations

import os

import pytest
from ccm.engine.state.saved import OWE, VERSION
from ccm.engine.state.store import ManifestStore, identity_of, sent_file, state_directory
from ccm.model.errors import StoreError
from ccm.model.log import Log
from ccm.testing import RecordedLog

#: A refresh that is owed, as a line.
OWED = [OWE, "1", "exec#it", "file#a", "now"]


@pytest.fixture
def store(tmp_path):
    return ManifestStore(str(tmp_path / "root"), "/m.yaml", RecordedLog())


def messages(store):
    return [(message, fields) for _level, message, fields in store._log.lines]


def set_digest(text):
    def change(saved):
        saved.digest = text

    return change


def test_an_unchanged_run_needs_only_the_digest(store):
    assert store.digest() == ""
    store.save(set_digest("ab"))
    assert store.digest() == "ab"
    store.note([OWED])
    assert store.digest() == ""
    store.save(set_digest("cd"))
    assert (store.digest(), list(store.read().owed)) == ("", ["1"])
    store.note([["settle", "1"]])
    store.save(set_digest("ef"))
    assert store.digest() == "ef"


def test_the_journal_is_part_of_what_was_saved(store):
    store.note([OWED])
    store.note([["doubt", "1"]])
    saved = store.read()
    assert (saved.identity, saved.owed["1"].is_doubtful) == ("/m.yaml", True)
    assert store.save(set_digest("ab")).owed["1"].is_doubtful
    assert store.files.read("journal") is None
    assert store.read().owed["1"].cause == "file#a"


def test_lines_that_cannot_be_read_are_counted(store):
    store.note([OWED, ["what", "is", "this"], ["owe", "too short"]])
    assert list(store.read(warns=False).owed) == ["1"]
    assert messages(store) == []
    store.read()
    path = f"{store.files.directory}/journal"
    assert messages(store) == [("Lines of the state of earlier runs cannot be read", {"file": path, "lines": 2})]


def test_a_damaged_file_is_not_used_and_put_aside_by_what_writes(store):
    store.save(set_digest("ab"))
    path = f"{store.files.directory}/state"
    with open(path, "w") as file:
        file.write("ccm-state\tx\n")
    assert (store.digest(), store.read().digest) == ("", "")
    assert messages(store) == [("The state of earlier runs is damaged, and is not used", {"file": path})]
    store.save(set_digest("cd"))
    (message, fields) = messages(store)[-1]
    assert message == "The state of earlier runs is damaged, and was put aside"
    assert os.path.exists(fields["file"])
    assert store.digest() == "cd"


def test_a_file_of_a_later_version_is_left_alone(store):
    store.save(set_digest("ab"))
    with open(f"{store.files.directory}/state", "w") as file:
        file.write(f"ccm-state\t{VERSION + 1}\tab\t0\nend\n")
    for call in (store.digest, store.read, lambda: store.save(set_digest("cd"))):
        with pytest.raises(StoreError, match=r"/state was written by a later version of ccm"):
            call()


def test_values_of_resources_that_are_gone_are_removed_a_day_later(store):
    store.save(set_digest("ab"))
    names = [sent_file("exec#here"), sent_file("exec#gone"), f"{sent_file('exec#here')}-ab12", "before-0123"]
    for name in names:
        path = os.path.join(store.files.directory, name)
        with open(path, "w"):
            os.utime(path, (0, 0))
    with open(os.path.join(store.files.directory, "before-new"), "w"):
        pass
    store.save(lambda saved: saved.resources.update({"exec#here": ["1", "2"]}))
    assert sorted(set(os.listdir(store.files.directory)) & {*names, "before-new"}) == sorted(
        [names[0], names[2], "before-new"]
    )


def test_two_manifests_have_two_directories(tmp_path):
    stores = [ManifestStore(str(tmp_path), identity, Log()) for identity in ("/a", "/b", "/\ud800")]
    assert len({each.files.directory for each in stores}) == 3


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
