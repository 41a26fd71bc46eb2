# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacking: complete or not at all, atomic, without following links, with little memory."""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import os
import tarfile
import zipfile

import pytest
from ccm.host.archives.entry import ArchiveError
from ccm.host.archives.unpack import unpack
from ccm.host.errors import HostError
from ccm.host.machine import Machine
from ccm.host.reading import Reader


def tar(path, entries, packed=False):
    """Write a tar of (name, content), (name, None) for a directory, (name, ("link" or "hard", target))."""
    with tarfile.open(path, "w:gz" if packed else "w") as archive:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            info.mtime = 1_000_000_000
            data = b""
            if content is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o750
            elif isinstance(content, tuple):
                info.type = tarfile.SYMTYPE if content[0] == "link" else tarfile.LNKTYPE
                info.linkname = content[1]
            else:
                data = content.encode()
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(path)


def unpack_into(archive, directory, kind="tar", creates=""):
    messages = []
    unpack(
        Reader(archive), kind, str(directory), str(creates) if creates else "", messages.append, owners=Machine().owners
    )
    return messages


def names(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def test_new_files_are_added_to_existing_directories(tmp_path):
    out = tmp_path / "out"
    (out / "app/keep").mkdir(parents=True)
    (out / "app/old").write_text("old")
    unpack_into(tar(tmp_path / "a", [("app", None), ("app/old", "new"), ("app/more/x", "x")]), out)
    assert names(out) == ["app", "app/keep", "app/more", "app/more/x", "app/old"]
    assert (out / "app/old").read_text() == "new"
    assert (out / "app").stat().st_mode & 0o777 == 0o750
    assert (out / "app").stat().st_mtime == 1_000_000_000


def test_an_obstacle_is_named_and_the_others_are_unpacked(tmp_path):
    out = tmp_path / "out"
    (out / "full/x").mkdir(parents=True)
    with pytest.raises(ArchiveError, match=r"^full: it cannot be put in place: ") as caught:
        unpack_into(tar(tmp_path / "a", [("full", "a file"), ("other", "x")]), out)
    assert caught.value.code == 2
    assert names(out) == ["full", "full/x", "other"]


def test_a_file_in_place_of_a_parent_directory_stays(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "app").write_text("kept")
    with pytest.raises(ArchiveError, match=r"^app: it would be written through what is a file, app$"):
        unpack_into(tar(tmp_path / "a", [("app/x", "x"), ("y", "y")]), out)
    assert names(out) == ["app", "y"]
    assert (out / "app").read_text() == "kept"


def test_a_file_on_the_path_to_the_directory_is_a_system_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match=f"^mkdir {tmp_path}/file: not a directory$"):
        unpack_into(tar(tmp_path / "a", [("x", "x")]), tmp_path / "file/out")


@pytest.mark.parametrize("listed", [True, False])
def test_an_existing_link_is_not_followed(tmp_path, listed):
    """Like with tar, a directory of the archive replaces it; a directory that is only part of a path does not."""
    out, outside = tmp_path / "out", tmp_path / "outside"
    out.mkdir()
    outside.mkdir()
    (out / "app").symlink_to(outside)
    archive = tar(tmp_path / "a", [*([("app", None)] if listed else []), ("app/x", "x")])
    if listed:
        unpack_into(archive, out)
        assert (out / "app/x").read_text() == "x"
        assert not (out / "app").is_symlink()
    else:
        with pytest.raises(ArchiveError, match="app: it would be written through the link app"):
            unpack_into(archive, out)
        assert (out / "app").is_symlink()
    assert names(outside) == []


def test_a_file_replaces_a_link(tmp_path):
    out, secret = tmp_path / "out", tmp_path / "secret"
    out.mkdir()
    secret.write_text("secret")
    (out / "x").symlink_to(secret)
    unpack_into(tar(tmp_path / "a", [("x", "new")]), out)
    assert (secret.read_text(), (out / "x").read_text()) == ("secret", "new")


def test_the_path_of_creates_does_not_exist_after_a_refusal(tmp_path):
    """Otherwise the next run would treat the archive as unpacked."""
    archive = tar(tmp_path / "a", [("app/bin/run", "x"), ("other", "x"), ("../evil", "x")])
    with pytest.raises(ArchiveError, match=r"\.\./evil: its name holds '\.\.'"):
        unpack_into(archive, tmp_path / "out", creates=tmp_path / "out/app/bin/run")
    assert names(tmp_path / "out") == ["other"]


def test_many_refusals_are_counted(tmp_path):
    archive = tar(tmp_path / "a", [(f"../{number}", "x") for number in range(8)])
    with pytest.raises(ArchiveError, match=r"; and 3 more$"):
        unpack_into(archive, tmp_path / "out")


@pytest.mark.parametrize("creates", ["out", "out/deep"])
def test_a_directory_named_by_creates_appears_when_it_is_complete(tmp_path, creates, monkeypatch):
    found = []
    rename = os.rename

    def recorded_writes(*arguments, **options):
        found.append((tmp_path / creates).exists())
        rename(*arguments, **options)

    monkeypatch.setattr(os, "rename", recorded_writes)
    unpack_into(tar(tmp_path / "a", [("x", "x"), ("y/z", "x")]), tmp_path / "out/deep", creates=tmp_path / creates)
    assert found == [False]
    assert names(tmp_path / "out/deep") == ["x", "y", "y/z"]


def test_the_path_of_creates_appears_last(tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    moved = []
    rename = os.rename

    def recorded_writes(source, target, **options):
        moved.append(os.fsdecode(target))
        rename(source, target, **options)

    monkeypatch.setattr(os, "rename", recorded_writes)
    entries = [("current", ("link", "app-1")), ("a", "x"), ("app-1/run", "x"), ("z", "x")]
    unpack_into(tar(tmp_path / "a", entries), out, creates=out / "current/run")
    assert moved[-1] == "current"
    assert (out / "current/run").exists()


def test_files_are_complete_on_another_file_system(tmp_path, separate_file_systems):
    out = tmp_path / "out"
    (out / "mount").mkdir(parents=True)
    entries = [("mount/d", None), ("mount/d/x", "x"), ("mount/l", ("link", "d")), ("mount/d/y", "y" * 600_000)]
    unpack_into(tar(tmp_path / "a", entries), out)
    assert names(out) == ["mount", "mount/d", "mount/d/x", "mount/d/y", "mount/l"]
    assert (out / "mount/d").stat().st_mtime == 1_000_000_000
    assert (out / "mount/d/y").stat().st_size == 600_000


@pytest.fixture
def short_writes(monkeypatch):
    """The system writes only a part of what it is given."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[: len(data) // 2 + 1]))


def test_files_are_complete_after_short_writes(tmp_path, short_writes):
    content = "0123456789" * 1000
    unpack_into(tar(tmp_path / "a", [("x", content)]), tmp_path / "out")
    assert (tmp_path / "out/x").read_text() == content


def test_copied_files_are_complete_after_short_writes(tmp_path, short_writes, separate_file_systems):
    (tmp_path / "out/mount").mkdir(parents=True)
    content = "0123456789" * 60_000
    unpack_into(tar(tmp_path / "a", [("mount/x", content)]), tmp_path / "out")
    assert (tmp_path / "out/mount/x").read_text() == content


@pytest.mark.parametrize("creates", ["", "out", "out/g/e"])
@pytest.mark.parametrize(("point", "entry"), [("g/e", "x"), ("g", "x"), ("g/e", None), ("\xe9 g/e", "x")])
def test_what_would_replace_a_mount_is_refused_before_anything_is_put_in_place(
    tmp_path, listed_mounts, point, entry, creates
):
    place = tmp_path / "out" / point
    place.parent.mkdir(parents=True)
    if point == "g":
        place.mkdir()
    else:
        place.write_text("mounted")
    before = names(tmp_path / "out")
    archive = tar(tmp_path / "a", [("a", "x"), (point, entry), ("z", "x")])
    listed_mounts(tmp_path / "out", place)
    (tmp_path / "link").symlink_to("out")
    for directory in (tmp_path / "out", tmp_path / "link"):
        with pytest.raises(ArchiveError) as caught:
            unpack_into(archive, directory, creates=creates and tmp_path / creates)
        assert str(caught.value) == (
            f"{point}: it cannot be put in place: /at3 of /dev/b (ext4) is mounted on {place}; unmount it first"
        )
        assert (caught.value.code, names(tmp_path / "out")) == (2, before)


def test_an_archive_that_touches_no_mount_is_unpacked_beside_and_into_mounts(tmp_path, listed_mounts):
    (tmp_path / "out/g/deep").mkdir(parents=True)
    (tmp_path / "out/other").write_text("mounted")
    listed_mounts(*(tmp_path / name for name in ("out", "out/g", "out/g/deep", "out/other", "out/none/g", "out2")))
    unpack_into(tar(tmp_path / "a", [("g", None), ("g/x", "x"), ("none", "x")]), tmp_path / "out")
    assert names(tmp_path / "out") == ["g", "g/deep", "g/x", "none", "other"]


def test_a_mount_that_appears_while_files_are_put_in_place_is_named(tmp_path, listed_mounts, monkeypatch):
    out, rename = tmp_path / "out", os.rename
    (out / "g").mkdir(parents=True)

    def mount_and_rename(source, target, **options):
        if target == b"e":
            listed_mounts(out / "g/e")
            raise OSError(errno.EBUSY, "")
        rename(source, target, **options)

    monkeypatch.setattr(os, "rename", mount_and_rename)
    with pytest.raises(
        ArchiveError, match=f"^g/e: .*: /at2 of /dev/b .ext4. is mounted on {out}/g/e; unmount it first$"
    ):
        unpack_into(tar(tmp_path / "a", [("g/e", "x"), ("z", "x")]), out)
    assert names(out) == ["g", "z"]


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
def test_a_file_that_is_mounted_stays(tmp_path, mount):
    out = tmp_path / "out"
    (out / "g").mkdir(parents=True)
    for path in (out / "g/e", tmp_path / "precious"):
        path.write_text("old")
    mount("--bind", tmp_path / "precious", out / "g/e")
    with pytest.raises(ArchiveError, match=f"^g/e: .* is mounted on {out}/g/e; unmount it first$"):
        unpack_into(tar(tmp_path / "a", [("a", "x"), ("g/e", "new")]), out)
    assert (names(out), (tmp_path / "precious").read_text()) == (["g", "g/e"], "old")


def leave_hidden_directory(directory, name, inside="", mode=0o700):
    """Create a hidden directory as a killed run leaves it; return its path."""
    path = directory / f".ccm-unpacking-{name}"
    (path / (inside or f"unpacking-{name}") / "part").mkdir(parents=True)
    path.chmod(mode)
    return path


def test_hidden_directories_of_killed_runs_are_removed_and_those_of_active_runs_are_not(tmp_path):
    out = tmp_path / "out"
    for name in ("leave_hidden_directory", "used"):
        leave_hidden_directory(out, name)
    (out / ".ccm-unpacking-empty").mkdir(mode=0o700)
    used = os.open(out / ".ccm-unpacking-used", os.O_RDONLY)
    fcntl.flock(used, fcntl.LOCK_EX)
    unpack_into(tar(tmp_path / "a", [("x", "x")]), out)
    os.close(used)
    assert sorted(path.name for path in out.iterdir()) == [".ccm-unpacking-used", "x"]


@pytest.mark.needs("root")
def test_a_tree_of_a_user_with_a_hidden_name_is_not_removed(tmp_path):
    """A user can rename a directory of root, but cannot read a closed one or create files in it."""
    out = tmp_path / "out"
    trees = [
        leave_hidden_directory(out, "tree", inside="etc"),
        leave_hidden_directory(out, "other", inside="unpacking-left"),
        leave_hidden_directory(out, "writable", mode=0o770),
        leave_hidden_directory(out, "foreign"),
    ]
    (out / ".ccm-unpacking-two/unpacking-two").mkdir(parents=True, mode=0o700)
    (out / ".ccm-unpacking-two/etc").mkdir()
    os.chown(trees[-1], 54321, 0)
    elsewhere = leave_hidden_directory(tmp_path / "elsewhere", "link")
    (out / ".ccm-unpacking-link").symlink_to(elsewhere)
    (out / ".ccm-unpacking-file").write_text("kept")
    before = names(tmp_path)
    unpack_into(tar(tmp_path / "a", [("x", "x")]), out)
    assert names(tmp_path) == sorted([*before, "a", "out/x"])


@pytest.mark.parametrize("swap", ["at first", "at last"])
def test_a_directory_that_replaces_the_hidden_one_is_not_removed(tmp_path, monkeypatch, swap):
    """Once before it is opened, once before it is removed."""
    out = tmp_path / "out"
    (out / "precious/deep").mkdir(parents=True)
    real = {"at first": os.open, "at last": os.rmdir}[swap]

    def act(path, *arguments, **options):
        if str(path).startswith(".ccm-unpacking-") and (out / "precious").exists():
            (out / path).rename(out / "moved")
            (out / "precious").rename(out / path)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, real.__name__, act)
    archive = tar(tmp_path / "a", [("x", "x")])
    if swap == "at last":
        with pytest.raises(HostError, match=r"^unlinkat .*: directory not empty$"):
            unpack_into(archive, out)
    else:
        unpack_into(archive, out)
    assert (out / "x").exists()
    assert [path.name for path in out.glob(".ccm-unpacking-*/*")] == ["deep"]


def test_hidden_files_of_a_killed_move_to_another_file_system_are_removed(tmp_path, separate_file_systems):
    (tmp_path / "out/mount").mkdir(parents=True)
    leave_hidden_directory(tmp_path / "out/mount", "leave_hidden_directory")
    unpack_into(tar(tmp_path / "a", [("mount/x", "x"), ("mount/y", "y")]), tmp_path / "out")
    assert names(tmp_path / "out") == ["mount", "mount/x", "mount/y"]


@pytest.mark.parametrize(
    ("kind", "data", "code", "text"),
    [
        ("tar", b"junk\n", 2, "does not look like a tar"),
        ("tar.gz", b"junk\n", 2, "not in gzip format"),
        ("tar.gz", gzip.compress(b"junk" * 1000, mtime=0), 2, "does not look like a tar"),
        ("zip", b"junk\n", 9, "it is not a zip archive"),
        ("zip", b"", 9, "it is not a zip archive"),
    ],
)
def test_a_file_that_is_not_an_archive_leaves_no_file(tmp_path, kind, data, code, text):
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ArchiveError, match=text) as caught:
        unpack_into(str(tmp_path / "a"), tmp_path / "out", kind)
    assert caught.value.code == code
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_a_damaged_archive_leaves_no_file_or_all_files(tmp_path, kind):
    """Each relevant byte is changed; for each change, no partial result stays."""
    path = tmp_path / "a"
    entries = [("d/x", "hello " * 300), ("y", "world")]
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)
    else:
        tar(path, entries, packed=kind == "tar.gz")
    whole = path.read_bytes()
    for at in range(0, min(len(whole), 4000), 7):
        (tmp_path / "b").write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        out = tmp_path / f"out{at}"
        try:
            unpack_into(str(tmp_path / "b"), out, kind)
        except ArchiveError as error:
            refused_one = any(
                name in str(error) for name in ("method", "encrypted", "device", "name", "number", "link")
            )
            assert names(out) == [] or refused_one, (at, str(error), names(out))
    for size in range(0, len(whole), 97):
        (tmp_path / "b").write_bytes(whole[:size])
        try:
            unpack_into(str(tmp_path / "b"), tmp_path / f"cut{size}", kind)
        except ArchiveError:
            assert names(tmp_path / f"cut{size}") == []


@pytest.mark.needs("root")
@pytest.mark.usefixtures("rename_changes_owner")
def test_unpacked_files_keep_their_owner_where_a_rename_changes_it(tmp_path):
    with tarfile.open(tmp_path / "a", "w") as archive:
        for name, kind, mode in (("d", tarfile.DIRTYPE, 0o2755), ("f", tarfile.REGTYPE, 0o4755)):
            info = tarfile.TarInfo(name)
            info.type, info.mode, info.uid, info.gid = kind, mode, 4711, 4712
            archive.addfile(info)
        info = tarfile.TarInfo("l")
        info.type, info.linkname, info.uid, info.gid = tarfile.SYMTYPE, "f", 4711, 4712
        archive.addfile(info)
    out = tmp_path / "out"
    unpack_into(str(tmp_path / "a"), out)
    found = {name: os.lstat(out / name) for name in ("d", "f", "l")}
    assert {(one.st_uid, one.st_gid) for one in found.values()} == {(4711, 4712)}
    assert (found["d"].st_mode & 0o7777, found["f"].st_mode & 0o7777) == (0o2755, 0o4755)
