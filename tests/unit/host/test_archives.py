# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacking, seen from outside: whole or not at all, in place at once, nothing through a link, little memory."""

from __future__ import annotations

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
from ccm.host.looking import Reader
from ccm.host.machine import Machine


def tar(path, entries, packed=False):
    """A tar of (name, content), (name, None) for a directory, (name, ("link" or "hard", target))."""
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


def into(archive, directory, kind="tar", creates=""):
    told = []
    unpack(Reader(archive), kind, str(directory), str(creates) if creates else "", told.append, owners=Machine().owners)
    return told


def names(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def test_new_files_come_into_directories_that_are_there(tmp_path):
    out = tmp_path / "out"
    (out / "app/keep").mkdir(parents=True)
    (out / "app/old").write_text("old")
    into(tar(tmp_path / "a", [("app", None), ("app/old", "new"), ("app/more/x", "x")]), out)
    assert names(out) == ["app", "app/keep", "app/more", "app/more/x", "app/old"]
    assert (out / "app/old").read_text() == "new"
    assert (out / "app").stat().st_mode & 0o777 == 0o750
    assert (out / "app").stat().st_mtime == 1_000_000_000


def test_what_stands_in_the_way_is_named_and_the_rest_is_there(tmp_path):
    out = tmp_path / "out"
    (out / "full/x").mkdir(parents=True)
    with pytest.raises(ArchiveError, match=r"^full: it cannot be put in place: ") as caught:
        into(tar(tmp_path / "a", [("full", "a file"), ("other", "x")]), out)
    assert caught.value.code == 2
    assert names(out) == ["full", "full/x", "other"]


def test_a_file_that_is_on_the_way_stays(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "app").write_text("kept")
    with pytest.raises(ArchiveError, match=r"^app: it would be written through what is a file, app$"):
        into(tar(tmp_path / "a", [("app/x", "x"), ("y", "y")]), out)
    assert names(out) == ["app", "y"]
    assert (out / "app").read_text() == "kept"


def test_a_file_on_the_way_to_the_directory_is_said_as_the_system_says_it(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match=f"^mkdir {tmp_path}/file: not a directory$"):
        into(tar(tmp_path / "a", [("x", "x")]), tmp_path / "file/out")


@pytest.mark.parametrize("listed", [True, False])
def test_a_link_that_is_there_is_not_followed(tmp_path, listed):
    """As with tar, a directory of the archive takes its place; one that is only on the way does not."""
    out, outside = tmp_path / "out", tmp_path / "outside"
    out.mkdir()
    outside.mkdir()
    (out / "app").symlink_to(outside)
    archive = tar(tmp_path / "a", [*([("app", None)] if listed else []), ("app/x", "x")])
    if listed:
        into(archive, out)
        assert (out / "app/x").read_text() == "x"
        assert not (out / "app").is_symlink()
    else:
        with pytest.raises(ArchiveError, match="app: it would be written through the link app"):
            into(archive, out)
        assert (out / "app").is_symlink()
    assert names(outside) == []


def test_a_file_takes_the_place_of_a_link(tmp_path):
    out, secret = tmp_path / "out", tmp_path / "secret"
    out.mkdir()
    secret.write_text("secret")
    (out / "x").symlink_to(secret)
    into(tar(tmp_path / "a", [("x", "new")]), out)
    assert (secret.read_text(), (out / "x").read_text()) == ("secret", "new")


def test_what_creates_names_is_not_there_after_a_refusal(tmp_path):
    """Else the next run would take the archive for unpacked."""
    archive = tar(tmp_path / "a", [("app/bin/run", "x"), ("other", "x"), ("../evil", "x")])
    with pytest.raises(ArchiveError, match=r"\.\./evil: its name holds '\.\.'"):
        into(archive, tmp_path / "out", creates=tmp_path / "out/app/bin/run")
    assert names(tmp_path / "out") == ["other"]


def test_many_refusals_are_counted(tmp_path):
    archive = tar(tmp_path / "a", [(f"../{number}", "x") for number in range(8)])
    with pytest.raises(ArchiveError, match=r"; and 3 more$"):
        into(archive, tmp_path / "out")


@pytest.mark.parametrize("creates", ["out", "out/deep"])
def test_a_directory_that_creates_names_is_there_when_it_is_full(tmp_path, creates, monkeypatch):
    seen = []
    rename = os.rename

    def watched(*arguments, **options):
        seen.append((tmp_path / creates).exists())
        rename(*arguments, **options)

    monkeypatch.setattr(os, "rename", watched)
    into(tar(tmp_path / "a", [("x", "x"), ("y/z", "x")]), tmp_path / "out/deep", creates=tmp_path / creates)
    assert seen == [False]
    assert names(tmp_path / "out/deep") == ["x", "y", "y/z"]


def test_what_creates_names_comes_last(tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    moved = []
    rename = os.rename

    def watched(source, target, **options):
        moved.append(os.fsdecode(target))
        rename(source, target, **options)

    monkeypatch.setattr(os, "rename", watched)
    entries = [("current", ("link", "app-1")), ("a", "x"), ("app-1/run", "x"), ("z", "x")]
    into(tar(tmp_path / "a", entries), out, creates=out / "current/run")
    assert moved[-1] == "current"
    assert (out / "current/run").exists()


def test_another_file_system_gets_whole_files_too(tmp_path, other_file_systems):
    out = tmp_path / "out"
    (out / "mount").mkdir(parents=True)
    entries = [("mount/d", None), ("mount/d/x", "x"), ("mount/l", ("link", "d")), ("mount/d/y", "y" * 600_000)]
    into(tar(tmp_path / "a", entries), out)
    assert names(out) == ["mount", "mount/d", "mount/d/x", "mount/d/y", "mount/l"]
    assert (out / "mount/d").stat().st_mtime == 1_000_000_000
    assert (out / "mount/d/y").stat().st_size == 600_000


def left(directory, name, inside="", mode=0o700):
    """What a run that was killed while it unpacked leaves, or something like it; its path."""
    path = directory / f".ccm-unpacking-{name}"
    (path / (inside or f"unpacking-{name}") / "part").mkdir(parents=True)
    path.chmod(mode)
    return path


def test_what_killed_runs_left_is_removed_and_what_others_unpack_is_not(tmp_path):
    out = tmp_path / "out"
    for name in ("left", "used"):
        left(out, name)
    (out / ".ccm-unpacking-empty").mkdir(mode=0o700)
    used = os.open(out / ".ccm-unpacking-used", os.O_RDONLY)
    fcntl.flock(used, fcntl.LOCK_EX)
    into(tar(tmp_path / "a", [("x", "x")]), out)
    os.close(used)
    assert sorted(path.name for path in out.iterdir()) == [".ccm-unpacking-used", "x"]


@pytest.mark.needs("root")
def test_no_tree_is_removed_that_a_user_gave_such_a_name(tmp_path):
    """A user may rename a directory of root, but neither look into a closed one nor put anything there."""
    out = tmp_path / "out"
    trees = [
        left(out, "tree", inside="etc"),
        left(out, "other", inside="unpacking-left"),
        left(out, "writable", mode=0o770),
        left(out, "foreign"),
    ]
    (out / ".ccm-unpacking-two/unpacking-two").mkdir(parents=True, mode=0o700)
    (out / ".ccm-unpacking-two/etc").mkdir()
    os.chown(trees[-1], 54321, 0)
    elsewhere = left(tmp_path / "elsewhere", "link")
    (out / ".ccm-unpacking-link").symlink_to(elsewhere)
    (out / ".ccm-unpacking-file").write_text("kept")
    before = names(tmp_path)
    into(tar(tmp_path / "a", [("x", "x")]), out)
    assert names(tmp_path) == sorted([*before, "a", "out/x"])


@pytest.mark.parametrize("swap", ["at first", "at last"])
def test_a_directory_that_a_user_puts_in_the_place_of_the_hidden_one_stays(tmp_path, monkeypatch, swap):
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
            into(archive, out)
    else:
        into(archive, out)
    assert (out / "x").exists()
    assert [path.name for path in out.glob(".ccm-unpacking-*/*")] == ["deep"]


def test_what_was_killed_while_it_was_carried_to_another_file_system_is_removed(tmp_path, other_file_systems):
    (tmp_path / "out/mount").mkdir(parents=True)
    left(tmp_path / "out/mount", "left")
    into(tar(tmp_path / "a", [("mount/x", "x"), ("mount/y", "y")]), tmp_path / "out")
    assert names(tmp_path / "out") == ["mount", "mount/x", "mount/y"]


@pytest.mark.parametrize(
    ("kind", "data", "code", "text"),
    [
        ("tar", b"junk\n", 2, "does not look like a tar"),
        ("tar.gz", b"junk\n", 2, "not in gzip format"),
        ("tar.gz", gzip.compress(b"junk" * 1000, mtime=0), 2, "does not look like a tar"),
        ("zip", b"junk\n", 9, "it is no zip"),
        ("zip", b"", 9, "it is no zip"),
    ],
)
def test_what_is_no_archive_leaves_nothing(tmp_path, kind, data, code, text):
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ArchiveError, match=text) as caught:
        into(str(tmp_path / "a"), tmp_path / "out", kind)
    assert caught.value.code == code
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_what_is_damaged_anywhere_leaves_nothing_or_all(tmp_path, kind):
    """Every byte that matters is looked at; whatever breaks, no part of it stays."""
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
            into(str(tmp_path / "b"), out, kind)
        except ArchiveError as error:
            refused_one = any(
                name in str(error) for name in ("method", "encrypted", "device", "name", "number", "link")
            )
            assert names(out) == [] or refused_one, (at, str(error), names(out))
    for size in range(0, len(whole), 97):
        (tmp_path / "b").write_bytes(whole[:size])
        try:
            into(str(tmp_path / "b"), tmp_path / f"cut{size}", kind)
        except ArchiveError:
            assert names(tmp_path / f"cut{size}") == []


@pytest.mark.needs("root")
@pytest.mark.usefixtures("renaming_gives_away")
def test_what_is_unpacked_keeps_its_owner_where_renaming_gives_it_away(tmp_path):
    with tarfile.open(tmp_path / "a", "w") as archive:
        for name, kind, mode in (("d", tarfile.DIRTYPE, 0o2755), ("f", tarfile.REGTYPE, 0o4755)):
            info = tarfile.TarInfo(name)
            info.type, info.mode, info.uid, info.gid = kind, mode, 4711, 4712
            archive.addfile(info)
        info = tarfile.TarInfo("l")
        info.type, info.linkname, info.uid, info.gid = tarfile.SYMTYPE, "f", 4711, 4712
        archive.addfile(info)
    out = tmp_path / "out"
    into(str(tmp_path / "a"), out)
    found = {name: os.lstat(out / name) for name in ("d", "f", "l")}
    assert {(one.st_uid, one.st_gid) for one in found.values()} == {(4711, 4712)}
    assert (found["d"].st_mode & 0o7777, found["f"].st_mode & 0o7777) == (0o2755, 0o4755)
