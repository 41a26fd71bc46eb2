# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes, owners and times of unpacked files are right in any directory, and set only where a file lacks them."""

from __future__ import annotations

import collections
import itertools
import os
import stat
import tarfile

import pytest

from tests.unit.attributes import ACL, DEFAULT_ACL, MASK, OTHER, acl, permissions
from tests.unit.host.archives.test_unpack import unpack_into

MODES = (0o644, 0o755, 0o600, 0o640, 0o444, 0o200, 0o000, 0o4755, 0o2755, 0o1644, 0o666)
IS_ROOT = os.geteuid() == 0
NEEDED = ("open", "utime", "close")
SPARED = ("chmod", "chown", "fstat", "lstat")
TIME = 1_000_000_000


def archive_of(path, files):
    """Write a tar of empty files (name, mode, uid, gid)."""
    with tarfile.open(path, "w") as archive:
        for name, mode, uid, gid in files:
            info = tarfile.TarInfo(name)
            info.mode, info.uid, info.gid, info.mtime = mode, uid, gid, TIME
            archive.addfile(info)
    return str(path)


def unpacked(directory):
    """Return mode, uid, gid and time of the files below a directory by their paths."""
    found = ((path.relative_to(directory), path.lstat()) for path in directory.rglob("*") if not path.is_dir())
    return {str(path): (one.st_mode & 0o7777, one.st_uid, one.st_gid, one.st_mtime) for path, one in found}


@pytest.fixture(params=[0o022, 0o077])
def umask(request):
    former = os.umask(request.param)
    yield request.param
    os.umask(former)


def test_files_beside_each_other_have_their_own_modes_and_owners(tmp_path, umask):
    """As root as in the archive; for another user the umask applies, and the special bits and owners do not."""
    owners = [(0, 0), (4711, 4712), (0, 4712), (4711, 0)] if IS_ROOT else [(os.geteuid(), os.getegid())]
    kinds = [kind for kind in itertools.product(MODES, owners) for _twice in range(2)]
    files = [
        (f"{directory}/{number}", mode, uid, gid)
        for directory in ("d", "e/f")
        for number, (mode, (uid, gid)) in enumerate(kinds + kinds[::-1])
    ]
    unpack_into(archive_of(tmp_path / "a", files), tmp_path / "out")
    bits = 0o7777 if IS_ROOT else 0o777 & ~umask
    assert unpacked(tmp_path / "out") == {name: (mode & bits, uid, gid, TIME) for name, mode, uid, gid in files}


@pytest.mark.needs("root")
def test_files_in_a_directory_that_gives_them_its_group_have_their_own(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    os.chown(out, 0, 4712)
    out.chmod(0o2755)
    files = [(f"{directory}f{number}", 0o644, 0, 0) for directory in ("", "d/") for number in range(3)]
    unpack_into(archive_of(tmp_path / "a", files), out)
    assert unpacked(out) == {name: (0o644, 0, 0, TIME) for name, *_rest in files}


@pytest.mark.needs("root")
def test_files_have_their_group_where_one_directory_of_many_gives_them_its_own(tmp_path, monkeypatch):
    mkdir = os.mkdir

    def mkdir_with_group(path, *arguments, **options):
        mkdir(path, *arguments, **options)
        if path == b"e":
            os.chown(path, 0, 4712, dir_fd=options["dir_fd"])
            os.chmod(path, 0o2700, dir_fd=options["dir_fd"])

    monkeypatch.setattr(os, "mkdir", mkdir_with_group)
    files = [(f"{directory}/f{number}", 0o644, 0, 0) for directory in "def" for number in range(3)]
    unpack_into(archive_of(tmp_path / "a", files), tmp_path / "out")
    assert unpacked(tmp_path / "out") == {name: (0o644, 0, 0, TIME) for name, *_rest in files}


def test_a_file_that_is_not_complete_is_not_set_id_and_can_be_written(tmp_path, monkeypatch):
    """By its owner: some file systems of networks look at the mode again when a file is written."""
    made, real = [], os.open

    def recorded(path, flags, mode=0o777, **options):
        if flags & os.O_CREAT and path != "spool":
            made.append(mode)
        return real(path, flags, mode, **options)

    monkeypatch.setattr(os, "open", recorded)
    files = [(f"{mode:o}", mode, os.geteuid(), os.getegid()) for mode in MODES]
    unpack_into(archive_of(tmp_path / "a", files), tmp_path / "out")
    assert len(made) == len(MODES)
    assert all(mode & ~0o177 == 0o600 for mode in made)


@pytest.mark.needs("acl")
def test_files_in_a_directory_with_an_access_control_list_have_their_modes(tmp_path):
    """The list limits the modes that files are made with."""
    out = tmp_path / "out"
    out.mkdir()
    os.setxattr(out, DEFAULT_ACL, acl(mask=4))
    files = [(f"{mode:o}", mode, os.geteuid(), os.getegid()) for mode in (0o644, 0o640, 0o664, 0o600)]
    unpack_into(archive_of(tmp_path / "a", files), out)
    umask = 0 if IS_ROOT else 0o022
    for name, mode, *_owner in files:
        wanted = mode & ~umask
        assert stat.S_IMODE((out / name).stat().st_mode) == wanted
        granted = permissions(os.getxattr(out / name, ACL))
        assert (granted[MASK], granted[OTHER]) == (wanted >> 3 & 7, wanted & 7)


@pytest.fixture
def calls(monkeypatch):
    """How often functions of `os` are called."""
    counts = collections.Counter()

    def count(name):
        real = getattr(os, name)

        def counted(*arguments, **options):
            counts[name] += 1
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, counted)

    for name in (*NEEDED, *SPARED):
        count(name)
    return counts


def test_files_that_are_made_with_their_mode_and_owner_need_no_more_calls(tmp_path, calls):
    """The first file of each kind and directory shows whether new files have the wanted attributes."""
    owner = os.geteuid(), os.getegid()
    files = [(f"d{number % 2}/f{number:03}", (0o644, 0o755)[number // 2 % 2], *owner) for number in range(200)]
    unpack_into(archive_of(tmp_path / "a", sorted(files)), tmp_path / "out")
    assert all(200 <= calls[name] < 240 for name in NEEDED), calls
    assert all(calls[name] < 30 for name in SPARED), calls


def test_hard_links_to_files_of_one_directory_open_it_once(tmp_path, calls):
    archive = archive_of(tmp_path / "a", [("d/e/f", 0o644, os.geteuid(), os.getegid())])
    with tarfile.open(archive, "a") as more:
        for number in range(200):
            info = tarfile.TarInfo(f"l/{number}")
            info.type, info.linkname = tarfile.LNKTYPE, "d/e/f"
            more.addfile(info)
    unpack_into(archive, tmp_path / "out")
    assert (tmp_path / "out/d/e/f").stat().st_nlink == 201
    assert all(calls[name] < 40 for name in (*NEEDED, *SPARED)), calls


@pytest.mark.needs("root")
def test_owners_of_many_users_are_right(tmp_path):
    """More than are kept for the next entry, then the first again."""
    files = [(f"d{number % 3}/{number}", 0o644, 4000 + number % 1200, 0) for number in range(2000)]
    unpack_into(archive_of(tmp_path / "a", files), tmp_path / "out")
    assert unpacked(tmp_path / "out") == {name: (mode, uid, gid, TIME) for name, mode, uid, gid in files}
