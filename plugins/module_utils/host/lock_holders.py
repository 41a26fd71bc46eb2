# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which process holds a lock of a file."""

from __future__ import annotations

import fcntl
import os
import struct

# The struct flock of fcntl: type, whence, start, length, pid.
_FLOCK = "hhqqi4x"


def holder(path: str) -> int | None:
    """Return the process that holds a lock of fcntl on a file, None when there is none or the file is unreadable.

    0 or less means an unknown process, such as one outside of this container.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _whence, _start, _length, pid = struct.unpack(_FLOCK, fcntl.fcntl(fd, fcntl.F_GETLK, request))
    except OSError:
        return None
    finally:
        os.close(fd)
    return None if kind == fcntl.F_UNLCK else int(pid)


def named(pid: int) -> str:
    """Return the name of a process, with its id, for messages; 0 or less means an unknown one."""
    if pid <= 0:
        return "a process that is not visible from here"
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            name = file.read().strip()
    except OSError:
        name = ""
    return f"{name or 'a process'} (pid {pid})"
