# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Managed files, opened for reading so that no other user makes a link show private files (decisions.md Q81).

A path is checked before it is opened: opening a device may have effects.
"""

from __future__ import annotations

import errno
import os
import stat

from .digests import sha256
from .errors import LinkNotFollowed, SystemCallError
from .reading import FileInfo, OpenPath, Reader, described, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .parents import LastDirectory

_REACH = os.O_PATH | os.O_CLOEXEC
_ENTRY = _REACH | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Target(Reader):
    """A regular file open for reading, within `with`; links are followed as for the parents of files.

    `known` is a descriptor of O_PATH of it, with its state, if it has been reached. Raises LinkNotFollowed,
    SystemCallError, and HostError if the target is not a regular file.
    """

    def __init__(self, path: str, known: tuple[int, os.stat_result] | None = None) -> None:
        self.path = path
        try:
            reached = _reached(path) if known is None else known[0]
            try:
                found = os.fstat(reached) if known is None else known[1]
                if not stat.S_ISREG(found.st_mode):
                    raise self._irregular()
                self.fd = open_reached(reached, path)
            finally:
                if known is None:
                    os.close(reached)
        except (OSError, ValueError) as error:
            raise SystemCallError("open", path, error) from None
        self.size = found.st_size


class Entry(FileInfo):
    """The description of a regular file at a path itself, which is open until it is read: what is read is described.

    `bare` is its state if it was read, differs from what is wanted and has no extended attributes.
    """

    bare: os.stat_result | None = None

    def __init__(self, path: str, found: os.stat_result, reached: OpenPath, *, is_direct: bool) -> None:
        super().__init__(found, False)
        self._path = path
        self._found = found
        self._reached: OpenPath | None = reached
        self._is_direct = is_direct

    def digest(self, most: int | None = None, wanted: str = "") -> str:
        """Return the SHA-256 as `digest_of` does, once; `wanted` is the wanted one, "" for any."""
        reached, self._reached = self._reached, None
        is_direct = reached is not None and (self._is_direct or path_of(reached.fd) == self._path)
        try:
            target = Target(self._path, (reached.fd, self._found) if reached is not None and is_direct else None)
        except LinkNotFollowed:
            return ""
        reached = None
        with target:
            checksum = _digest(target, most)
            if is_direct and wanted not in ("", checksum) and _has_no_attributes(target.fd):
                self.bare = self._found
        return checksum


def look(path: str, directory: LastDirectory | None = None) -> FileInfo | None:
    """Return the description of a path as `reading.look` does; an Entry for a regular file at the path itself.

    With `directory` the parent that this keeps open is used.
    """
    parent = directory.checked_parent_of(path) if directory else None
    try:
        if parent is None:
            reached = OpenPath(os.open(path, _ENTRY))
        else:
            reached = OpenPath(os.open(parent.name, _ENTRY, dir_fd=parent.fd))
        found = os.fstat(reached.fd)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SystemCallError("stat", path, error) from None
    if not stat.S_ISREG(found.st_mode):
        return described(path, found)
    return Entry(path, found, reached, is_direct=parent is not None)


def digest_of(path: str, most: int | None = None) -> str:
    """Return the SHA-256 of a target in hexadecimal.

    "" behind a link that is not followed, and for more than `most` bytes. Raises SystemCallError, and HostError if the
    target is not a regular file.
    """
    try:
        target = Target(path)
    except LinkNotFollowed:
        return ""
    with target:
        return _digest(target, most)


def _digest(target: Target, most: int | None) -> str:
    hasher, size = sha256(size=target.size), 0
    for chunk in target.chunks():
        size += len(chunk)
        if most is not None and size > most:
            return ""
        hasher.update(chunk)
    return hasher.hexdigest()


def _has_no_attributes(fd: int) -> bool:
    try:
        return not os.listxattr(fd)
    except OSError:
        return False


def open_reached(reached: int, name: str, directory: int | None = None) -> int:
    """Open for reading the file that is open as `reached`, by its name in an open directory. Raises OSError."""
    try:
        return os.open(f"/proc/self/fd/{reached}", _READ)
    except (FileNotFoundError, PermissionError):  # /proc may be missing, or not accessible
        fd = os.open(name, _READ, dir_fd=directory)
    if os.path.samestat(os.fstat(fd), os.fstat(reached)):
        return fd
    os.close(fd)
    raise OSError(errno.ESTALE, "")


def _reached(path: str) -> int:
    """Return an O_PATH descriptor of a path."""
    fd = os.open(path, _REACH)
    if path_of(fd) == path:
        return fd
    os.close(fd)
    return _resolved(path)


def _resolved(path: str) -> int:
    from .path_resolution import resolve

    return resolve(path)
