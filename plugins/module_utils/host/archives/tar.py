# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries of a tar of any kind: V7, ustar, GNU and pax, sparse files too (decisions.md Q62)."""

from __future__ import annotations

from struct import Struct
from zlib import adler32

from . import sparse
from .entry import (
    DIRECTORY,
    FILE,
    HARD_LINK,
    LINK,
    Access,
    ArchiveError,
    Entry,
    EntryRefused,
    Paths,
    SpecialEntry,
    representable_time,
    shown,
)
from .numbers import decimal, length, number, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator

    from .streams import Stream

#: The bytes of a header, of which all sizes in tars are multiples.
BLOCK = 512
_DAMAGED = 2
# More bytes than the paths and attributes of one entry, or of all entries, need.
_LONGEST_EXTENSION = 1 << 20
_MOST_ID = 0xFFFFFFFE
# The fields name, mode and numbers of user and group, size, mtime, flag, target, magic and version, names of user and
# group, and prefix.
_FIELDS = Struct("<100s24s12s12s8xc100s8s64s16x155s12x")
_FLAG = 156
_MOST_ACCESSES = 500
_EXTENDING = frozenset(b"xXgLKV")
_OWNER_KEYS = frozenset(("gid", "gname", "uid", "uname"))
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
        self._paths = Paths()
        self._accesses: dict[tuple[bytes, bytes, bytes], Access] = {}

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

    def pieces(self) -> Iterable[memoryview]:
        """Return the data of the entry. Raises ArchiveError when the archive ends before it does."""
        if not self._left:
            return ()
        held = self._stream.held(self._left)
        if held is None:
            return self._following()
        self._left = 0
        return (held,)

    def _following(self) -> Iterator[memoryview]:
        for piece in self._stream.pieces(self._left):
            self._left -= len(piece)
            yield piece

    def _next_header(self, first: bool) -> tuple[bytes | None, dict[str, bytes]]:
        """Return the header of the next entry, None at the end, and the data of headers before it."""
        header = self._block(first)
        if header is None or header[_FLAG] not in _EXTENDING:
            return header, self._global
        extensions: dict[str, bytes] = {}
        self._allowed = _LONGEST_EXTENSION
        while header is not None and header[_FLAG] in _EXTENDING:
            self._extend(extensions, header)
            header = self._block(False)
        return header, {**self._global, **extensions}

    def _extend(self, extensions: dict[str, bytes], header: bytes) -> None:
        """Read a header that is for the entry after it, or for all entries after it."""
        kind = header[_FLAG : _FLAG + 1]
        if kind in (b"x", b"X"):
            extensions.update(sparse.records(self._extension(header)))
        elif kind == b"g":
            self._add_global(header)
        elif kind == b"V":
            self._stream.skip(_padded(length(number(header[124:136]))))
        else:
            extensions["path" if kind == b"L" else "linkpath"] = self._extension(header).rstrip(b"\0")

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
        if is_header(block):
            return block
        is_whole = len(block) == BLOCK or not first or self._stream.is_packed
        if is_whole and not any(block):
            return None
        text = "this does not look like a tar archive" if first else "the archive is damaged"
        raise ArchiveError(text, _DAMAGED)

    def _extension(self, header: bytes) -> bytes:
        size = length(number(header[124:136]))
        self._allowed -= size
        if self._allowed < 0:
            raise ArchiveError(f"{shown(_text(header[:100]))}: a header of {size} bytes", _DAMAGED)
        data = self._stream.read(_padded(size))
        if len(data) < size:
            raise ArchiveError("unexpected end of the archive", _DAMAGED)
        return data[:size]

    def _entry(self, header: bytes, extensions: dict[str, bytes]) -> Entry:
        field, ids, size, mtime, flag, target, magic, owners, prefix = _FIELDS.unpack(header)
        name = _text(field)
        if prefix[0] and magic[:6] == b"ustar\0":
            name = _text(prefix) + b"/" + name
        if extensions:
            name = extensions.get("GNU.sparse.name") or extensions.get("path") or name
        kind = _KINDS.get(flag) or (DIRECTORY if flag in (b"0", b"\0") and name.endswith(b"/") else FILE)
        is_link = kind in (HARD_LINK, LINK)
        self._left = 0 if is_link else _stored(size, extensions)
        self._padding = -self._left % BLOCK
        is_plain = kind != FILE or (flag != b"S" and not extensions)
        extents = None if is_plain else self._extents(flag, header, extensions)
        above, leaf = self._path(name)
        if flag in _SPECIAL:
            raise SpecialEntry(name, f"it is {_SPECIAL[flag]}")
        if flag == b"M":
            raise EntryRefused(name, "it is continued from another volume")
        when = _time(mtime, extensions)
        access = self._access_of(name, (ids, magic, owners), extensions)
        entry = Entry(kind, name, above, leaf, access, when)
        entry.extents = extents
        if is_link:
            entry.target = extensions.get("linkpath") or _text(target)
            if b"\0" in entry.target:
                raise EntryRefused(name, "it leads to what cannot be a name")
        return entry

    def _extents(self, flag: bytes, header: bytes, extensions: dict[str, bytes]) -> list[tuple[int, int]] | None:
        if flag == b"S":
            return sparse.old_extents(header, self._stream)
        if "GNU.sparse.major" in extensions:
            extents, read = sparse.leading_extents(self._stream, self._left, extensions)
            self._left -= read
            return extents
        return sparse.listed_extents(extensions) if "GNU.sparse.map" in extensions else None

    def _path(self, name: bytes) -> tuple[tuple[bytes, ...], bytes]:
        """Return the directories and the last component of a name. Raises EntryRefused where it leads outside."""
        above, leaf = self._paths.split(name)
        if b".." in name and (leaf == b".." or b".." in above):
            raise EntryRefused(name, "its name holds '..'")
        if name[:1] == b"/":
            self._notice(f"{shown(name)}: removing the leading '/' of its name")
        return above, leaf

    def _access_of(self, name: bytes, fields: tuple[bytes, bytes, bytes], extensions: dict[str, bytes]) -> Access:
        """Return mode and owner: the same object for the same fields, which are numbers, magic and names."""
        if extensions and not _OWNER_KEYS.isdisjoint(extensions):
            return _access(name, *fields, extensions)
        access = self._accesses.get(fields)
        if access is None:
            if len(self._accesses) >= _MOST_ACCESSES:
                self._accesses.clear()
            access = self._accesses[fields] = _access(name, *fields, {})
        return access


def is_header(block: bytes) -> bool:
    """Return whether a block is a header: its checksum is right, of bytes with a sign or without as some compute it.

    The field of the checksum counts as blanks.
    """
    if len(block) < BLOCK:
        return False
    field = block[148:156]
    try:
        wanted = number(field)
    except ArchiveError:
        return False
    total = _sum(block[:256]) + _sum(block[256:]) - _sum(field) + 8 * 32
    if wanted == total:
        return True
    return wanted == total - 256 * sum(byte > 127 for byte in block[:148] + block[156:])


def _sum(data: bytes) -> int:
    """Return the sum of at most 256 bytes; Adler-32 adds them up, and its modulus is larger than the sum can be."""
    return adler32(data, 0) & 0xFFFF


def _access(name: bytes, ids: bytes, magic: bytes, owners: bytes, extensions: dict[str, bytes]) -> Access:
    mode = number(ids[:8]) & 0o7777
    uid = decimal(extensions["uid"]) if extensions.get("uid") else number(ids[8:16])
    gid = decimal(extensions["gid"]) if extensions.get("gid") else number(ids[16:])
    if not (0 <= uid <= _MOST_ID and 0 <= gid <= _MOST_ID):
        raise EntryRefused(name, "no user or group can have its number")
    access = Access(mode, uid, gid)
    if "uname" in extensions or "gname" in extensions or magic[:5] == b"ustar":
        access.user = extensions.get("uname") or _text(owners[:32])
        access.group = extensions.get("gname") or _text(owners[32:])
    return access


def _stored(field: bytes, extensions: dict[str, bytes]) -> int:
    return length(decimal(extensions["size"]) if extensions.get("size") else number(field))


def _time(field: bytes, extensions: dict[str, bytes]) -> int:
    return representable_time(seconds(extensions["mtime"]) if extensions.get("mtime") else number(field) * 10**9)


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _padded(size: int) -> int:
    return size + -size % BLOCK
