# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Managed files, opened for reading so that no other user makes a link show private files (decisions.md Q81).

A path is checked before it is opened: opening a device may have effects.
"""

from __future__ import annotations

import errno
import os
import stat

from .descriptors import path_of
from .digests import sha256
from .errors import LinkNotFollowed, SystemCallError
from .reading import Reader

_REACH = os.O_PATH | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Target(Reader):
    """A regular file open for reading, within `with`; links are followed as for the parents of files.

    Raises LinkNotFollowed, SystemCallError, and HostError if the target is not a regular file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            reached = _reached(path)
            try:
                found = os.fstat(reached)
                if not stat.S_ISREG(found.st_mode):
                    raise self._irregular()
                self.fd = open_reached(reached, path)
            finally:
                os.close(reached)
        except (OSError, ValueError) as error:
            raise SystemCallError("open", path, error) from None
        self.size = found.st_size


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
        hasher, size = sha256(size=target.size), 0
        for chunk in target.chunks():
            size += len(chunk)
            if most is not None and size > most:
                return ""
            hasher.update(chunk)
    return hasher.hexdigest()


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
    from .path_resolution import resolve

    return resolve(path)
