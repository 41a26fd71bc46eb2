# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hidden temporary files of killed processes are removed, files of active processes are not."""

from __future__ import annotations

import errno
import fcntl
import os
from types import SimpleNamespace

import pytest
from ccm.host import files, hidden_files
from ccm.host.confined import ConfinedDirectory
from ccm.host.digests import sha256
from ccm.host.download import Download
from ccm.host.errors import SystemCallError
from ccm.host.hidden_files import HiddenFile
from ccm.host.parents import Parent
from ccm.host.replaceable import NotRegular
from ccm.host.restorable_paths import put_back

FIRST = ".f.ccm-new"


@pytest.fixture
def place(tmp_path):
    """A directory, open, whose entries are `place.names()`."""
    return Place(tmp_path)


class Place:
    def __init__(self, directory):
        self.directory = directory
        self.fd = os.open(directory, os.O_RDONLY)

    def names(self):
        return sorted(os.listdir(self.directory))

    def write(self, text, name="f"):
        files.write_file(f"{self.directory}/{name}", text.encode(), mode=0o644)


def test_a_file_of_a_killed_process_is_removed_with_the_next_write(place):
    (place.directory / FIRST).write_text("part")
    (place.directory / FIRST).chmod(0o440)
    if os.geteuid() == 0:
        os.chown(place.directory / FIRST, 54321, 54321)
    place.write("whole")
    assert place.names() == ["f"]


def test_a_file_of_an_active_process_is_kept(place):
    """Two writes at once are both complete, in any order."""
    with HiddenFile(place.fd, "f") as other:
        os.write(other.fd, b"other")
        place.write("ours")
        assert place.names() == [FIRST, "f"]
        other.close_written()
        place.write("ours again")
        other.put_in_place()
        assert (place.directory / "f").read_text() == "other"
    assert place.names() == ["f"]


@pytest.mark.parametrize("put", [os.mkdir, lambda path: os.symlink("f", path), os.mkfifo])
def test_files_with_other_names_are_kept(place, put):
    put(place.directory / FIRST)
    (place.directory / ".f.ccm-0123456789").write_text("of a user")
    place.write("whole")
    assert place.names() == [".f.ccm-0123456789", FIRST, "f"]


def _downloaded(path):
    parent = Parent(path)
    file = HiddenFile(parent.fd, parent.name)
    transfer = SimpleNamespace(received=0, hasher=sha256(), tag="", modified="")
    Download(path, parent, file, transfer).put_in_place(uid=os.geteuid(), gid=os.getegid())


def _rendered(path):
    with ConfinedDirectory(os.path.dirname(path)) as tree:
        tree.write("f", b"new", 0o644)


WAYS = {
    "file": lambda path: files.write_file(path, b"new", mode=0o644),
    "archive": _downloaded,
    "file of a scaffold": _rendered,
    "link of an undo": lambda path: put_back({path: ["link", "new", os.geteuid(), os.getegid()]}, str),
}


@pytest.mark.parametrize(("make", "kind"), [(os.mkfifo, "a named pipe"), (os.mkdir, "a directory")])
@pytest.mark.parametrize("way", WAYS)
def test_what_comes_between_the_look_and_the_rename_is_not_replaced(place, monkeypatch, way, make, kind):
    path = f"{place.directory}/f"
    (place.directory / "f").write_text("old")

    def swaps(call):
        def swap(*arguments, **options):
            result = call(*arguments, **options)
            os.unlink(path)
            make(path)
            return result

        return swap

    monkeypatch.setattr(HiddenFile, "carry_over", swaps(HiddenFile.carry_over))
    monkeypatch.setattr(os, "symlink", swaps(os.symlink))
    with pytest.raises(NotRegular, match=f"^{path} exists as {kind}; cannot replace it by a (file|link)$"):
        WAYS[way](path)
    assert (place.names(), os.path.isfile(path), os.path.islink(path)) == (["f"], False, False)


def test_two_long_names_with_the_same_beginning_can_be_written_at_once(place):
    first, second = "n" * 254 + "a", "n" * 254 + "b"
    with HiddenFile(place.fd, first) as file:
        place.write("second", second)
        file.put_in_place()
    assert place.names() == [first, second]


def test_a_file_that_is_removed_before_it_is_locked_is_created_again(place, monkeypatch):
    def flock(fd, how):
        if how == fcntl.LOCK_EX and not removed:
            removed.append(FIRST)
            os.unlink(place.directory / FIRST)
        return real(fd, how)

    removed, real = [], fcntl.flock
    monkeypatch.setattr(fcntl, "flock", flock)
    place.write("whole")
    assert (removed, place.names()) == ([FIRST], ["f"])


def test_an_interruption_during_creation_leaves_no_file(place, monkeypatch):
    def flock(_fd, _how):
        raise KeyboardInterrupt

    monkeypatch.setattr(fcntl, "flock", flock)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(KeyboardInterrupt):
        place.write("whole")
    assert (place.names(), os.listdir("/proc/self/fd")) == ([], before)


def test_a_file_is_removed_after_its_directory_was_closed(place):
    """After a signal, objects are closed in any order."""
    file = HiddenFile(place.fd, "f")
    assert place.names() == [FIRST]
    os.close(place.fd)
    before = len(os.listdir("/proc/self/fd"))
    file.close()
    assert place.names() == []
    assert len(os.listdir("/proc/self/fd")) == before - 2


def test_without_locks_no_file_is_removed_and_all_are_written(place, monkeypatch):
    def flock(_fd, _how):
        raise OSError(errno.ENOLCK, "")

    monkeypatch.setattr(fcntl, "flock", flock)
    (place.directory / FIRST).write_text("perhaps of another process")
    place.write("whole")
    assert place.names() == [FIRST, "f"]


def test_creation_ends_when_all_names_exist(place, monkeypatch):
    monkeypatch.setattr(os, "urandom", bytes)
    for name in (FIRST, ".f.ccm-0000000000"):
        (place.directory / name).mkdir()
    with pytest.raises(SystemCallError, match=f"^open {place.directory}/f: file exists$"):
        place.write("whole")


def test_only_the_file_that_was_checked_is_removed(place):
    """A file that another process created under the same name is kept."""
    with HiddenFile(place.fd, "f"):
        os.rename(place.directory / FIRST, place.directory / "elsewhere")
        (place.directory / FIRST).write_text("of another process")
    assert (place.directory / FIRST).read_text() == "of another process"


def test_a_purge_keeps_files_of_active_processes(place):
    (place.directory / ".left.ccm-new").write_text("part")
    with HiddenFile(place.fd, "f") as other, ConfinedDirectory(str(place.directory)) as tree:
        assert tree.files() == [".left.ccm-new"]
        for name in (".left.ccm-new", FIRST):
            tree.remove(name)
        assert place.names() == [FIRST]
        other.put_in_place()
    assert not hidden_files.is_in_use(place.fd, FIRST)
    assert place.names() == ["f"]
    (place.directory / FIRST).symlink_to("f")
    with ConfinedDirectory(str(place.directory)) as tree:
        tree.remove(FIRST)
    assert place.names() == ["f"]
