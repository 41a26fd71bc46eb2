# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests in archives: unpacked entries, refused entries, and a memory limit for hostile archives."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tracemalloc

import pytest
from ccm.host import tarballs
from ccm.host.errors import HostError

MIB = 1 << 20
ONLY = "only regular files and directories are supported"


def member(name, content=b"", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def packed(*members):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content.ljust(info.size)))
    return written.getvalue()


def unpacked(data, directory, sought=""):
    return tarballs.unpack(io.BytesIO(data), str(directory), sought)


def test_files_and_directories_are_unpacked(tmp_path):
    data = packed(
        member("./", type=tarfile.DIRTYPE, mode=0),
        member("a", type=tarfile.DIRTYPE, mode=0),
        member("a/x", b"first", mode=0),
        member("/b/c/x", b"second", mode=0o6777, uid=4711),
    )
    assert unpacked(data, tmp_path, "x") == "a/x"
    assert (tmp_path / "a/x").read_bytes() == b"first"
    assert (tmp_path / "b/c/x").read_bytes() == b"second"
    assert [os.stat(tmp_path / path).st_mode & 0o7777 for path in ("a/x", "b/c/x")] == [0o600, 0o755]
    assert os.stat(tmp_path / "b/c/x").st_uid == os.geteuid()


@pytest.mark.parametrize(("sought", "found"), [("a", ""), ("b", "a/b"), ("none", "")])
def test_only_a_file_is_a_manifest(tmp_path, sought, found):
    data = packed(member("a", type=tarfile.DIRTYPE), member("a/b"), member("b"))
    assert unpacked(data, tmp_path, sought) == found


def test_an_empty_archive(tmp_path):
    assert unpacked(packed(), tmp_path, "x") == unpacked(gzip.compress(b""), tmp_path, "x") == ""


@pytest.mark.parametrize(
    ("name", "fields", "cut", "message"),
    [
        ("x", {"type": tarfile.SYMTYPE}, 0, f"^{ONLY}: x: it is a symbolic link$"),
        ("x", {"type": tarfile.LNKTYPE}, 0, f"^{ONLY}: x: it is a hard link$"),
        ("x", {"type": tarfile.FIFOTYPE}, 0, f"^{ONLY}: x: it is a named pipe$"),
        ("../x", {}, 0, r"^invalid tar file detected: \.\./x: its name holds '\.\.'$"),
        ("x", {"size": 100000}, 60, "^invalid tar file detected: gzip: unexpected end of file$"),
        ("x" * 300, {}, 0, "^unpack x*: file name too long$"),
        ("a\0b", {"pax_headers": {"path": "a\0b"}}, 0, r"^invalid tar file detected: a\\x00b: its name holds a NUL$"),
        ("x", {"pax_headers": {"GNU.sparse.map": "a,b"}}, 0, "^invalid tar file detected: .* is not a number$"),
        (".", {}, 0, "^unpack .: it would take the place of the directory itself$"),
    ],
    ids=["link", "hard link", "pipe", "above", "cut", "long", "nul", "map", "itself"],
)
def test_refused_entries(tmp_path, name, fields, cut, message):
    data = packed(member(name, **fields))
    with pytest.raises(HostError, match=message):
        unpacked(data[: len(data) - cut], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<html>Log in</html>", "unzip failed: gzip: invalid header"),
        (gzip.compress(b"<html>" * 100), "invalid tar file detected: this does not look like a tar archive"),
    ],
    ids=["page", "packed page"],
)
def test_files_that_are_not_archives(tmp_path, data, message):
    with pytest.raises(HostError, match=f"^{message}$"):
        unpacked(data, tmp_path)


def test_a_missing_directory(tmp_path):
    with pytest.raises(HostError, match=f"^unpack {tmp_path}/none: no such file or directory$"):
        unpacked(packed(), tmp_path / "none")


TOO_MUCH = "^invalid tar file detected: it unpacks to more than a manifest can need$"


def test_an_archive_above_the_size_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(tarballs, "_LARGEST", MIB)
    assert unpacked(packed(member("x", size=MIB // 2)), tmp_path, "x") == "x"
    with pytest.raises(HostError, match=TOO_MUCH):
        unpacked(packed(member("y", size=2 * MIB)), tmp_path)
    assert os.listdir(tmp_path) == ["x"]


def test_an_archive_with_too_many_files_and_directories(tmp_path, monkeypatch):
    monkeypatch.setattr(tarballs, "_MOST_ENTRIES", 3)
    assert unpacked(packed(member("a/b/c")), tmp_path, "c") == "a/b/c"
    for names in (["d/e/f/g"], ["h", "i", "j", "k"]):
        with pytest.raises(HostError, match=TOO_MUCH):
            unpacked(packed(*map(member, names)), tmp_path)


def headers(kind, size):
    """Return an archive that begins with a header of `size` bytes, nearly all of them zeros."""
    info, _content = member("p", type=kind, size=size)
    return gzip.compress(info.tobuf() + bytes(min(size, 64 * MIB)), 1)


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K"])
def test_headers_need_little_memory(tmp_path, kind):
    data = headers(kind, 64 * MIB)
    tracemalloc.start()
    try:
        with pytest.raises(HostError, match=f"^invalid tar file detected: p: a header of {64 * MIB} bytes$"):
            unpacked(data, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()


def test_nested_headers_need_no_recursion(tmp_path):
    info, content = member("p", b"10 path=a\n", type=b"x")
    one = info.tobuf() + content.ljust(512, b"\0")
    assert unpacked(gzip.compress(one * 2000 + member("x")[0].tobuf() + bytes(1024)), tmp_path, "a") == "a"


def test_large_files_need_little_memory(tmp_path):
    data = packed(member("x", size=32 * MIB))
    tracemalloc.start()
    try:
        unpacked(data, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()
    assert os.stat(tmp_path / "x").st_size == 32 * MIB
