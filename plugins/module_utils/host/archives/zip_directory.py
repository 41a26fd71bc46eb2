# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The directory at the end of a zip, read entry by entry: it may be long."""

from __future__ import annotations

import os
import time
import zlib
from struct import Struct

from .entry import ArchiveError, representable_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

#: The exit statuses of unzip for a damaged and for an invalid zip.
SEVERE = 3
NO_ZIP = 9

_END = Struct("<4s4xHHIIH")
_END64_PLACE = Struct("<4s4xQ4x")
_END64 = Struct("<4s28xQQQ")
_RECORD = Struct("<4s1xB2xHHHHIIIHHH4xII")
_FULL = 0xFFFFFFFF
_LONGEST_COMMENT = 0xFFFF
_LONGEST_RECORD = _RECORD.size + 3 * 0xFFFF
_BLOCK = 256 * 1024
_TIMES_OF_UNIX = {0x5455: 1, 0x5855: 4}
_UNICODE_NAME = 0x7075
_IS_UTF8 = 1 << 11
#: Systems, by number, whose names are in CP437 unless they are in UTF-8: FAT, HPFS, NTFS.
_CP437 = {0, 6, 11}


class Record:
    """A listed entry: its `name`, the `system` that made it, by number, and its `attributes`.

    The name is in UTF-8 where its encoding is known. `packed` and `size` are bytes before and after unpacking, `offset`
    is the offset of its own header, `mtime` in ns.
    """

    __slots__ = (
        "attributes",
        "checksum",
        "flags",
        "method",
        "mtime",
        "name",
        "offset",
        "packed",
        "size",
        "system",
    )

    def __init__(self, fields: tuple[int, ...], name: bytes, extra: bytes, shift: int) -> None:
        self.name = name
        self.system, self.flags, self.method, clock, day, self.checksum = fields[1:7]
        self.packed, self.size = fields[7:9]
        self.attributes, self.offset = fields[12:14]
        self.mtime = _dos_time(day, clock)
        if not name.isascii() and not self.flags & _IS_UTF8 and self.system in _CP437:
            self.name = _utf8(name)
        for kind, data in _extra_fields(extra):
            if kind == 1:
                self._enlarge(data)
            elif kind in _TIMES_OF_UNIX:
                self._correct_time(kind, data)
            elif kind == _UNICODE_NAME and not self.flags & _IS_UTF8:
                self._correct_name(name, data)
        self.offset += shift

    def _enlarge(self, data: bytes) -> None:
        """Read from the field of zip64 the numbers that were too large for their places."""
        at = 0
        for name in ("size", "packed", "offset"):
            if getattr(self, name) == _FULL and at + 8 <= len(data):
                setattr(self, name, int.from_bytes(data[at : at + 8], "little"))
                at += 8

    def _correct_name(self, written: bytes, data: bytes) -> None:
        """Read the name in UTF-8, if it belongs to the name as written: some programs change only that one."""
        if data[:1] == b"\1" and int.from_bytes(data[1:5], "little") == zlib.crc32(written) and len(data) > 5:
            self.name = data[5:]

    def _correct_time(self, kind: int, data: bytes) -> None:
        at = _TIMES_OF_UNIX[kind]
        if len(data) >= at + 4 and (kind != 0x5455 or data[0] & 1):
            self.mtime = int.from_bytes(data[at : at + 4], "little", signed=True) * 10**9


def directory_records(fd: int, size: int) -> Iterator[Record]:
    """Yield the list of the zip of `size` bytes that is open as `fd`. Raises ArchiveError."""
    begin, length, shift = _place(fd, size)
    end = begin + length
    data, at = b"", 0
    while begin < end or at < len(data):
        if len(data) - at < _LONGEST_RECORD and begin < end:
            block = os.pread(fd, min(_BLOCK, end - begin), begin)
            if not block:
                raise ArchiveError("unexpected end of the archive", SEVERE)
            begin += len(block)
            data, at = data[at:] + block, 0
        if data[at : at + 4] != b"PK\1\2" or len(data) - at < _RECORD.size:
            raise ArchiveError("what the archive lists at its end is damaged", SEVERE)
        fields = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        name, extra, comment = fields[9:12]
        behind = at + name
        if behind + extra + comment > len(data):
            raise ArchiveError("what the archive lists at its end is damaged", SEVERE)
        yield Record(fields, data[at:behind], data[behind : behind + extra], shift)
        at = behind + extra + comment


def _place(fd: int, size: int) -> tuple[int, int, int]:
    """Return the position of the list, its length, and the shift of all positions by data before the zip."""
    tail_at = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = os.pread(fd, size - tail_at, tail_at)
    found = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - _END.size + 4))
    if found < 0:
        raise ArchiveError("it is not a zip archive: the list at its end is not found", NO_ZIP)
    end = tail_at + found
    fields = _END.unpack_from(tail, found)
    count, length, begin = fields[2:5]
    if _FULL in (length, begin) or count == 0xFFFF:
        place = os.pread(fd, _END64_PLACE.size, max(0, end - _END64_PLACE.size))
        if place[:4] == b"PK\6\7":
            return _place64(fd, place)
    shift = end - length - begin
    if shift < 0:
        raise ArchiveError("the archive's beginning is missing", SEVERE)
    return begin + shift, length, shift


def _place64(fd: int, place: bytes) -> tuple[int, int, int]:
    at = _END64_PLACE.unpack(place)[1]
    record = os.pread(fd, _END64.size, at) if at < 1 << 62 else b""
    if record[:4] != b"PK\6\6" or len(record) < _END64.size:
        raise ArchiveError("what the archive lists at its end is damaged", SEVERE)
    length, begin = _END64.unpack(record)[2:4]
    if begin + length > at:
        raise ArchiveError("what the archive lists at its end is damaged", SEVERE)
    return begin, length, 0


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(extra):
        kind, size = int.from_bytes(extra[at : at + 2], "little"), int.from_bytes(extra[at + 2 : at + 4], "little")
        yield kind, extra[at + 4 : at + 4 + size]
        at += 4 + size


def _dos_time(day: int, clock: int) -> int:
    parts = (1980 + (day >> 9), day >> 5 & 15, day & 31, clock >> 11, clock >> 5 & 63, (clock & 31) * 2, 0, 0, -1)
    try:
        return representable_time(int(time.mktime(parts)) * 10**9)
    except (OverflowError, ValueError):
        return 0


def _utf8(name: bytes) -> bytes:
    """Return a name of DOS in UTF-8. Some programs write UTF-8 there without saying so."""
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("cp437").encode("utf-8")
    return name
