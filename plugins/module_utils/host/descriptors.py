# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is done with open files, whoever opened them."""

from __future__ import annotations

import os

from .system_errors import SystemCallError


def write_all(fd: int, data: bytes, path: str, lead: str = "") -> None:
    """Write all of `data`. Raises SystemCallError for `path`, with `lead` before its text."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except OSError as error:
            raise SystemCallError("write", path, error, lead=lead) from None


def try_lock(fd: int) -> bool:
    """Lock a file or directory for as long as it is open; whether nobody else had."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
