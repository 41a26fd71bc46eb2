# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory that a run keeps open: it is used again only where its path still leads to it without a link."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from ccm.engine.context import Context
from ccm.engine.run import Run, run_one
from ccm.host import files
from ccm.host.errors import LinkNotFollowed
from ccm.host.files import NoDirectory
from ccm.host.hidden_files import HiddenFile
from ccm.host.machine import Machine
from ccm.host.parents import LastDirectory
from ccm.model.resource import Resource, complete
from ccm.resources.file.type import TYPE

USER = 54321


class Place:
    """A directory in which `opened` counts how often directories are opened."""

    def __init__(self, path, monkeypatch):
        self.path = path
        self.last = LastDirectory()
        self.opened = 0
        real = os.open

        def counting(name, flags, *arguments, **options):
            self.opened += bool(flags & os.O_DIRECTORY)
            return real(name, flags, *arguments, **options)

        monkeypatch.setattr(os, "open", counting)

    def write(self, name):
        path = f"{self.path}/{name}"
        with files.parent_of(path, self.last) as parent:
            files.write_in(parent, path, b"x", mode=0o644)

    def names(self, directory="."):
        return sorted(os.listdir(self.path / directory))


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "d").mkdir()
    return Place(tmp_path, monkeypatch)


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))


def test_the_directory_of_the_last_file_is_opened_once(place):
    for name in "abc":
        place.write(f"d/{name}")
    assert (place.opened, place.names("d")) == (1, ["a", "b", "c"])
    place.write("e")
    place.write("d/d")
    assert place.opened == 3


def test_a_moved_directory_is_not_written_to(place):
    place.write("d/a")
    (place.path / "d").rename(place.path / "moved")
    with pytest.raises(NoDirectory, match=r'/d" is not a directory$'):
        place.write("d/b")
    (place.path / "d").mkdir()
    place.write("d/b")
    assert (place.names("moved"), place.names("d")) == (["a"], ["b"])


def test_a_directory_made_again_is_opened_again(place):
    place.write("d/a")
    (place.path / "d/a").unlink()
    (place.path / "d").rmdir()
    (place.path / "d").mkdir()
    place.write("d/b")
    assert (place.opened, place.names("d")) == (2, ["b"])


def test_a_directory_behind_a_link_is_not_kept(place):
    (place.path / "link").symlink_to("d")
    before = descriptors()
    place.write("link/a")
    place.write("link/b")
    assert (place.names("d"), descriptors()) == (["a", "b"], before)


@pytest.mark.needs("root")
def test_links_that_come_later_are_checked(place):
    """The directory is the same, but the link to it belongs to a user who does not own the directory above it."""
    (place.path / "d/sub").mkdir()
    place.write("d/sub/a")
    (place.path / "d").rename(place.path / "moved")
    (place.path / "d").symlink_to("moved")
    os.chown(place.path / "d", USER, USER, follow_symlinks=False)
    with pytest.raises(LinkNotFollowed):
        place.write("d/sub/b")
    os.chown(place.path / "d", 0, 0, follow_symlinks=False)
    place.write("d/sub/c")
    assert place.names("moved/sub") == ["a", "c"]


@pytest.mark.starts_processes
@pytest.mark.needs("root", "mounts")
def test_what_is_mounted_later_is_written_to(tmp_path):
    """Also when the run waits for nothing between two files."""
    (tmp_path / "d").mkdir()
    code = f"""import os, subprocess
from ccm.host import files
from ccm.host.parents import LastDirectory
last = LastDirectory()
for name in "ab":
    path = "{tmp_path}/d/" + name
    with files.parent_of(path, last) as parent:
        files.write_in(parent, path, b"x", mode=0o644)
    if name == "a":
        subprocess.run(["mount", "-t", "tmpfs", "none", "{tmp_path}/d"], check=True)
print(*os.listdir("{tmp_path}/d"))
last.close()
subprocess.run(["umount", "{tmp_path}/d"], check=True)
print(*os.listdir("{tmp_path}/d"))
"""
    words = ["unshare", "--mount", "--propagation=private", sys.executable, "-c", code]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "b\na\n"


def test_without_proc_no_directory_is_kept(place, monkeypatch):
    monkeypatch.setattr("ccm.host.parents.path_of", lambda fd: "")
    before = descriptors()
    place.write("d/a")
    place.write("d/b")
    assert (place.names("d"), descriptors()) == (["a", "b"], before)


def test_a_hidden_file_is_removed_after_the_directory_was_closed(place):
    before = descriptors()
    parent = files.parent_of(f"{place.path}/d/f", place.last)
    file = HiddenFile(parent.directory, parent.name)
    parent.close()
    place.last.close()
    assert place.names("d") == [".f.ccm-new"]
    file.close()
    assert (place.names("d"), descriptors()) == ([], before)


def test_threads_write_to_the_directories_that_they_name(place):
    for number in range(4):
        (place.path / f"t{number}").mkdir()

    def write(number):
        try:
            for count in range(50):
                place.write(f"t{number}/f{count}")
        except BaseException as error:
            errors.append(error)

    errors, before = [], descriptors()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    place.last.close()
    assert (errors, descriptors()) == ([], before)
    assert [len(place.names(f"t{number}")) for number in range(4)] == [50] * 4


def declared(path):
    owner = {"owner": str(os.geteuid()), "group": str(os.getegid())}
    values = {"name": str(path), "ensure": "present", "content": "x", "mode": "0644", **owner}
    return Resource(TYPE, TYPE.made(complete(TYPE, values)))


@pytest.mark.parametrize("wait", [Machine.before_waiting, lambda machine: machine.pause(0)])
def test_nothing_is_open_while_a_run_waits(place, wait):
    """A command of the run, or a person, may unmount the file system that the directory is in."""
    machine, before = Machine(), descriptors()
    run = Run([declared(place.path / "d/a"), declared(place.path / "d/b")], Context(machine=machine)).events()
    assert next(run).changed
    assert len(descriptors()) == len(before) + 1
    wait(machine)
    assert descriptors() == before
    assert next(run).changed
    assert [*run] == []
    assert descriptors() == before


@pytest.mark.starts_processes
@pytest.mark.parametrize("command", [Machine.run, Machine.query])
def test_nothing_is_open_while_a_command_runs(place, command):
    machine, before = Machine(), descriptors()
    machine.known(LastDirectory).parent_of(f"{place.path}/d/f").close()
    assert len(descriptors()) == len(before) + 1
    command(machine, ["true"])
    assert descriptors() == before


def test_nothing_is_open_after_a_run(place):
    before = descriptors()
    machine = Machine()
    assert run_one(declared(place.path / "d/a"), Context(machine=machine)).changed
    assert run_one(declared(place.path / "none/a"), Context(machine=machine)).failed
    assert descriptors() == before
