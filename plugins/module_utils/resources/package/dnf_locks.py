# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for other processes that use dnf or rpm.

dnf itself waits for them, but without limit and without a message. It keeps the process id of the owner in files (one
each for rpm's database, repository metadata and downloads) and ignores a file whose process has ended. rpm holds a lock
on a file next to its database during a transaction, and dnf 5 on another file.
"""

from __future__ import annotations

import os

from .locks import LockWaiter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from ...model.log import Log

PID_FILES = (
    "/var/lib/dnf/rpmdb_lock.pid",
    "/var/cache/dnf/metadata_lock.pid",
    "/var/cache/dnf/download_lock.pid",
)
LOCKED_FILES = ("/var/lib/rpm/.rpm.lock", "/usr/lib/sysimage/rpm/.rpm.lock", "/run/dnf/rpmtransaction.lock")


class DnfLockWaiter(LockWaiter):
    """Waits for the locks of dnf and rpm, for `timeout` ns in all."""

    def __init__(self, machine: Machine, timeout: int, log: Log) -> None:
        super().__init__(LOCKED_FILES, machine, timeout, log)

    def first_held(self) -> tuple[str, int] | None:
        """Return the first lock that is held, and by which process."""
        for path in PID_FILES:
            pid = _owner_in(path)
            if pid and os.path.exists(f"/proc/{pid}/stat"):
                return path, pid
        return super().first_held()


def _owner_in(path: str) -> int:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read(20) or 0)
    except (OSError, ValueError):
        return 0
