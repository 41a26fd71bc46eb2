# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Zips as other systems and programs make them: kinds, names and methods of entries (decisions.md Q89)."""

from __future__ import annotations

import os
import stat
import sys
import zipfile
import zlib

import pytest
from ccm.host.archives import limits
from ccm.host.archives.entry import ArchiveError

from tests.unit.host.archives.test_unpack import names, unpack_into

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
DOS, UNIX, HPFS, NTFS = 0, 3, 6, 11


def zipped(path, *entries):
    """Write a zip of (name as bytes, content, and fields of ZipInfo); the name is put in place of one as long."""
    replaced = []
    with zipfile.ZipFile(path, "w") as archive:
        for number, (name, content, fields) in enumerate(entries):
            info = zipfile.ZipInfo(f"{number}".ljust(len(name), "~"))
            replaced.append((info.filename.encode(), name))
            for field, value in fields.items():
                setattr(info, field, value)
            archive.writestr(info, content)
    data = path.read_bytes()
    for stand_in, name in replaced:
        assert data.count(stand_in) == 2
        data = data.replace(stand_in, name)
    path.write_bytes(data)
    return str(path)


def attributes(mode, system=UNIX):
    return {"create_system": system, "external_attr": mode << 16}


@pytest.mark.parametrize("kind", [0o17, stat.S_IFCHR >> 12, stat.S_IFIFO >> 12, stat.S_IFSOCK >> 12, 0o7])
def test_an_entry_of_an_odd_kind_is_a_directory_or_a_file_by_its_name(tmp_path, kind):
    """Jars made by Maven have directories of mode 0177777."""
    fields = attributes(kind << 12 | 0o7775)
    entries = [(b"META-INF/", b"", fields), (b"META-INF/a", b"a", fields)]
    unpack_into(zipped(tmp_path / "a", *entries), tmp_path / "out", "zip")
    found = [os.lstat(tmp_path / "out" / path).st_mode for path in ("META-INF", "META-INF/a")]
    assert found == [stat.S_IFDIR | 0o775, stat.S_IFREG | 0o775]


def test_entries_beside_each_other_have_their_own_modes(tmp_path):
    modes = [0o644, 0o755, 0o644, 0o600, 0o755, 0o4711]
    files = [(b"d/file%d" % number, b"", attributes(stat.S_IFREG | mode)) for number, mode in enumerate(modes)]
    unpack_into(zipped(tmp_path / "a", *files), tmp_path / "out", "zip")
    found = [stat.S_IMODE((tmp_path / f"out/d/file{number}").stat().st_mode) for number in range(len(modes))]
    assert found == [mode & 0o777 for mode in modes]


@pytest.mark.parametrize("name", [b"../up", b"d/../up", b"up/..", b"/up"])
def test_an_entry_that_leads_out_is_unpacked_inside_beside_others(tmp_path, name):
    archive = zipped(tmp_path / "a", (b"d/file", b"x", {}), (name, b"y", {}), (b"d/more", b"z", {}))
    with pytest.raises(ArchiveError, match=r"up(/\.\.)?: it leads out of the directory, and was unpacked inside"):
        unpack_into(archive, tmp_path / "out", "zip")
    content = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file() and path.name != "a"}
    assert content == {"file": "x", "up": "y", "more": "z"}


def test_backslashes_of_dos_are_slashes_in_names_that_have_none(tmp_path):
    dos, unix = attributes(0, DOS), attributes(0o644)
    archive = zipped(
        tmp_path / "a",
        (b"app\\conf\\", b"", dos),
        (b"app\\conf\\a.ini", b"a", dos),
        (b"app/b\\c", b"b", dos),
        (b"u\\v", b"u", unix),
    )
    notices = unpack_into(archive, tmp_path / "out", "zip")
    assert names(tmp_path / "out") == ["app", "app/b\\c", "app/conf", "app/conf/a.ini", "u\\v"]
    assert notices == ["app\\conf\\: the archive has backslashes in place of slashes"]


@pytest.mark.parametrize("name", [b"..\\..\\evil", b"\\evil"])
def test_backslashes_do_not_lead_out(tmp_path, name):
    archive = zipped(tmp_path / "a", (name, b"x", attributes(0, DOS)), (b"good", b"x", attributes(0, DOS)))
    with pytest.raises(ArchiveError, match="evil: it leads out of the directory, and was unpacked inside"):
        unpack_into(archive, tmp_path / "out", "zip")
    assert names(tmp_path) == ["a", "out", "out/evil", "out/good"]


@pytest.mark.parametrize("method", METHODS)
def test_each_method_is_unpacked(tmp_path, method):
    data = os.urandom(400_000).hex()
    fields = {"compress_type": method}
    archive = zipped(tmp_path / "a", (b"large", data, fields), (b"empty", b"", fields))
    unpack_into(archive, tmp_path / "out", "zip")
    assert (tmp_path / "out/large").read_text() == data
    assert (tmp_path / "out/empty").read_bytes() == b""


@pytest.mark.parametrize("method", METHODS)
def test_damaged_data_is_refused_by_each_method(tmp_path, method):
    zipped(tmp_path / "a", (b"entry", os.urandom(2000).hex(), {"compress_type": method}))
    whole = (tmp_path / "a").read_bytes()
    for at in range(60, 1500, 97):
        (tmp_path / "a").write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with pytest.raises(ArchiveError, match=r"^entry: its (packed data|checksum or its size is wrong)") as caught:
            unpack_into(str(tmp_path / "a"), tmp_path / "out", "zip")
        assert caught.value.code == 3
        assert names(tmp_path / "out") == []


@pytest.mark.parametrize("method", METHODS)
def test_a_bomb_by_each_method_leaves_no_file(tmp_path, monkeypatch, method):
    monkeypatch.setattr(limits, "ALWAYS", 1 << 20)
    monkeypatch.setattr(limits, "TIMES", 0)
    archive = zipped(tmp_path / "a", (b"bomb", bytes(3 << 20), {"compress_type": method}))
    with pytest.raises(ArchiveError, match=r"^bomb: the archive unpacks to more than 0 times its size$"):
        unpack_into(archive, tmp_path / "out", "zip")
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize(("method", "name", "module"), [(12, "bzip2", "bz2"), (14, "lzma", "lzma")])
def test_a_python_without_the_module_says_so_in_one_sentence(tmp_path, monkeypatch, method, name, module):
    archive = zipped(tmp_path / "a", *((b"x%d" % number, b"x", {"compress_type": method}) for number in range(3)))
    monkeypatch.setitem(sys.modules, module, None)
    text = f"^{name}: the Python that runs ccm has no module {module}, which is needed to unpack it$"
    with pytest.raises(ArchiveError, match=text) as caught:
        unpack_into(archive, tmp_path / "out", "zip")
    assert caught.value.code == 81
    assert names(tmp_path / "out") == []


def test_lzma_that_needs_too_much_memory_is_refused(tmp_path):
    zipped(tmp_path / "a", (b"entry", b"x" * 500, {"compress_type": zipfile.ZIP_LZMA}))
    data = bytearray((tmp_path / "a").read_bytes())
    at = data.index(b"entry") + len(b"entry") + 5
    data[at : at + 4] = (1 << 31).to_bytes(4, "little")
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ArchiveError, match=r"^entry: its packed data needs too much memory$"):
        unpack_into(str(tmp_path / "a"), tmp_path / "out", "zip")


@pytest.mark.parametrize(
    ("system", "written", "name"),
    [
        (DOS, b"Gr\x94\xe1e", "Größe"),
        (HPFS, b"Gr\x94\xe1e", "Größe"),
        (NTFS, b"Gr\x94\xe1e", "Größe"),
        (DOS, "Größe".encode(), "Größe"),
        (UNIX, b"Gr\x94\xe1e", os.fsdecode(b"Gr\x94\xe1e")),
    ],
)
def test_names_of_dos_are_in_cp437_unless_they_are_in_utf8(tmp_path, system, written, name):
    archive = zipped(tmp_path / "a", (written, b"x", attributes(0o644 if system == UNIX else 0, system)))
    unpack_into(archive, tmp_path / "out", "zip")
    assert os.listdir(tmp_path / "out") == [name]


@pytest.mark.parametrize("system", [DOS, UNIX])
@pytest.mark.parametrize("matches", [True, False])
def test_the_unicode_name_counts_if_it_belongs_to_the_name(tmp_path, system, matches):
    written = b"Stra~e"
    checksum = zlib.crc32(written if matches else b"renamed").to_bytes(4, "little")
    extra = b"\1" + checksum + "Straße".encode()
    fields = {**attributes(0o644, system), "extra": b"\x75\x70" + len(extra).to_bytes(2, "little") + extra}
    unpack_into(zipped(tmp_path / "a", (written, b"x", fields)), tmp_path / "out", "zip")
    assert os.listdir(tmp_path / "out") == ["Straße" if matches else "Stra~e"]
