# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries of archives that are refused: the messages."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile

import pytest
from ccm.host.archives.entry import ArchiveError
from ccm.host.archives.zip_directory import directory_records
from ccm.host.errors import HostError

from tests.unit.host.archives.test_unpack import unpack_into


def entry_of_tar(path, fields):
    info = tarfile.TarInfo("x")
    for field, value in fields.items():
        setattr(info, field, value)
    with tarfile.open(path, "w") as archive:
        archive.addfile(info)
    return str(path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": tarfile.CHRTYPE}, "it is a character device"),
        ({"type": tarfile.BLKTYPE}, "it is a block device"),
        ({"type": tarfile.FIFOTYPE}, "it is a named pipe"),
        ({"type": b"M"}, "it is continued from another volume"),
        ({"type": tarfile.LNKTYPE, "linkname": "../y"}, "it is a hard link to ../y, which leads out of the archive"),
        ({"type": tarfile.LNKTYPE, "linkname": "y"}, "it is a hard link to y, which did not come before it"),
        ({"uid": 2**33}, "no user or group can have its number"),
        ({"name": "a/" * 2000 + "x"}, "directories deep"),
        ({"name": "x" * 5000}, "its name is too long"),
        ({"name": "../x"}, "its name holds '..'"),
        ({"name": ".", "type": tarfile.REGTYPE}, "it would take the place of the directory itself"),
    ],
)
def test_entries_of_tars(tmp_path, fields, message):
    with pytest.raises(ArchiveError, match=message):
        unpack_into(entry_of_tar(tmp_path / "a", fields), tmp_path / "out")


def entry_of_zip(path, name="x", content="", mode=stat.S_IFREG | 0o644, flags=0, method=0):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, content)
    data = path.read_bytes()
    central = data.index(b"PK\x01\x02")
    for at in (6, central + 8):
        data = data[:at] + bytes([flags]) + data[at + 1 :]
    for at in (8, central + 10):
        data = data[:at] + bytes([method]) + data[at + 1 :]
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"flags": 1}, "it is encrypted"),
        ({"method": 9, "content": "x"}, "it is packed by method 9, which is not known here"),
        ({"mode": stat.S_IFLNK | 0o777, "content": "x" * 70000}, "it leads to a name that is too long"),
        ({"mode": stat.S_IFLNK | 0o777, "content": "x\0y"}, "it leads to what cannot be a name"),
        ({"name": "../x", "content": "x"}, "it leads out of the directory, and was unpacked inside"),
        ({"name": "/", "content": ""}, "it has no name"),
    ],
)
def test_entries_of_zips(tmp_path, fields, message):
    with pytest.raises(ArchiveError, match=message):
        unpack_into(entry_of_zip(tmp_path / "a", **fields), tmp_path / "out", "zip")


#: The memory of this process, which is empty at the beginning: a read there fails, for root as well.
UNREADABLE = "/proc/self/mem"


@pytest.mark.parametrize(("kind", "op"), [("tar", "unpack"), ("tar.gz", "read")])
def test_a_read_error_of_the_archive_is_reported(tmp_path, kind, op):
    with pytest.raises(HostError, match=f"^{op} {UNREADABLE}: input/output error$"):
        unpack_into(UNREADABLE, tmp_path / "out", kind)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_zip_with_data_beyond_the_largest_offset(tmp_path):
    zip64 = (1).to_bytes(2, "little") + (8).to_bytes(2, "little") + b"\xff" * 8
    info = zipfile.ZipInfo("x")
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr(info, "content")
        info.extra = zip64
    data = bytearray((tmp_path / "a").read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 42 : central + 46] = b"\xff" * 4
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(HostError, match=f"^read {tmp_path}/a: invalid argument$"):
        unpack_into(str(tmp_path / "a"), tmp_path / "out", "zip")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_zip_that_is_truncated_while_it_is_read(tmp_path):
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(8000):
            archive.writestr(f"{number:060d}", "")
    size = path.stat().st_size
    with open(path, "rb") as file, pytest.raises(ArchiveError, match=r"^unexpected end of the archive$"):
        for _record in directory_records(file.fileno(), size):
            os.truncate(path, size // 2)


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_archives_that_cannot_be_opened(tmp_path, kind):
    with pytest.raises(HostError, match=r"open .*: no such file or directory"):
        unpack_into(str(tmp_path / "none"), tmp_path / "out", kind)
