# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Owner, mode and time of unpacked files; a directory gets its own when it is complete."""

from __future__ import annotations

import os
import stat
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
    """Mode, user and group; None is not set. Times, mtimes in ns, are set with them: None is not set either."""

    __slots__ = ("first_mode", "gid", "mode", "uid")

    def __init__(self, mode: int | None, uid: int | None, gid: int | None) -> None:
        self.mode = mode
        self.uid = uid
        self.gid = gid
        #: The mode to make a file with: its own if its owner may read and write it, and without special bits.
        self.first_mode = mode if mode is not None and mode & ~0o177 == 0o600 else 0o600

    def are_on(self, fd: int, user: int) -> bool:
        """Return whether a file that `user` has just made with the first mode has them. Raises OSError."""
        if self.mode != self.first_mode or self.uid not in (None, user):
            return False
        found = os.fstat(fd)
        owner = (found.st_uid, found.st_gid)
        return stat.S_IMODE(found.st_mode) == self.mode and (self.uid is None or owner == (self.uid, self.gid))

    def set_on(self, fd: int, mtime: int | None, kept: int = 0) -> None:
        """Set them on an open file or directory, the owner first: that clears bits of the mode.

        Those bits of the mode that are `kept` stay when they are set. Raises OSError.
        """
        if self.uid is not None and self.gid is not None:
            os.chown(fd, self.uid, self.gid)
        if self.mode is not None:
            os.chmod(fd, self.mode | (os.fstat(fd).st_mode & kept if kept else 0))
        if mtime is not None:
            set_time(fd, mtime)

    def set_on_link(self, name: bytes, above: int, mtime: int | None) -> None:
        """Set owner and time of the symbolic link `name` in the open directory `above`. Raises OSError."""
        if self.uid is not None and self.gid is not None:
            os.chown(name, self.uid, self.gid, dir_fd=above, follow_symlinks=False)
        if mtime is not None:
            os.utime(name, ns=(time.time_ns(), mtime), dir_fd=above, follow_symlinks=False)


def set_time(fd: int, mtime: int) -> None:
    """Set the time in ns of an open file or directory; it was read now. Raises OSError."""
    os.utime(fd, ns=(time.time_ns(), mtime))


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
        self._end = 0

    def add(self, parts: tuple[bytes, ...], attributes: Attributes, mtime: int | None) -> None:
        """Note the attributes of a directory; a later entry wins."""
        path = b"/".join(parts)
        numbers = (attributes.mode, attributes.uid, attributes.gid)
        mode, uid, gid = (_NOTHING if value is None else value for value in numbers)
        self._places.setdefault(len(parts), array("q")).append(self._end)
        record = _RECORD.pack(len(path), mode, uid, gid, mtime is not None, mtime or 0) + path
        self._file.write(record)
        self._end += len(record)

    def __iter__(self) -> Iterator[tuple[tuple[bytes, ...], Attributes, int | None]]:
        """Yield all entries, the deepest first: a user other than root may lose access by the attributes of parents."""
        for depth in sorted(self._places, reverse=True):
            for place in self._places[depth]:
                self._file.seek(place)
                length, *numbers, has_mtime, mtime = _RECORD.unpack(self._file.read(_RECORD.size))
                path = self._file.read(length)
                mode, uid, gid = (None if value == _NOTHING else value for value in numbers)
                yield tuple(path.split(b"/")) if path else (), Attributes(mode, uid, gid), mtime if has_mtime else None

    def close(self) -> None:
        """Discard them."""
        self._file.close()
