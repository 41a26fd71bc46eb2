# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directories that are copies of a source directory (behaviour.md 7.3)."""

from __future__ import annotations

import errno
import os
import stat

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host import files, tree_files
from ccm.model.errors import InvalidResource
from ccm.model.resource import Resource, complete
from ccm.resources.file.type import TYPE

OTHER = 4242
RUNS = (os.geteuid(), os.getegid())


@pytest.fixture
def source(tmp_path):
    """A tree with files, directories, links, and names that are not UTF-8 or have a line break."""
    top = tmp_path / "source"
    (top / "a/b").mkdir(parents=True)
    (top / "empty").mkdir(mode=0o700)
    (top / "a/f").write_text("f\n", encoding="utf-8")
    (top / "a/b/program").write_text("#!\n", encoding="utf-8")
    (top / "a/b/program").chmod(0o755)
    (top / "secret").write_text("s", encoding="utf-8")
    (top / "secret").chmod(0o600)
    (top / "line\nbreak").write_bytes(b"\0\xff")
    (top / "caf\udce9").write_text("", encoding="utf-8")
    (top / "link").symlink_to("a/f")
    (top / "dangling").symlink_to("../nowhere")
    (top / "to-directory").symlink_to("a")
    return top


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


def managed(source, target, *, noop=False, **values):
    """Run the resource once; return its event."""
    given = {"name": str(target), "ensure": "directory", "source": str(source), "recurse": True, **values}
    properties = TYPE.made(complete(TYPE, given))
    TYPE.validate(properties)
    return run_transaction(Resource(TYPE, properties), Context(noop=noop))


def snapshot(top):
    """Return all entries of a tree without times and owners."""
    found = {}
    for path in top.rglob("*"):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        mode = stat.S_IMODE(status.st_mode) if not path.is_symlink() else None
        found[os.path.relpath(path, top)] = (stat.S_IFMT(status.st_mode), mode, content)
    return found


def copied(source, target, **values):
    """Preview, run, and run again; return the message and the changed paths of the preview."""
    before = snapshot(target) if target.exists() else None
    preview = managed(source, target, noop=True, **values)
    assert (snapshot(target) if target.exists() else None) == before
    done = managed(source, target, **values)
    assert (preview.errors, done.errors) == ((), ())
    assert (preview.changed, done.changed) == (True, True)
    second = managed(source, target, **values)
    assert (second.errors, second.changed, second.status.stable) == ((), False, True)
    lists = [preview.status.metadata.get(name, []) for name in ("changed", "purged")]
    return preview.noop_message, *([os.path.relpath(path, target) for path in paths] for paths in lists)


def test_a_new_copy_is_like_its_source(source, target):
    message, changed, purged = copied(source, target)
    assert message == "Would have created directory, would have changed 11 entries"
    assert (changed, purged) == (sorted(snapshot(source)), [])
    assert snapshot(target) == snapshot(source)
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    for path in (target, *target.rglob("*")):
        assert (path.lstat().st_uid, path.lstat().st_gid) == RUNS


def content(path):
    path.write_text("other", encoding="utf-8")


def same_size(path):
    path.write_text("g\n", encoding="utf-8")


def mode(path):
    path.chmod(0o4711)


def gone(path):
    path.unlink()


def is_link(path):
    path.unlink()
    path.symlink_to("/etc/passwd")


@pytest.mark.parametrize("spoil", [content, same_size, mode, gone, is_link])
def test_a_file_that_differs_is_repaired(source, target, spoil):
    managed(source, target)
    passwd = os.stat("/etc/passwd")
    spoil(target / "a/f")
    message, changed, _purged = copied(source, target)
    assert (message, changed) == ("Would have changed 1 entry", ["a/f"])
    assert snapshot(target) == snapshot(source)
    assert os.stat("/etc/passwd") == passwd


@pytest.mark.parametrize("other", ["nothing", "a file", "another link"])
def test_a_link_that_differs_is_repaired(source, target, other):
    managed(source, target)
    (target / "link").unlink()
    if other == "a file":
        (target / "link").write_text("x", encoding="utf-8")
    elif other == "another link":
        (target / "link").symlink_to("elsewhere")
    assert copied(source, target)[1] == ["link"]
    assert snapshot(target) == snapshot(source)


def test_attributes_of_directories_are_repaired(source, target):
    managed(source, target)
    (target / "a").chmod(0o2700)
    assert copied(source, target)[1] == ["a"]
    assert stat.S_IMODE((target / "a").stat().st_mode) == 0o2755


def test_a_declared_mode_is_of_all_files(source, target):
    copied(source, target, mode="0640")
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in target.rglob("*") if not path.is_symlink()}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o640}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o750}
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def test_set_id_bits_of_a_source_are_not_copied(source, target):
    (source / "a/b/program").chmod(0o6755)
    managed(source, target)
    assert stat.S_IMODE((target / "a/b/program").stat().st_mode) == 0o755
    assert managed(source, target).changed is False


@pytest.mark.needs("root")
def test_owners_are_declared_or_kept(source, target):
    managed(source, target)
    os.chown(target / "a/f", OTHER, OTHER)
    os.chown(target / "link", OTHER, OTHER, follow_symlinks=False)
    assert managed(source, target).changed is False
    (source / "a/f").write_text("new", encoding="utf-8")
    managed(source, target)
    assert (target / "a/f").stat().st_uid == OTHER
    copied(source, target, owner="4243", group="4244")
    assert {(each.lstat().st_uid, each.lstat().st_gid) for each in (target, *target.rglob("*"))} == {(4243, 4244)}
    assert (source / "a/f").stat().st_uid == 0


def test_an_unknown_owner_is_an_error_of_the_run(source, target):
    managed(source, target)
    assert managed(source, target, noop=True, owner="nobody-knows").changed
    (error,) = managed(source, target, owner="nobody-knows").errors
    assert 'could not lookup user "nobody-knows"' in error


def test_other_entries_stay_without_purge_and_go_with_it(source, target):
    managed(source, target)
    (target / "more/below").mkdir(parents=True)
    (target / "more/below/f").write_text("x", encoding="utf-8")
    (target / "a/x").symlink_to("/etc")
    os.mkfifo(target / "pipe")
    assert managed(source, target).changed is False
    message, changed, purged = copied(source, target, purge=True)
    assert (message, changed, purged) == ("Would have changed 3 entries", [], ["a/x", "more", "pipe"])
    assert snapshot(target) == snapshot(source)
    assert os.path.exists("/etc/passwd")


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        (["*.tmp"], {"x.tmp", "more/y.tmp", "more", "a/z.tmp"}),
        (["more"], {"more", "more/y.tmp", "more/w", "more/deep", "more/deep/v"}),
        (["more/"], {"more", "more/y.tmp", "more/w", "more/deep", "more/deep/v"}),
        (["more/*.tmp"], {"more", "more/y.tmp"}),
        (["/more/deep"], {"more", "more/deep", "more/deep/v"}),
        (["[xz].tmp", "?"], {"x.tmp", "a/z.tmp", "a", "a/f", "more/w", "more", "more/deep/v", "more/deep"}),
        (["nothing"], set()),
    ],
)
def test_what_is_ignored_is_neither_copied_nor_purged(source, target, ignore, left):
    managed(source, target)
    (target / "more/deep").mkdir(parents=True)
    for name in ("x.tmp", "more/y.tmp", "more/w", "more/deep/v", "a/z.tmp"):
        (target / name).write_text("x", encoding="utf-8")
    (source / "new.tmp").write_text("x", encoding="utf-8")
    managed(source, target, purge=True, ignore=ignore)
    assert managed(source, target, purge=True, ignore=ignore).changed is False
    there = set(snapshot(target))
    assert left - there == set()
    assert {"x.tmp", "more", "more/y.tmp", "more/w", "more/deep/v", "a/z.tmp"} & there - left == set()
    assert ("new.tmp" in there) is ("*.tmp" not in ignore)


CONFLICTS = {
    "a directory for a file": ("secret", lambda path: (path / "x").mkdir(parents=True), "a directory", "a file"),
    "a directory for a link": ("link", lambda path: (path / "x").mkdir(parents=True), "a directory", "a link"),
    "a file for a directory": ("empty", lambda path: path.write_text("x", encoding="utf-8"), "a file", "a directory"),
    "a link for a directory": ("a", lambda path: path.symlink_to("/etc"), "a link", "a directory"),
    "a pipe for a file": ("secret", os.mkfifo, "a named pipe", "a file"),
    "a pipe for a link": ("link", os.mkfifo, "a named pipe", "a link"),
}


@pytest.mark.parametrize("conflict", CONFLICTS)
def test_what_is_in_the_way_is_replaced_with_purge_only(source, target, conflict):
    name, make, there, wanted = CONFLICTS[conflict]
    target.mkdir()
    make(target / name)
    for noop in (True, False):
        (error,) = managed(source, target, noop=noop).errors
        assert error.startswith(f"{target}/{name} exists as {there}; cannot replace it by {wanted}")
    assert os.listdir(target) == [name]
    copied(source, target, purge=True)
    assert snapshot(target) == snapshot(source)
    assert "f" not in os.listdir("/etc")


def test_a_link_in_the_target_is_never_followed(source, target, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    managed(source, target)
    (target / "more").symlink_to(outside)
    (outside / "keep").write_text("x", encoding="utf-8")
    managed(source, target, purge=True)
    assert os.listdir(outside) == ["keep"]
    assert not os.path.lexists(target / "more")


def test_a_directory_that_becomes_a_link_is_not_entered(source, target, tmp_path, monkeypatch):
    outside = tmp_path / "outside"
    outside.mkdir()
    managed(source, target)
    (source / "a/f").write_text("new", encoding="utf-8")
    original = tree_files.TreeFiles.state

    def swapped(self, path):
        found = original(self, path)
        if path == "a/f" and not (target / "a").is_symlink():
            (target / "a").rename(tmp_path / "moved")
            (target / "a").symlink_to(outside)
        return found

    monkeypatch.setattr(tree_files.TreeFiles, "state", swapped)
    (error,) = managed(source, target).errors
    assert "reached through a symbolic link" in error
    assert os.listdir(outside) == []


@pytest.mark.parametrize("kind", ["missing", "a file", "a pipe inside"])
def test_a_source_that_cannot_be_copied_is_refused(source, target, kind):
    if kind == "a pipe inside":
        os.mkfifo(source / "a/pipe")
        expected = f"{source}/a/pipe is a named pipe: a source holds files, directories and links"
    else:
        source = source / ("none" if kind == "missing" else "secret")
        expected = f"open {source}: " + ("no such file or directory" if kind == "missing" else "not a directory")
    for noop in (True, False):
        (error,) = managed(source, target, noop=noop).errors
        assert error.startswith(expected)
    assert not target.exists()


def test_a_pipe_that_is_ignored_does_not_matter(source, target):
    os.mkfifo(source / "pipe")
    managed(source, target, ignore=["pipe"])
    assert "pipe" not in os.listdir(target)


@pytest.mark.parametrize("where", ["the same", "source in it", "in the source", "behind a link"])
def test_neither_may_be_in_the_other(source, where, tmp_path):
    target = {"the same": source, "source in it": source.parent, "in the source": source / "a/new"}.get(where)
    if target is None:
        (tmp_path / "link").symlink_to(source)
        target = tmp_path / "link" / "new"
    before = snapshot(source)
    (error,) = managed(source, target).errors
    assert "must not be the same directory, nor one of them in the other" in error
    assert snapshot(source) == before


def test_a_source_that_vanishes_while_it_is_copied_is_an_error(source, target, monkeypatch):
    original = tree_files.TreeFiles.put_file

    def vanishing(self, path, wanted, **values):
        original(self, path, wanted, **values)
        (source / "secret").unlink(missing_ok=True)

    monkeypatch.setattr(tree_files.TreeFiles, "put_file", vanishing)
    assert managed(source, target).errors == [f"{source}/secret was removed or replaced while it was copied"]
    assert not [path for path in target.rglob("*") if ".ccm-" in path.name]


def test_a_source_that_changes_while_it_is_copied_is_an_error(source, target, monkeypatch):
    original = tree_files.TreeFiles.put_file

    def changing(self, path, wanted, **values):
        original(self, path, wanted, **values)
        (source / path).write_bytes(b"later")

    monkeypatch.setattr(tree_files.TreeFiles, "put_file", changing)
    (error,) = managed(source, target).errors
    assert "content mismatch: " in error


def test_a_full_disk_leaves_whole_files(source, target, monkeypatch):
    original = files.write_all

    def full(fd, chunk, path):
        if path.endswith("/secret"):
            raise files.SystemCallError("write", path, OSError(errno.ENOSPC, ""))
        original(fd, chunk, path)

    managed(source, target)
    (source / "secret").write_text("other", encoding="utf-8")
    (source / "a/f").write_text("other", encoding="utf-8")
    monkeypatch.setattr(files, "write_all", full)
    (error,) = managed(source, target).errors
    assert error == f"write {target}/secret: no space left on device"
    assert ((target / "secret").read_text(), (target / "a/f").read_text()) == ("s", "other")
    assert not [path for path in target.rglob("*") if ".ccm-" in path.name]


def test_a_file_in_the_place_of_the_directory_is_refused(source, target):
    target.write_text("x", encoding="utf-8")
    (error,) = managed(source, target, purge=True).errors
    assert error == f"mkdir {target}: not a directory"


@pytest.mark.needs("root")
def test_a_user_without_rights_gets_the_reason(source, target, as_unprivileged_user):
    as_unprivileged_user()
    (error,) = managed(source, target).errors
    assert "permission denied" in error


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"recurse": False, "purge": True}, "'purge' needs 'recurse: true'"),
        ({"recurse": False, "ignore": ["x"]}, "'ignore' needs 'recurse: true'"),
        ({"source": ""}, "'recurse: true' needs 'source', the directory to copy"),
        ({"ensure": "present"}, "'recurse: true' is only valid with 'ensure: directory', got 'ensure: present'"),
        ({"ignore": ["x", ""]}, "patterns of ignore cannot be empty"),
        ({"ignore": ["/"]}, "patterns of ignore cannot be empty"),
        ({"ignore": ["[a"]}, "ignore: syntax error in pattern: [a"),
    ],
)
def test_what_is_not_valid_for_a_tree_is_refused(source, target, values, message):
    with pytest.raises(InvalidResource) as caught:
        managed(values.pop("source", source), target, **values)
    assert caught.value.message == message


def test_a_tree_that_is_absent_needs_force(source, target):
    managed(source, target)
    (error,) = managed(source, target, ensure="absent").errors
    assert "directory is not empty" in error
    assert managed(source, target, ensure="absent", force=True).errors == ()
    assert not target.exists()


@pytest.mark.needs("mounts")
@pytest.mark.starts_processes
def test_nothing_is_changed_in_a_mount_below(source, target, mount):
    managed(source, target)
    mount("-t", "tmpfs", "none", target / "a/b")
    for noop in (True, False):
        (error,) = managed(source, target, noop=noop).errors
        assert error.startswith(f"cannot change {target}/a/b: ")
    assert os.listdir(target / "a/b") == []
    (target / "more/m").mkdir(parents=True)
    mount("-t", "tmpfs", "none", target / "more/m")
    (target / "more/m/keep").write_text("x", encoding="utf-8")
    for noop in (True, False):
        (error,) = managed(source, target, noop=noop, purge=True, ignore=["b"]).errors
        assert error.startswith(f"cannot remove {target}/more: ")
    assert (target / "more/m/keep").exists()


def test_a_deep_tree_is_copied(tmp_path, target):
    top = tmp_path / "deep"
    place = top
    for _level in range(60):
        place = place / "d"
    place.mkdir(parents=True)
    (place / "f").write_text("x", encoding="utf-8")
    copied(top, target)
    assert snapshot(target) == snapshot(top)


@pytest.mark.parametrize("noop", [False, True])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_source_of_a_file_that_is_a_directory_fails_with_what_to_do(tmp_path, is_there, noop):
    (tmp_path / "www").mkdir()
    if is_there:
        (tmp_path / "a").write_text("x", encoding="utf-8")
    properties = TYPE.made(complete(TYPE, {"name": str(tmp_path / "a"), "source": str(tmp_path / "www")}))
    event = run_transaction(Resource(TYPE, properties), Context(noop=noop))
    if noop and not is_there:  # as the original: a source is read when it is needed
        assert (event.errors, event.noop_message) == ((), "Would have created the file")
        return
    assert list(event.errors) == [f"read {tmp_path}/www: is a directory"]
    assert event.causes[0].property == "source"
    assert event.causes[0].advice == "with ensure: directory and recurse: true it is copied"
