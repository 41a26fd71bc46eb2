# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations on open files."""

from __future__ import annotations

import fcntl
import os

from .errors import SystemCallError


def write_bytes(fd: int, data: bytes | memoryview) -> None:
    """Write all of `data`, which is not copied; a view of it must be one of bytes. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_all(fd: int, data: bytes, path: str, lead: str = "") -> None:
    """Write all of `data`. Raises SystemCallError for `path`, with `lead` before its text."""
    try:
        write_bytes(fd, data)
    except OSError as error:
        raise SystemCallError("write", path, error, lead=lead) from None


def lock_new(fd: int) -> os.stat_result | None:
    """Lock a new file or directory, as long as it is open; None when another process removed it.

    On a file system without locks it is not locked.
    """
    _lock(fd, fcntl.LOCK_EX)
    found = os.fstat(fd)
    return found if found.st_nlink else None


def try_lock(fd: int) -> bool:
    """Lock a file or directory as long as it is open; False when another process has, or the file system no locks."""
    return _lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked(fd: int) -> bool:
    """Return whether another process has locked a file or directory; several may ask at once."""
    return not _lock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)


def _lock(fd: int, operation: int) -> bool:
    try:
        fcntl.flock(fd, operation)
    except OSError:
        return False
    return True
