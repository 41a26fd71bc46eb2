# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries of a zip, with the file attributes of the systems that made them (decisions.md Q62)."""

from __future__ import annotations

import os
import stat
import zlib
from struct import Struct

from ..errors import SystemCallError
from ..processes import umask
from .compressions import DamagedData, bzip2, damage, deflated, lzma_in_zip
from .entry import DIRECTORY, FILE, LINK, Access, ArchiveError, Entry, EntryRefused, Paths, shown
from .zip_directory import SEVERE, Record, directory_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from .compressions import Unpacker
    from .limits import UnpackLimits

_BLOCK = 256 * 1024
_LOCAL = Struct("<4s22xHH")
_ENCRYPTED = 1
_STORED, _DEFLATED, _BZIP2, _LZMA = 0, 8, 12, 14
_METHODS = {_STORED, _DEFLATED, _BZIP2, _LZMA}
_LONGEST_TARGET = 4095
_CANNOT_UNPACK = 81
#: Systems, by number, that store Unix attributes in the upper half of the attributes.
_UNIX = {2, 3, 5, 16, 17, 19}
_DOS = 0


class ZipReader:
    """The entries of the zip that is open as `fd`; `refused` is called for each skipped one.

    Names that are absolute or contain `..` lose the parts that lead outside, as with unzip, and `refused` is called
    too. Names of DOS with backslashes and no slash are read as paths, and `notice` is called with the first. `pieces`
    gives the data of the last entry.
    """

    def __init__(
        self,
        fd: int,
        path: str,
        size: int,
        refused: Callable[[EntryRefused], None],
        notice: Callable[[str], None],
        allowance: UnpackLimits,
    ) -> None:
        self._fd = fd
        self._path = path
        self._size = size
        self._refused = refused
        self._notice = notice
        self._has_backslashes = False
        self._allowance = allowance
        self._umask = umask()
        self._record: Record | None = None
        self._paths = Paths()
        self._accesses: dict[int, Access] = {}

    def __iter__(self) -> Iterator[Entry]:
        """Read the directory. Raises ArchiveError for an invalid or damaged zip."""
        for record in directory_records(self._fd, self._size):
            self._record = record
            try:
                entry = self._entry(record)
            except EntryRefused as error:
                self._refused(error)
                continue
            yield entry

    def pieces(self) -> Iterator[memoryview]:
        """Yield the data of the entry. Raises ArchiveError for damage, and when the archive unpacks to too much."""
        record = self._record
        if record is None:
            return
        checksum = size = 0
        for piece in self._unpacked(record):
            self._allowance.take(len(piece))
            checksum = zlib.crc32(piece, checksum)
            size += len(piece)
            yield memoryview(piece)
        if (size, checksum) != (record.size, record.checksum):
            raise ArchiveError(f"{shown(record.name)}: its checksum or its size is wrong", SEVERE)

    def _entry(self, record: Record) -> Entry:
        name = record.name = self._name(record)
        mode = self._mode(record)
        above, leaf = self._paths.split(name)
        if not leaf:
            raise EntryRefused(name, "it has no name")
        kind = stat.S_IFMT(mode) if record.system in _UNIX else 0
        if record.flags & _ENCRYPTED:
            raise EntryRefused(name, "it is encrypted")
        if record.method not in _METHODS and record.size:
            raise EntryRefused(name, f"it is packed by method {record.method}, which is not known here")
        is_directory = name.endswith(b"/")
        if kind == stat.S_IFLNK and not is_directory:
            entry = Entry(LINK, name, above, leaf, Access(None), None)
            entry.target = self._target(record)
        else:
            mode &= 0o777
            access = self._accesses.get(mode) or self._accesses.setdefault(mode, Access(mode))
            entry = Entry(DIRECTORY if is_directory else FILE, name, above, leaf, access, record.mtime)
        if name[:1] == b"/" or (b".." in name and (leaf == b".." or b".." in above)):
            self._lead_inside(entry)
        return entry

    def _lead_inside(self, entry: Entry) -> None:
        """Leave out `..` from the path of an entry. Raises EntryRefused when no component remains."""
        self._refused(EntryRefused(entry.name, "it leads out of the directory, and was unpacked inside"))
        parts = [part for part in (*entry.above, entry.leaf) if part != b".."]
        if not parts:
            raise EntryRefused(entry.name, "it has no name")
        entry.above, entry.leaf = tuple(parts[:-1]), parts[-1]

    def _name(self, record: Record) -> bytes:
        name = record.name
        if record.system != _DOS or b"/" in name or b"\\" not in name:
            return name
        if not self._has_backslashes:
            self._has_backslashes = True
            self._notice(f"{shown(name)}: the archive has backslashes in place of slashes")
        return name.replace(b"\\", b"/")

    def _mode(self, record: Record) -> int:
        """Return the mode of a file, as unzip computes it; without a Unix mode it comes from the attributes of DOS."""
        mode = record.attributes >> 16
        if record.system in _UNIX:
            return mode
        writable = not record.attributes & 1
        is_directory = record.attributes & 0x10 or record.name.endswith(b"/")
        bits = (2 if writable else 0) | (1 if is_directory else 0)
        if record.system == 0 and mode & 0o700 == 0o400 | bits << 6:
            return mode
        return (0o444 | bits * 0o111) & ~self._umask

    def _target(self, record: Record) -> bytes:
        if record.size > _LONGEST_TARGET:
            raise EntryRefused(record.name, "it leads to a name that is too long")
        target = b"".join(self.pieces())
        if not target or b"\0" in target:
            raise EntryRefused(record.name, "it leads to what cannot be a name")
        return target

    def _unpacked(self, record: Record) -> Iterator[bytes]:
        if record.method == _STORED:
            return self._packed(record)
        if record.method not in _METHODS:
            return iter(())
        return self._by(_unpacker(record), record)

    def _by(self, unpacker: Unpacker, record: Record) -> Iterator[bytes]:
        try:
            for block in self._packed(record):
                data = block
                while not unpacker.is_complete:
                    piece = unpacker.unpack(data, _BLOCK)
                    data = b""
                    if piece:
                        yield piece
                    elif unpacker.needs_input:
                        break
        except DamagedData as error:
            raise ArchiveError(f"{shown(record.name)}: its {damage(error).partition(' ')[2]}", SEVERE) from None

    def _packed(self, record: Record) -> Iterator[bytes]:
        at, left = self._begin(record), record.packed
        while left:
            block = self._read(min(left, _BLOCK), at)
            if not block:
                raise ArchiveError(f"{shown(record.name)}: unexpected end of the archive", SEVERE)
            at += len(block)
            left -= len(block)
            yield block

    def _begin(self, record: Record) -> int:
        """Return the position of the data of an entry: after its own header."""
        header = self._read(_LOCAL.size, record.offset)
        if len(header) == _LOCAL.size:
            mark, name, extra = _LOCAL.unpack(header)
            if mark == b"PK\3\4":
                return record.offset + _LOCAL.size + name + extra
        raise ArchiveError(f"{shown(record.name)}: its header is not where it should be", SEVERE)

    def _read(self, size: int, at: int) -> bytes:
        try:
            return os.pread(self._fd, size, at)
        except (OSError, OverflowError, ValueError) as error:
            known = error if isinstance(error, OSError) else ValueError(str(error))
            raise SystemCallError("read", self._path, known) from None


def _unpacker(record: Record) -> Unpacker:
    if record.method == _BZIP2:
        return bzip2(_CANNOT_UNPACK)
    if record.method == _LZMA:
        return lzma_in_zip(record.size, _CANNOT_UNPACK)
    return deflated()
