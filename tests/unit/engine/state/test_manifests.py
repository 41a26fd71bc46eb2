# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A store as a whole: races with runs, files that are not its own, and what is dropped when."""

from __future__ import annotations

import errno
import os
import time

import pytest
from ccm.engine.state import locked_directory, manifests
from ccm.engine.state.ids import Ids
from ccm.engine.state.journal import Journal
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.engine.state.manifests import forget, move, prune, stored_manifest, stored_manifests
from ccm.engine.state.records import Owed
from ccm.engine.state.running import RunningRuns
from ccm.engine.state_directory import StateDirectory
from ccm.model.errors import StoreError
from ccm.model.log import Log

from tests.unit.stored import replace_words

DAY = 24 * 60 * 60
OWED = Owed("id", "exec#b", "exec#a", "2026-01-02T03:04:05Z")


@pytest.fixture
def root(tmp_path):
    return str(tmp_path / "store")


def saved(root, identity):
    """Save the state of a manifest of one resource; return its directory."""
    store = Journal(StateDirectory(root, identity, Log()))
    store.save(lambda content: content.reach("exec#a", "", ["w", "r"]))
    return store.directory.path


def identities(root):
    return [each.identity for each in stored_manifests(root)]


def test_what_is_kept_is_sorted_by_identity(root):
    for identity in ("/c", "name:b", "/a", "https://h/b"):
        saved(root, identity)
    assert identities(root) == ["/a", "/c", "https://h/b", "name:b"]


def test_the_journal_is_part_of_what_is_kept(root):
    saved(root, "/a")
    Journal(StateDirectory(root, "/a", Log())).note([OWED])
    (found,) = stored_manifests(root)
    assert [owed.subscriber for owed in found.saved.owed.values()] == ["exec#b"]
    move(root, "/a", "/b")
    assert list(stored_manifest(root, "/b").saved.owed) == ["id"]
    assert dict(stored_manifest(root, "/b").saved.entries()) == {"exec#a": ["", "w", "r"]}
    assert identities(root) == ["/b"]


def test_a_copied_directory_is_damaged(root):
    directory = saved(root, "/a")
    os.rename(directory, f"{root}/manifests/{'0' * 32}")
    (found,) = stored_manifests(root)
    assert found.fault == f"{root}/manifests/{'0' * 32}/state is damaged"
    with pytest.raises(StoreError, match="no state is kept of /a"):
        forget(root, "/a")


@pytest.mark.parametrize("make", [lambda path: os.symlink("/", path), lambda path: open(path, "w").close()])
def test_what_is_no_directory_is_a_fault(root, make):
    saved(root, "/a")
    make(f"{root}/manifests/{'0' * 32}")
    faults = sorted(each.fault for each in stored_manifests(root))
    assert faults == ["", f"{root}/manifests/{'0' * 32} is not a directory"]


def test_everything_that_runs_leave_is_removed(root):
    directory = saved(root, "/a")
    Journal(StateDirectory(root, "/a", Log())).note([OWED])
    for name in (".state.ccm-new", "state.damaged-20260102T030405Z"):
        open(f"{directory}/{name}", "w").close()
    assert set(os.listdir(directory)) > {"journal", "lock", "state"}
    forget(root, "/a")
    assert os.listdir(f"{root}/manifests") == []


def test_other_files_are_left_where_they_are(root):
    directory = saved(root, "/a")
    open(f"{directory}/notes", "w").close()
    forget(root, "/a")
    assert sorted(os.listdir(directory)) == ["lock", "notes"]
    assert identities(root) == []
    saved(root, "/a")
    assert identities(root) == ["/a"]


def test_a_directory_that_a_run_uses_anew_stays(root, monkeypatch):
    saved(root, "/a")

    def lock_again(path):
        open(f"{path}/lock", "w").close()
        raise OSError(errno.ENOTEMPTY, "")

    monkeypatch.setattr(os, "rmdir", lock_again)
    forget(root, "/a")
    assert identities(root) == []
    saved(root, "/a")
    assert identities(root) == ["/a"]


@pytest.mark.parametrize("call", ["rmdir", "listdir"])
def test_a_removal_that_the_system_refuses(root, monkeypatch, call):
    directory = saved(root, "/a")

    def raise_error(path):
        raise PermissionError(errno.EACCES, "", path)

    monkeypatch.setattr(os, call, raise_error)
    with pytest.raises(StoreError) as caught:
        forget(root, "/a")
    assert caught.value.message == f"{directory}: permission denied"


def test_a_list_that_the_system_refuses(root, monkeypatch):
    saved(root, "/a")

    def raise_error(path):
        raise PermissionError(errno.EACCES, "", path)

    monkeypatch.setattr(os, "listdir", raise_error)
    with pytest.raises(StoreError) as caught:
        stored_manifests(root)
    assert caught.value.message == f"{root}/manifests: permission denied"


@pytest.mark.parametrize("change", [lambda root: forget(root, "/a"), lambda root: move(root, "/a", "/b")])
@pytest.mark.parametrize("held", ["/a", "/b"])
def test_a_change_waits_for_a_run_that_writes(root, monkeypatch, change, held):
    saved(root, "/a")
    monkeypatch.setattr(locked_directory, "LOCK_TIMEOUT", 0.05)
    with LockedDirectory(StateDirectory(root, held, Log())):
        if held == "/a" or "move" in change.__code__.co_names:
            with pytest.raises(StoreError, match=" is locked by another process for "):
                change(root)
            assert identities(root) == ["/a"]
    change(root)
    assert "/a" not in identities(root)


def test_a_manifest_is_not_moved_over_one_that_a_run_made_meanwhile(root, monkeypatch):
    saved(root, "/a")
    checked = manifests._require_nothing

    def run_between(*words):
        checked(*words)
        monkeypatch.setattr(manifests, "_require_nothing", checked)
        saved(root, "/b")

    monkeypatch.setattr(manifests, "_require_nothing", run_between)
    with pytest.raises(StoreError, match="state is kept of /b already"):
        move(root, "/a", "/b")
    assert identities(root) == ["/a", "/b"]


def test_a_manifest_is_dropped_when_it_is_gone_and_old(root, tmp_path):
    now = time.time()
    saved(root, "/nowhere/a")
    saved(root, str(tmp_path))
    assert prune(root, 1, now + DAY - 60) == []
    assert [each.identity for each in prune(root, 1, now + DAY + 60)] == ["/nowhere/a"]
    assert identities(root) == [str(tmp_path)]
    assert prune(f"{root}/none", 0, now) == []


def test_only_what_may_be_dropped_is_waited_for(root, tmp_path, monkeypatch):
    saved(root, str(tmp_path))
    monkeypatch.setattr(locked_directory, "LOCK_TIMEOUT", 0.05)
    with LockedDirectory(StateDirectory(root, str(tmp_path), Log())):
        assert prune(root, 0, time.time() + DAY) == []


@pytest.mark.parametrize("identity", ["name:web", "https://h/a.tgz", "/nowhere/\0", "/" + "x" * 300])
def test_what_cannot_be_seen_to_be_gone_is_not_dropped(root, identity):
    saved(root, identity)
    assert prune(root, 0, time.time() + DAY) == []
    assert identities(root) == [identity]


def test_a_file_that_cannot_be_reached_is_not_gone(root, tmp_path, as_unprivileged_user):
    (tmp_path / "closed").mkdir(mode=0)
    tmp_path.chmod(0o777)
    as_unprivileged_user()
    saved(root, f"{tmp_path}/closed/a")
    saved(root, f"{tmp_path}/b")
    assert [each.identity for each in prune(root, 0, time.time() + DAY)] == [f"{tmp_path}/b"]


def test_a_link_that_leads_nowhere_and_a_path_below_a_file_are_gone(root, tmp_path):
    (tmp_path / "link").symlink_to("none")
    (tmp_path / "file").touch()
    for name in ("link", "file/a"):
        saved(root, f"{tmp_path}/{name}")
    assert len(prune(root, 0, time.time() + DAY)) == 2


def test_the_journal_makes_state_newer(root):
    directory = saved(root, "/nowhere/a")
    Journal(StateDirectory(root, "/nowhere/a", Log())).note([OWED])
    now = time.time()
    os.utime(f"{directory}/journal", (now + 9 * DAY, now + 9 * DAY))
    assert prune(root, 1, now + 9 * DAY) == []
    assert len(prune(root, 1, now + 11 * DAY)) == 1


@pytest.mark.parametrize("time_text", ["", "yesterday", "2026-13-02T03:04:05Z"])
def test_state_without_a_time_is_not_dropped(root, time_text):
    directory = saved(root, "/nowhere/a")
    replace_words(f"{directory}/state", lambda words: ["written", time_text] if words[0] == "written" else words)
    assert prune(root, 0, time.time() + DAY) == []
    assert stored_manifest(root, "/nowhere/a").saved.written == time_text


def test_what_a_run_writes_meanwhile_is_not_dropped(root, monkeypatch):
    directory = saved(root, "/nowhere/a")
    now = time.time()
    locked = LockedDirectory.__enter__

    def written_before(self):
        monkeypatch.setattr(LockedDirectory, "__enter__", locked)
        Journal(StateDirectory(root, "/nowhere/a", Log())).note([OWED])
        os.utime(f"{directory}/journal", (now + 9 * DAY, now + 9 * DAY))
        return locked(self)

    monkeypatch.setattr(LockedDirectory, "__enter__", written_before)
    assert prune(root, 1, now + 9 * DAY) == []
    assert identities(root) == ["/nowhere/a"]


@pytest.mark.parametrize("change", [lambda root: forget(root, "/a"), lambda root: move(root, "/a", "/b")])
def test_the_state_that_a_run_uses_stays(root, change):
    saved(root, "/a")
    running = RunningRuns(StateDirectory(root, "/a", Log()), Ids())
    running.note()
    with pytest.raises(StoreError, match=r"^a run of /a uses its state$") as caught:
        change(root)
    assert (caught.value.advice, identities(root)) == ("try again when it has ended", ["/a"])
    running.end()
    change(root)
    assert "/a" not in identities(root)
