# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tars in each format that they are packed in: read and checked to the end, within the limits (decisions.md Q89)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import re
import subprocess
import sys
import tarfile
import types
import zlib

import pytest
from ccm.host import tarballs
from ccm.host.archives import limits
from ccm.host.archives.entry import ArchiveError
from ccm.host.errors import HostError

from tests.unit.host.archives.test_unpack import names, tar, unpack_into

PACK = {"tar.gz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress}
KINDS = sorted(PACK)
MAGIC = b"\x28\xb5\x2f\xfd"


def content(path):
    """Return a tar with a file that cannot be packed smaller, and with more after its end."""
    data = random.Random(1).randbytes(2000).hex()
    with open(tar(path, [("d/x", data), ("y", "world")]), "rb") as archive:
        return archive.read()


@pytest.mark.parametrize("named", [True, False], ids=["by its name", "as .tar"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_format_is_unpacked(tmp_path, kind, named):
    (tmp_path / "b").write_bytes(PACK[kind](content(tmp_path / "a")))
    unpack_into(str(tmp_path / "b"), tmp_path / "out", kind if named else "tar")
    assert names(tmp_path / "out") == ["d", "d/x", "y"]


def test_a_tar_whose_first_name_looks_like_a_format_is_a_tar(tmp_path):
    unpack_into(tar(tmp_path / "a", [("BZh", "x")]), tmp_path / "out")
    assert names(tmp_path / "out") == ["BZh"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_without_its_last_bytes_is_refused(tmp_path, kind):
    """All of the tar is before them: only the checksum is missing."""
    whole = PACK[kind](content(tmp_path / "a"))
    name = {"tar.gz": "gzip", "tar.bz2": "bzip2", "tar.xz": "xz"}[kind]
    for missing in range(1, 13):
        (tmp_path / "b").write_bytes(whole[:-missing])
        with pytest.raises(ArchiveError, match=f"^{name}: unexpected end of file$") as caught:
            unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)
        assert caught.value.code == 2
        assert names(tmp_path / "out") == []


@pytest.mark.parametrize("after", [b"", b"\0" * 600, b"more"], ids=["nothing", "zeros", "text"])
def test_a_wrong_checksum_is_refused_whatever_follows_the_tar(tmp_path, after):
    data = bytearray(gzip.compress(content(tmp_path / "a") + after, mtime=0))
    data[-8] ^= 1
    (tmp_path / "b").write_bytes(data)
    with pytest.raises(ArchiveError, match=r"^gzip: the packed data is damaged$"):
        unpack_into(str(tmp_path / "b"), tmp_path / "out", "tar.gz")
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize(("after", "accepted"), [(b"", True), (b"\0" * 512, True), (b"more", False)])
@pytest.mark.parametrize("kind", KINDS)
def test_what_follows_the_packed_data(tmp_path, kind, after, accepted):
    """Like with tar and the program of each format; bzip2 ignores other data."""
    (tmp_path / "b").write_bytes(PACK[kind](content(tmp_path / "a")) + after)
    if accepted or kind == "tar.bz2":
        unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)
        assert names(tmp_path / "out") == ["d", "d/x", "y"]
    else:
        with pytest.raises(ArchiveError, match=r": other data follow the packed data$"):
            unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)
        assert names(tmp_path / "out") == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_tar_in_several_streams(tmp_path, kind):
    whole = content(tmp_path / "a")
    (tmp_path / "b").write_bytes(PACK[kind](whole[:700]) + PACK[kind](whole[700:]))
    unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)
    assert names(tmp_path / "out") == ["d", "d/x", "y"]


@pytest.mark.parametrize("kind", [*KINDS, "tar.zst"])
def test_a_file_in_another_format_is_named(tmp_path, kind):
    (tmp_path / "b").write_bytes(b"<html>Log in</html>")
    with pytest.raises(ArchiveError, match=r"^(gzip|bzip2|xz|zstd): stdin: not in \1 format$"):
        unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["within an entry", "after the end"])
def test_a_bomb_in_each_format_leaves_no_file(tmp_path, monkeypatch, kind, place):
    monkeypatch.setattr(limits, "ALWAYS", 1 << 20)
    monkeypatch.setattr(limits, "TIMES", 0)
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        info = tarfile.TarInfo("bomb")
        info.size = 3 << 20 if place == "within an entry" else 0
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    (tmp_path / "b").write_bytes(PACK[kind](written.getvalue() + bytes(3 << 20)))
    with pytest.raises(ArchiveError, match=r"^bomb: the archive unpacks to more than 0 times its size$"):
        unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)
    assert names(tmp_path / "out") == []


def test_xz_that_needs_too_much_memory_is_refused(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 20}]
    data = bytearray(lzma.compress(content(tmp_path / "a"), filters=filters))
    # The dictionary that the header of the first block announces: 2 GiB.
    assert data[16] == 16
    data[16] = 38
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    (tmp_path / "b").write_bytes(data)
    with pytest.raises(ArchiveError, match=r"^xz: the packed data needs too much memory$"):
        unpack_into(str(tmp_path / "b"), tmp_path / "out", "tar.xz")


@pytest.mark.parametrize(("kind", "format", "module"), [("tar.bz2", "bzip2", "bz2"), ("tar.xz", "xz", "lzma")])
def test_a_python_without_the_module_says_so_in_one_sentence(tmp_path, monkeypatch, kind, format, module):
    (tmp_path / "b").write_bytes(PACK[kind](content(tmp_path / "a")))
    monkeypatch.setitem(sys.modules, module, None)
    text = f"^{format}: the Python that runs ccm has no module {module}, which is needed to unpack it$"
    for given in (kind, "tar"):
        with pytest.raises(ArchiveError, match=text):
            unpack_into(str(tmp_path / "b"), tmp_path / "out", given)
        assert names(tmp_path / "out") == []


@pytest.mark.parametrize(
    "tail",
    [b"", b"\0" * 100, b"\0" * 512, b"\0" * 612, b"\0" * 512 + b"junk", b"\0" * 512 + b"junk" * 400],
    ids=["none", "short", "one", "one and a half", "short junk", "junk"],
)
def test_a_tar_ends_at_its_first_block_of_zeros(tmp_path, tail):
    whole = content(tmp_path / "a")
    end = whole.rindex(b"world") + 512
    (tmp_path / "b").write_bytes(whole[:end] + tail)
    unpack_into(str(tmp_path / "b"), tmp_path / "out")
    assert names(tmp_path / "out") == ["d", "d/x", "y"]


@pytest.mark.parametrize("size", [0, 1, 511, 512, 600, 1024, 10240])
def test_a_tar_without_entries_has_a_whole_block_unless_it_is_packed(tmp_path, size):
    """As with GNU tar."""
    (tmp_path / "a").write_bytes(bytes(size))
    if size < 512:
        with pytest.raises(ArchiveError, match=r"^this does not look like a tar archive$") as caught:
            unpack_into(str(tmp_path / "a"), tmp_path / "out")
        assert caught.value.code == 2
    else:
        unpack_into(str(tmp_path / "a"), tmp_path / "out")
    for kind in KINDS:
        (tmp_path / "b").write_bytes(PACK[kind](bytes(size)))
        for given in (kind, "tar"):
            unpack_into(str(tmp_path / "b"), tmp_path / "out", given)
    assert names(tmp_path / "out") == []


def test_a_tar_that_ends_within_a_header_is_damaged(tmp_path):
    whole = content(tmp_path / "a")
    (tmp_path / "b").write_bytes(whole[: whole.rindex(b"world") - 200])
    with pytest.raises(ArchiveError, match=r"^the archive is damaged$"):
        unpack_into(str(tmp_path / "b"), tmp_path / "out")
    assert names(tmp_path / "out") == []


def test_a_manifest_in_a_stream_without_its_checksum_is_refused(tmp_path):
    data = gzip.compress(content(tmp_path / "a"))
    (tmp_path / "out").mkdir()
    with pytest.raises(HostError, match=r"^invalid tar file detected: gzip: unexpected end of file$"):
        tarballs.unpack(io.BytesIO(data[:-8]), str(tmp_path / "out"))


@pytest.mark.starts_processes
@pytest.mark.needs("zstd")
@pytest.mark.parametrize("kind", ["tar", "tar.zst"])
def test_zstd_is_unpacked(tmp_path, kind):
    content(tmp_path / "a")
    subprocess.run(["zstd", "-q", tmp_path / "a", "-o", tmp_path / "b"], check=True)
    unpack_into(str(tmp_path / "b"), tmp_path / "out", kind)
    assert names(tmp_path / "out") == ["d", "d/x", "y"]
    os.truncate(tmp_path / "b", (tmp_path / "b").stat().st_size - 3)
    with pytest.raises(ArchiveError, match=r"^zstd: "):
        unpack_into(str(tmp_path / "b"), tmp_path / "cut", kind)
    assert names(tmp_path / "cut") == []


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("tail -c +5", ""),
        ("tail -c +5; exit 1", "zstd: the packed data is damaged or needs too much memory"),
        ("tail -c +5; exec cat /dev/zero", "y: the archive unpacks to more than 0 times its size"),
    ],
    ids=["right", "damaged", "endless"],
)
def test_the_program_zstd_is_used_where_python_has_none(tmp_path, monkeypatch, fake_program, script, text):
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setattr(limits, "ALWAYS", 1 << 20)
    monkeypatch.setattr(limits, "TIMES", 0)
    (tmp_path / "b").write_bytes(MAGIC + content(tmp_path / "a"))
    fake_program("zstd", script)
    if text:
        with pytest.raises(ArchiveError, match=f"^{text}$"):
            unpack_into(str(tmp_path / "b"), tmp_path / "out", "tar.zst")
    else:
        unpack_into(str(tmp_path / "b"), tmp_path / "out", "tar.zst")
    assert names(tmp_path / "out") == ([] if text else ["d", "d/x", "y"])


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("path", "program", "text"),
    [
        (
            "HERE/bin",
            "",
            "zstd: neither Python's module compression.zstd (3.14) nor a program zstd is there to unpack it",
        ),
        ("HERE/bin", "#!/nonexistent\n", "exec HERE/bin/zstd: "),
        ("bin", "#!/bin/sh\n", 'exec: "zstd": cannot run executable found relative to current directory'),
    ],
)
def test_zstd_that_cannot_be_started_is_reported(tmp_path, monkeypatch, path, program, text):
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").write_bytes(MAGIC)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", path.replace("HERE", str(tmp_path)))
    if program:
        (tmp_path / "bin/zstd").write_text(program)
        (tmp_path / "bin/zstd").chmod(0o755)
    text = text.replace("HERE", str(tmp_path))
    with pytest.raises(HostError, match="^" + re.escape(text)):
        unpack_into(str(tmp_path / "b"), tmp_path / "out", "tar.zst")


class ZstdOfPython:
    """A stand-in for the decompressor of Python 3.14: the data of its frames is not packed."""

    def __init__(self):
        self.eof, self.needs_input, self.unused_data = False, True, b""
        self._data = b""

    def decompress(self, data, max_length=-1):
        self._data += data
        if len(self._data) < len(MAGIC) + 8:
            return b""
        size = int.from_bytes(self._data[4:12], "little")
        if len(self._data) < 12 + size:
            return b""
        self.eof, self.unused_data = True, self._data[12 + size :]
        return self._data[12 : 12 + size]


def test_zstd_is_unpacked_by_python_where_it_can(tmp_path, monkeypatch):
    module = types.ModuleType("compression.zstd")
    module.ZstdDecompressor, module.ZstdError = ZstdOfPython, ValueError
    monkeypatch.setitem(sys.modules, "compression", types.ModuleType("compression"))
    monkeypatch.setitem(sys.modules, "compression.zstd", module)
    whole = content(tmp_path / "a")
    frame = MAGIC + len(whole).to_bytes(8, "little") + whole
    (tmp_path / "b").write_bytes(frame)
    unpack_into(str(tmp_path / "b"), tmp_path / "out", "tar.zst")
    assert names(tmp_path / "out") == ["d", "d/x", "y"]
    (tmp_path / "b").write_bytes(frame + b"\0")
    with pytest.raises(ArchiveError, match=r"^zstd: other data follow the packed data$"):
        unpack_into(str(tmp_path / "b"), tmp_path / "other", "tar.zst")
