# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that was just written is not read again, unless it may have become another one; a first one replaces none."""

from __future__ import annotations

import _signal
import fcntl
import gc
import hashlib
import os
import stat

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host import account_files, reading, targets
from ccm.host.hidden_files import HiddenFile
from ccm.model.resource import Resource, complete
from ccm.resources.file.posix import PosixFileProvider
from ccm.resources.file.type import TYPE

from tests.unit.attributes import ACL, acl, attributes

NEW = b"new content\n"


class Place:
    """A managed file: `read` are the files that were read."""

    def __init__(self, directory, monkeypatch):
        self.path, self.source = directory / "it", directory / "source"
        self.source.write_bytes(NEW)
        self.read = []
        self._monkeypatch = monkeypatch
        for kind in (targets.Target, reading.Reader):
            monkeypatch.setattr(kind, "chunks", self._recording(kind.chunks))

    def _recording(self, real):
        def chunks(reader):
            self.read.append(os.path.basename(reader.path))
            return real(reader)

        return chunks

    def after(self, owner, name, action):
        """Have an action done after each call of a function."""
        real = getattr(owner, name)

        def call(*arguments, **options):
            result = real(*arguments, **options)
            action()
            return result

        self._monkeypatch.setattr(owner, name, call)

    def declared(self, **values):
        owner = {"owner": str(os.geteuid()), "group": str(os.getegid())}
        values = {"name": str(self.path), "ensure": "present", "mode": "0640", **owner, **values}
        properties = TYPE.made(complete(TYPE, values))
        TYPE.validate(properties)
        return properties

    def managed(self, *, validation="", **values):
        """Run the resource once; return its event."""
        self.context, self.properties = Context(), self.declared(**values)
        self.properties.validation = validation
        return run_transaction(Resource(TYPE, self.properties), self.context)

    def read_state(self):
        provider = self.context.provider_instance(PosixFileProvider, TYPE)
        return provider.status(self.properties)


@pytest.fixture
def place(tmp_path, monkeypatch):
    return Place(tmp_path, monkeypatch)


WAYS = {"content": {"content": NEW.decode()}, "source": {"source": "source"}, "empty": {}}


@pytest.mark.parametrize("way", WAYS)
def test_a_new_file_is_read_not_once_and_its_source_once(place, way, monkeypatch):
    monkeypatch.chdir(place.path.parent)
    event = place.managed(**WAYS[way])
    assert (event.errors, event.changed) == ((), True)
    assert place.read == (["source"] if way == "source" else [])
    assert event.status.metadata["checksum"] == hashlib.sha256(place.path.read_bytes()).hexdigest()
    read = place.read_state()
    assert event.status.metadata == read.metadata
    for name in ("ensure", "wanted_checksum", "symlink", "irregular", "uid", "gid", "wanted_uid", "wanted_gid"):
        assert getattr(event.status, name) == getattr(read, name), name


@pytest.mark.parametrize("way", ["content", "source"])
@pytest.mark.parametrize("old", [lambda path: path.write_text("old"), lambda path: path.symlink_to("source")])
def test_a_replaced_file_is_read_once(place, way, old, monkeypatch):
    monkeypatch.chdir(place.path.parent)
    old(place.path)
    place.path.with_name("third").write_text("x")
    event = place.managed(**({"content": "x"} if way == "content" else {"source": "third"}))
    assert event.errors == ()
    assert place.read.count("it") == 1
    assert event.status.metadata == place.read_state().metadata


@pytest.mark.parametrize(("size", "reads"), [(65536, 1), (65537, 2)])
def test_a_small_source_of_a_replaced_file_is_read_once(place, size, reads, monkeypatch):
    monkeypatch.chdir(place.path.parent)
    content = b"x" * size
    place.source.write_bytes(content)
    place.path.write_text("old")
    assert place.managed(source="source").errors == ()
    assert (place.read.count("source"), place.path.read_bytes()) == (reads, content)


def test_the_content_that_was_decided_on_is_written(place, monkeypatch):
    """The source changes between the decision and the change."""
    monkeypatch.chdir(place.path.parent)
    place.path.write_text("old")
    place.after(PosixFileProvider, "require_possible", lambda: place.source.write_text("newer"))
    event = place.managed(source="source")
    assert (event.errors, place.path.read_bytes()) == ((), NEW)
    assert event.status.metadata["checksum"] == hashlib.sha256(NEW).hexdigest()


def test_content_is_kept_only_for_a_change(place, monkeypatch):
    """States may stay in memory until the run ends."""
    monkeypatch.chdir(place.path.parent)
    place.path.write_text("old")
    kept = []
    for context in (Context(noop=True), Context()):
        provider = context.provider_instance(PosixFileProvider, TYPE)
        kept.append(provider.status(place.declared(source="source")))
    provider.store(place.declared(source="source"), kept[1])
    kept.append(provider.status(place.declared(source="source")))
    assert [state.source_content for state in kept] == [None, None, None]
    assert place.path.read_bytes() == NEW


def test_a_file_that_another_process_replaces_is_read(place):
    def replace():
        place.path.unlink()
        place.path.write_bytes(NEW.upper())
        place.path.chmod(0o640)

    place.after(os, "rename", replace)
    (error,) = place.managed(content=NEW.decode()).errors
    assert "failed to reach desired state: " in error and "content checksum mismatch" in error


def test_a_file_that_another_process_extends_is_read(place):
    place.after(os, "rename", lambda: place.path.write_bytes(NEW + b"more"))
    (error,) = place.managed(content=NEW.decode()).errors
    assert "content checksum mismatch" in error
    assert place.read == ["it"]


def test_a_file_in_a_directory_that_is_moved_is_missed(place):
    place.path = place.path.parent / "d/it"
    place.path.parent.mkdir()
    place.after(os, "rename", lambda: os.replace(place.path.parent, f"{place.path.parent}.moved"))
    (error,) = place.managed(content=NEW.decode()).errors
    assert "ensure mismatch: state=absent" in error


def test_a_file_whose_mode_is_lost_by_the_rename_is_repaired_and_read(place):
    place.after(os, "rename", lambda: place.path.chmod(0o604))
    event = place.managed(content=NEW.decode())
    assert (event.errors, event.status.metadata["mode"]) == ((), "0640")
    assert place.read == ["it"]


@pytest.mark.starts_processes
def test_a_file_that_a_command_validated_is_read(place):
    event = place.managed(content=NEW.decode(), validation="/bin/true %s")
    assert event.errors == ()
    assert "it" in place.read


def _between(place, make):
    """Make another file at the path when the new file is complete, just before it is put there."""
    made = []
    place.after(HiddenFile, "close_written", lambda: made or made.append(make(place.path)))


@pytest.mark.needs("root", "user_attributes")
def test_the_attributes_of_a_file_that_comes_before_a_first_one_are_kept(place):
    def make(path):
        path.write_text("by another")
        os.setxattr(path, "user.k", b"v")

    _between(place, make)
    event = place.managed(content=NEW.decode())
    assert (event.errors, place.path.read_bytes(), attributes(place.path)) == ((), NEW, {"user.k": b"v"})
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o640


@pytest.mark.needs("root", "acl")
def test_the_list_of_a_file_that_comes_before_a_first_one_is_kept(place, monkeypatch):
    """It is set on a file that only its owner can open, as everywhere."""

    def make(path):
        path.write_text("by another")
        os.setxattr(path, ACL, acl())

    def carry_over(file, *arguments):
        modes.append(stat.S_IMODE(os.fstat(file.fd).st_mode))
        return real(file, *arguments)

    modes, real = [], HiddenFile.carry_over
    monkeypatch.setattr(HiddenFile, "carry_over", carry_over)
    _between(place, make)
    event = place.managed(content=NEW.decode())
    assert (event.errors, place.path.read_bytes(), list(attributes(place.path))) == ((), NEW, [ACL])
    assert modes == [0o600]
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o640


@pytest.mark.parametrize(("make", "kind"), [(os.mkfifo, "a named pipe"), (os.mkdir, "a directory")])
def test_what_is_no_file_and_comes_before_a_first_one_is_not_replaced(place, make, kind):
    _between(place, make)
    event = place.managed(content=NEW.decode())
    assert event.errors == [f"{place.path} exists as {kind}; cannot replace it by a file"]
    assert sorted(os.listdir(place.path.parent)) == ["it", "source"]
    assert not place.path.is_file()


def test_a_link_that_comes_before_a_first_file_is_replaced(place):
    _between(place, lambda path: path.symlink_to("source"))
    assert place.managed(content="x").errors == ()
    assert (place.path.is_symlink(), place.source.read_bytes()) == (False, NEW)


@pytest.mark.needs("root", "user_attributes")
@pytest.mark.parametrize("is_another", [False, True])
def test_attributes_that_come_after_the_decision_are_kept(place, is_another):
    """The file that was read had none."""

    def make(path):
        if is_another:
            path.with_name("other").write_text("old")
            path.with_name("other").replace(path)
        os.setxattr(path, "user.k", b"v")

    place.path.write_text("old")
    _between(place, make)
    event = place.managed(content=NEW.decode())
    assert (event.errors, place.path.read_bytes(), attributes(place.path)) == ((), NEW, {"user.k": b"v"})
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o640


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("source")])
def test_what_comes_after_the_decision_is_no_file_to_be_replaced(place, make):
    """Another process puts it in the place of the file that was read; only a link is replaced, not followed."""

    def swap(path):
        path.unlink()
        make(path)

    place.path.write_text("old")
    _between(place, swap)
    errors = place.managed(content="x").errors
    if place.path.is_file():
        assert (errors, place.path.is_symlink(), place.source.read_bytes()) == ((), False, NEW)
    else:
        (error,) = errors
        assert error.endswith("; cannot replace it by a file")
    assert sorted(os.listdir(place.path.parent)) == ["it", "source"]


def test_a_file_is_written_to_the_directory_of_the_decision(place):
    """The directory was moved since: nothing is written to what is at its path now."""
    place.path = place.path.parent / "d/it"
    place.path.parent.mkdir()
    context = Context()
    assert run_transaction(Resource(TYPE, place.declared(content="x")), context).errors == ()

    def swap():
        place.path.parent.rename(f"{place.path.parent}.moved")
        place.path.parent.mkdir()

    place.after(PosixFileProvider, "require_possible", swap)
    (error,) = run_transaction(Resource(TYPE, place.declared(content="y")), context).errors
    assert "ensure mismatch: state=absent" in error
    assert os.listdir(place.path.parent) == []


@pytest.mark.needs("root", "user_attributes")
def test_attributes_are_kept_where_proc_has_none(place, monkeypatch):
    """The name in /proc of a file that is only open for its path cannot be listed where /proc is not mounted."""

    def unmounted(real):
        def call(name, *arguments, **options):
            if str(name).startswith("/proc/"):
                raise FileNotFoundError(name)
            return real(name, *arguments, **options)

        return call

    place.path.write_text("old")
    os.setxattr(place.path, "user.k", b"v")
    for owner, name in ((os, "open"), (os, "listxattr"), (os, "getxattr"), (os, "readlink"), (os.path, "exists")):
        gone = (lambda path: False) if name == "exists" else unmounted(getattr(owner, name))
        monkeypatch.setattr(owner, name, gone)
    assert place.managed(content=NEW.decode()).errors == ()
    monkeypatch.undo()
    assert (place.path.read_bytes(), attributes(place.path)) == (NEW, {"user.k": b"v"})


LOOK = "stat readlink open "  # Is the open directory still at its path, without links? What is in it?
READ = "fstat open close read listxattr close "  # A regular file is opened only after it was seen to be one.
MADE = "pthread_sigmask open flock fstat pthread_sigmask "  # The hidden file: made and locked while signals are held.
PUT = (
    "write chmod dup close "  # Closing shows whether all could be written; the file stays locked.
    "lstat rename lstat close"  # The place is as it was found; the new file is there, as it was written.
)
NEW_FILE = LOOK + MADE + PUT
OLD_FILE = LOOK + READ + MADE + "listxattr " + PUT
NEW_DIRECTORY = (
    "lstat open readlink "  # Is something there? The parent is opened, without links in its path.
    "lstat mkdir open fstat close close "  # The directory was made, and its attributes are right.
    "lstat"
)
SAME_FILE = LOOK + READ.replace("listxattr ", "").rstrip()
CALLS = "lstat stat fstat readlink open close dup read write chmod chown rename link unlink mkdir listxattr getxattr"


def recording(made, name, real):
    def call(*arguments, **options):
        made.append(name)
        return real(*arguments, **options)

    return call


@pytest.fixture
def old_accounts(tmp_path, monkeypatch):
    """The files of accounts have not changed for a while, and are behind no link."""
    for name in ("nsswitch.conf", "passwd", "group"):
        (tmp_path / name).touch()
    monkeypatch.setattr(account_files, "_SOURCES", str(tmp_path / "nsswitch.conf"))
    files = {"user": (str(tmp_path / "passwd"), "passwd", 7), "group": (str(tmp_path / "group"), "group", 4)}
    monkeypatch.setattr(account_files, "_FILES", files)
    monkeypatch.setattr(account_files, "_UNCERTAIN", -account_files._UNCERTAIN)


@pytest.mark.usefixtures("old_accounts")
def test_files_in_the_open_directory_are_managed_by_few_calls(place, monkeypatch):
    """Also what a run looks up once, owners and mounts, is not looked up again after it wrote a file."""
    context, made = Context(), []

    def calls(name, **values):
        place.path = place.path.with_name(name)
        resource = Resource(TYPE, place.declared(**(values or {"content": "x"})))
        made.clear()
        assert run_transaction(resource, context).errors == ()
        return " ".join(made)

    for name in ("old", "older"):
        place.path.with_name(name).write_text("old")
    calls("first")
    calls("second")  # The files of accounts are read after a second change.
    calls("older")  # The table of mounts is read before a file is replaced.
    # What earlier tests left would be closed at any moment.
    gc.collect()
    with monkeypatch.context() as patch:
        recorded = [(os, name) for name in CALLS.split()] + [(fcntl, "flock"), (_signal, "pthread_sigmask")]
        for owner, name in recorded:
            patch.setattr(owner, name, recording(made, name, getattr(owner, name)))
        found = [calls(name) for name in ("third", "old", "old")]
        directories = [calls(name, ensure="directory", mode="0755") for name in ("d1", "d2")]
    assert found == [NEW_FILE, OLD_FILE, SAME_FILE]
    assert directories == [NEW_DIRECTORY] * 2
    assert len(OLD_FILE.split()) < 24  # with the line of the log (issue 36)
