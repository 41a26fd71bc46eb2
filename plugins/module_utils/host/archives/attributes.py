# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Owner, mode and time of unpacked files; a directory gets its own when it is complete."""

from __future__ import annotations

import os
import time
from array import array
from struct import Struct

from ..errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from ..owners import Owners

_NOTHING = -1
_RECORD = Struct("<HiqqBq")
_MOST_NAMES = 500


class Attributes:
    """Mode, user, group and mtime in ns; None is not set."""

    __slots__ = ("gid", "mode", "mtime", "uid")

    def __init__(self, mode: int | None, uid: int | None, gid: int | None, mtime: int | None) -> None:
        self.mode = mode
        self.uid = uid
        self.gid = gid
        self.mtime = mtime

    def set_on(self, fd: int, kept: int = 0) -> None:
        """Set them on an open file or directory, the owner first: that clears bits of the mode.

        Those bits of the mode that are `kept` stay when they are set. Raises OSError.
        """
        if self.uid is not None and self.gid is not None:
            os.chown(fd, self.uid, self.gid)
        if self.mode is not None:
            os.chmod(fd, self.mode | (os.fstat(fd).st_mode & kept if kept else 0))
        if self.mtime is not None:
            os.utime(fd, ns=(time.time_ns(), self.mtime))

    def set_on_link(self, name: bytes, above: int) -> None:
        """Set owner and time of the symbolic link `name` in the open directory `above`. Raises OSError."""
        if self.uid is not None and self.gid is not None:
            os.chown(name, self.uid, self.gid, dir_fd=above, follow_symlinks=False)
        if self.mtime is not None:
            os.utime(name, ns=(time.time_ns(), self.mtime), dir_fd=above, follow_symlinks=False)


class ArchiveOwners:
    """The numbers of users and groups that an archive names, by the names that this machine knows."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self._found: dict[tuple[str, bytes], int | None] = {}

    def user(self, name: bytes, number: int) -> int:
        """Return the number of a user of that name here, else the number in the archive."""
        return self._id("user", self._owners.uid_of, name, number)

    def group(self, name: bytes, number: int) -> int:
        """Return the same for a group."""
        return self._id("group", self._owners.gid_of, name, number)

    def _id(self, kind: str, number_of: Callable[[str], int], name: bytes, number: int) -> int:
        if not name or name.isdigit():
            return number
        if (kind, name) not in self._found:
            if len(self._found) >= _MOST_NAMES:
                self._found.clear()
            try:
                self._found[kind, name] = number_of(name.decode())
            except (HostError, ValueError):
                self._found[kind, name] = None
        found = self._found[kind, name]
        return number if found is None else found


class Directories:
    """The final attributes of directories, kept in a file: there may be many."""

    def __init__(self, fd: int) -> None:
        self._file = os.fdopen(fd, "w+b", 1 << 16)
        self._places: dict[int, array[int]] = {}

    def add(self, parts: tuple[bytes, ...], attributes: Attributes) -> None:
        """Note the attributes of a directory; a later entry wins."""
        path = b"/".join(parts)
        numbers = (attributes.mode, attributes.uid, attributes.gid)
        mode, uid, gid = (_NOTHING if value is None else value for value in numbers)
        mtime = attributes.mtime
        self._places.setdefault(len(parts), array("q")).append(self._file.tell())
        self._file.write(_RECORD.pack(len(path), mode, uid, gid, mtime is not None, mtime or 0) + path)

    def __iter__(self) -> Iterator[tuple[tuple[bytes, ...], Attributes]]:
        """Yield all entries, the deepest first: a user other than root may lose access by the attributes of parents."""
        for depth in sorted(self._places, reverse=True):
            for place in self._places[depth]:
                self._file.seek(place)
                length, *numbers, has_mtime, mtime = _RECORD.unpack(self._file.read(_RECORD.size))
                path = self._file.read(length)
                mode, uid, gid = (None if value == _NOTHING else value for value in numbers)
                yield tuple(path.split(b"/")) if path else (), Attributes(mode, uid, gid, mtime if has_mtime else None)

    def close(self) -> None:
        """Discard them."""
        self._file.close()
