# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of tars mean what they mean to tarfile, and reading one of them is little work."""

from __future__ import annotations

import io
import tarfile

import pytest
from ccm.host.archives.entry import DIRECTORY, FILE, HARD_LINK, LINK, ArchiveError
from ccm.host.archives.numbers import number
from ccm.host.archives.streams import Stream
from ccm.host.archives.tar import TarReader, is_header

from tests.seed import SEED, chance
from tests.unit.work import work_of

BLOCK = 512
ARCHIVES = 400
KINDS = {tarfile.DIRTYPE: DIRECTORY, tarfile.SYMTYPE: LINK, tarfile.LNKTYPE: HARD_LINK}
#: The places of the numbers for mode, user, group, size and time in a header, and their lengths.
NUMBERS = ((100, 8), (108, 8), (116, 8), (124, 12), (136, 12))
PIECES = (700, 4096, 1 << 18)


def reader_of(data, piece=1 << 18):
    """Return a reader of a tar that comes in pieces of so many bytes, and a list for its refusals."""
    file, refusals = io.BytesIO(data), []
    return TarReader(Stream(lambda: file.read(piece)), refusals.append, lambda _text: None), refusals


def expanded(entry, data):
    """Return the content of a file, with the holes of a sparse one."""
    if entry.extents is None:
        return data
    content, at = bytearray(max(offset + size for offset, size in entry.extents)), 0
    for offset, size in entry.extents:
        content[offset : offset + size] = data[at : at + size]
        at += size
    return bytes(content)


def read_by_us(data, piece):
    """Return the entries up to the first damage, with the data of files."""
    reader, refusals = reader_of(data, piece)
    found = []
    try:
        for entry in reader:
            content = expanded(entry, b"".join(reader.pieces())) if entry.kind == FILE else b""
            access = entry.access
            owner = (access.uid, access.gid, access.user, access.group)
            assert b"/".join((*entry.above, entry.leaf)) == entry.name.strip(b"/").replace(b"//", b"/")
            found.append((entry.kind, entry.name.rstrip(b"/"), access.mode, *owner, entry.mtime, entry.target, content))
    except ArchiveError:
        pass
    assert refusals == []
    return found


def read_by_tarfile(data):
    found = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:", encoding="utf-8", errors="surrogateescape") as archive:
            for info in archive:
                kind = KINDS.get(info.type, FILE)
                content = archive.extractfile(info).read() if kind == FILE else b""
                name, user, group, target = (
                    text.encode("utf-8", "surrogateescape")
                    for text in (info.name, info.uname, info.gname, info.linkname)
                )
                owner = (info.uid, info.gid, user, group)
                time = int(info.mtime * 4) * 250_000_000
                links = target if kind in (LINK, HARD_LINK) else b""
                found.append((kind, name.rstrip(b"/"), info.mode & 0o7777, *owner, time, links, content))
    except tarfile.TarError:
        pass
    return found


def made(rng):
    """Return a tar of one of the three formats, with long names, large numbers, links and sparse files."""
    format = rng.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
    is_small = format == tarfile.USTAR_FORMAT
    lead = {"gname": "all", "comment": "x"} if format == tarfile.PAX_FORMAT and rng.random() < 0.2 else None
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=format, pax_headers=lead) as archive:
        for number_of_entry in range(rng.randrange(1, 9)):
            above = rng.choice(["", "a/", "a/", "a/b/", "a//b/", "d" * (90 if is_small else 180) + "/"])
            info = tarfile.TarInfo(above + rng.choice(["f", "ü", "x" * 60, "x" * 97]) + str(number_of_entry))
            info.type = rng.choice([b"0", b"0", b"0", b"\0", b"1", b"2", b"5", b"7", b"Z"])
            info.mode = rng.choice([0o644, 0o755, 0o4755, 0o7777, 0])
            info.uid, info.gid = (rng.choice([0, 0, 1000, 1000 if is_small else 2**31]) for _number in range(2))
            info.uname, info.gname = (rng.choice(["", "root", "daemon", "é", "5"]) for _name in range(2))
            info.mtime = rng.choice([0, 1_700_000_000, *([] if is_small else [1_700_000_000.25, 2**33])])
            info.linkname = rng.choice(["t", "../t", "t" * (99 if is_small else 150)])
            data = b""
            if info.type in b"0\0007Z":
                data = rng.randbytes(rng.choice([0, 1, 511, 512, 513, 3000]))
            info.size = len(data)
            if format == tarfile.PAX_FORMAT and len(data) > 500:
                text = f"100,3,9000,{len(data) - 3}"
                records = {"mtime": "12.5", "uid": "77", "uname": "mail", "GNU.sparse.map": text}
                info.pax_headers = {key: value for key, value in records.items() if rng.random() < 0.3}
                if "GNU.sparse.map" in info.pax_headers:
                    info.pax_headers["GNU.sparse.size"] = "20000"
            archive.addfile(info, io.BytesIO(data))
    return bytearray(file.getvalue())


def signed_bytes(rest):
    return sum(byte - 256 if byte > 127 else byte for byte in rest)


def written_otherwise(rng, value, length):
    """Return a number as some programs write it."""
    digits = b"%o" % value
    fields = [
        digits.rjust(length, b"0"),
        digits.rjust(length - 2) + b" \0",
        b" " + digits + b"\0" * (length - 1 - len(digits)),
        digits + b"\0" + b"9" * (length - 1 - len(digits)),
        b"\x80" + value.to_bytes(length - 1, "big"),
    ]
    if not value:
        fields += [b"\0" * length, b" " * length]
    return rng.choice([field for field in fields if len(field) == length])


def change(rng, data):
    """Write numbers of headers in other ways, and damage some."""
    for at in range(0, len(data), BLOCK):
        if not is_header(bytes(data[at : at + BLOCK])) or rng.random() < 0.5:
            continue
        for place, length in NUMBERS:
            field = bytes(data[at + place : at + place + length])
            if field[0] < 128 and rng.random() < 0.5:
                data[at + place : at + place + length] = written_otherwise(rng, number(field), length)
        if rng.random() < 0.03 and data[at + 156] not in b"xgLK":  # tarfile reads the mode of these, too
            data[at + 100 : at + 108] = rng.choice([b"12a45678", b"-", b"8", b"7 7"]).ljust(8, b"\0")
        data[at + 148 : at + 156] = b" " * 8
        header = data[at : at + BLOCK]
        total = rng.choice([sum, signed_bytes])(header)
        if rng.random() < 0.03:
            total += rng.choice([1, -1, 0xFFF1, 256])
        data[at + 148 : at + 156] = (b"%06o\0 " % total) if total >= 0 else b"%07d\0" % 0


def test_entries_are_the_same_as_with_tarfile():
    damaged = 0
    for seed in range(ARCHIVES):
        rng = chance("tar", seed)
        data = made(rng)
        change(rng, data)
        wanted = read_by_tarfile(bytes(data))
        found = read_by_us(bytes(data), rng.choice(PIECES))
        assert found == wanted, (SEED, seed)
        damaged += len(wanted) == 0
    assert damaged < ARCHIVES / 4


def test_numbers_are_the_same_however_they_are_written():
    def digits_before_a_nul(field):
        return int(field.partition(b"\0")[0].strip() or b"0", 8)

    rng = chance("numbers")
    for _field in range(5000):
        field = bytes(rng.choice(b"01678 \0\t_o-+") for _byte in range(rng.randrange(1, 13)))
        try:
            wanted = digits_before_a_nul(field)
        except ValueError:
            with pytest.raises(ArchiveError, match=r"is not a number$"):
                number(field)
        else:
            assert number(field) == wanted, field


@pytest.mark.parametrize("byte", [0, 1, 127, 128, 255])
@pytest.mark.parametrize("add", [sum, signed_bytes])
def test_a_checksum_is_the_sum_of_all_bytes(byte, add):
    """Also of bytes that are all 255: their sum is more than 16 bits."""
    block = bytearray([byte] * BLOCK)
    block[148:156] = b" " * 8
    total = add(block)
    for wrong in (0, 1, -1, 256, 0xFFF1, -0xFFF1):
        if total + wrong >= 0:
            block[148:156] = b"%07o\0" % (total + wrong)
            is_unsigned = total + wrong == sum(block[:148]) + sum(block[156:]) + 8 * 32
            assert is_header(bytes(block)) == (wrong == 0 or is_unsigned), wrong


def plain_tar(count):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for number_of_entry in range(count):
            info = tarfile.TarInfo(f"d/e/{number_of_entry}")
            info.size = 100
            archive.addfile(info, io.BytesIO(bytes(100)))
    return file.getvalue()


def test_an_entry_like_the_one_before_it_is_little_work():
    """In lines of Python that run: neither bytes of a header nor components of a path are looked at one by one."""

    def read(data):
        reader = reader_of(data)[0]
        return sum(len(piece) for _entry in reader for piece in reader.pieces())

    few, many = plain_tar(10), plain_tar(110)
    assert read(few) == 1000
    assert work_of(lambda: read(many)) - work_of(lambda: read(few)) <= 100 * 120
