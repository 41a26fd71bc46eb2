# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries of a tar of any kind: V7, ustar, GNU and pax, sparse files too (decisions.md Q62)."""

from __future__ import annotations

from . import sparse
from .entry import (
    DIRECTORY,
    FILE,
    HARD_LINK,
    LINK,
    ArchiveError,
    Entry,
    EntryRefused,
    SpecialEntry,
    parts_of,
    representable_time,
    shown,
)
from .numbers import decimal, length, number, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from .streams import Stream

#: The bytes of a header, of which all sizes in tars are multiples.
BLOCK = 512
_DAMAGED = 2
# More bytes than the paths and attributes of one entry, or of all entries, need.
_LONGEST_EXTENSION = 1 << 20
_MOST_ID = 0xFFFFFFFE

_KINDS = {b"1": HARD_LINK, b"2": LINK, b"5": DIRECTORY, b"D": DIRECTORY}
_SPECIAL = {b"3": "a character device", b"4": "a block device", b"6": "a named pipe"}


class TarReader:
    """The entries of the tar that `stream` gives, in their order; `refused` is called for each skipped one.

    `pieces` gives the data of the last entry. Absolute names lose their leading slashes, as with tar, and `notice` is
    called with them.
    """

    def __init__(self, stream: Stream, refused: Callable[[EntryRefused], None], notice: Callable[[str], None]) -> None:
        self._stream = stream
        self._refused = refused
        self._notice = notice
        self._left = 0
        self._padding = 0
        self._global: dict[str, bytes] = {}
        self._allowed = 0

    def __iter__(self) -> Iterator[Entry]:
        """Read the tar, and its packed data to their end. Raises ArchiveError for an invalid or damaged one."""
        first = True
        while True:
            header, extensions = self._next_header(first)
            if header is None:
                self._stream.drain()
                return
            first = False
            try:
                entry = self._entry(header, extensions)
            except EntryRefused as error:
                self._refused(error)
                entry = None
            if entry is not None:
                yield entry
            self._stream.skip(self._left + self._padding)
            self._left = self._padding = 0

    def pieces(self) -> Iterator[memoryview]:
        """Yield the data of the entry. Raises ArchiveError when the archive ends before it does."""
        for piece in self._stream.pieces(self._left):
            self._left -= len(piece)
            yield piece

    def _next_header(self, first: bool) -> tuple[bytes | None, dict[str, bytes]]:
        """Return the header of the next entry, None at the end, and the data of headers before it."""
        extensions: dict[str, bytes] = {}
        self._allowed = _LONGEST_EXTENSION
        while True:
            header = self._block(first)
            if header is None:
                return None, extensions
            first = False
            kind = header[156:157]
            if kind in (b"x", b"X"):
                extensions.update(sparse.records(self._extension(header)))
            elif kind == b"g":
                self._add_global(header)
            elif kind == b"L":
                extensions["path"] = self._extension(header).rstrip(b"\0")
            elif kind == b"K":
                extensions["linkpath"] = self._extension(header).rstrip(b"\0")
            elif kind == b"V":
                self._stream.skip(_padded(length(number(header[124:136]))))
            else:
                return header, {**self._global, **extensions} if self._global else extensions

    def _add_global(self, header: bytes) -> None:
        found = sparse.records(self._extension(header))
        self._global.update((key, value) for key, value in found.items() if not key.startswith("GNU.sparse."))
        if sum(map(len, self._global.values())) > _LONGEST_EXTENSION:
            raise ArchiveError("the archive is damaged: its global headers are too long", _DAMAGED)

    def _block(self, first: bool) -> bytes | None:
        """Return the next block, None at the end, which is a block of zeros, with anything after it, or no block.

        As with GNU tar, the first block of a tar that is not packed must be whole.
        """
        block = self._stream.read(BLOCK)
        is_whole = len(block) == BLOCK or not first or self._stream.is_packed
        if is_whole and block.count(0) == len(block):
            return None
        if not is_header(block):
            text = "this does not look like a tar archive" if first else "the archive is damaged"
            raise ArchiveError(text, _DAMAGED)
        return block

    def _extension(self, header: bytes) -> bytes:
        size = length(number(header[124:136]))
        self._allowed -= size
        if self._allowed < 0:
            raise ArchiveError(f"{shown(_text(header[:100]))}: a header of {size} bytes", _DAMAGED)
        data = self._stream.read(_padded(size))
        if len(data) < size:
            raise ArchiveError("unexpected end of the archive", _DAMAGED)
        return data[:size]

    def _entry(self, header: bytes, extensions: dict[str, bytes]) -> Entry | None:
        flag = header[156:157]
        name = extensions.get("GNU.sparse.name") or extensions.get("path") or _name(header)
        kind = _KINDS.get(flag, DIRECTORY if flag in (b"0", b"\0") and name.endswith(b"/") else FILE)
        stored = 0 if kind in (HARD_LINK, LINK) else self._stored(header, extensions)
        self._left, self._padding = stored, -stored % BLOCK
        extents = self._extents(flag, header, extensions) if kind == FILE else None
        entry = Entry(kind, name, self._parts(name))
        if flag in _SPECIAL:
            raise SpecialEntry(name, f"it is {_SPECIAL[flag]}")
        if flag == b"M":
            raise EntryRefused(name, "it is continued from another volume")
        entry.extents = extents
        entry.size = self._left if kind == FILE else 0
        entry.mode = number(header[100:108]) & 0o7777
        entry.mtime = representable_time(
            seconds(extensions["mtime"]) if extensions.get("mtime") else number(header[136:148]) * 10**9
        )
        self._owner(entry, header, extensions)
        if kind in (HARD_LINK, LINK):
            entry.target = extensions.get("linkpath") or _text(header[157:257])
            if b"\0" in entry.target:
                raise EntryRefused(name, "it leads to what cannot be a name")
        return entry

    def _stored(self, header: bytes, extensions: dict[str, bytes]) -> int:
        return length(decimal(extensions["size"]) if extensions.get("size") else number(header[124:136]))

    def _extents(self, flag: bytes, header: bytes, extensions: dict[str, bytes]) -> list[tuple[int, int]] | None:
        if flag == b"S":
            return sparse.old_extents(header, self._stream)
        if "GNU.sparse.major" in extensions:
            extents, read = sparse.leading_extents(self._stream, self._left, extensions)
            self._left -= read
            return extents
        return sparse.listed_extents(extensions) if "GNU.sparse.map" in extensions else None

    def _parts(self, name: bytes) -> tuple[bytes, ...]:
        parts = parts_of(name)
        if b".." in parts:
            raise EntryRefused(name, "its name holds '..'")
        if name.startswith(b"/"):
            self._notice(f"{shown(name)}: removing the leading '/' of its name")
        return parts

    def _owner(self, entry: Entry, header: bytes, extensions: dict[str, bytes]) -> None:
        entry.uid = decimal(extensions["uid"]) if extensions.get("uid") else number(header[108:116])
        entry.gid = decimal(extensions["gid"]) if extensions.get("gid") else number(header[116:124])
        if not (0 <= entry.uid <= _MOST_ID and 0 <= entry.gid <= _MOST_ID):
            raise EntryRefused(entry.name, "no user or group can have its number")
        if "uname" in extensions or "gname" in extensions or header[257:262] == b"ustar":
            entry.user = extensions.get("uname") or _text(header[265:297])
            entry.group = extensions.get("gname") or _text(header[297:329])


def is_header(header: bytes) -> bool:
    """Return whether a block is a header: its checksum is right, of bytes with a sign or without as some compute it."""
    if len(header) < BLOCK:
        return False
    try:
        wanted = number(header[148:156])
    except ArchiveError:
        return False
    rest = header[:148] + header[156:]
    total = 256 + sum(rest)
    return wanted in (total, total - 256 * sum(byte > 127 for byte in rest))


def _name(header: bytes) -> bytes:
    name = _text(header[:100])
    if header[257:263] == b"ustar\0":
        prefix = _text(header[345:500])
        return prefix + b"/" + name if prefix else name
    return name


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _padded(size: int) -> int:
    return size + -size % BLOCK
