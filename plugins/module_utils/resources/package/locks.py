# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Locks of package managers that another process holds."""

from __future__ import annotations

import time

from ...host.lock_holders import holder, named
from ...lang.spans import format_go
from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from ...model.log import Log

_SHORTEST_PAUSE = 0.05
_LONGEST_PAUSE = 0.5


class LockWaiter:
    """Waits for locks, `paths` in the order in which they are taken, for `timeout` ns in all."""

    def __init__(self, paths: Sequence[str], machine: Machine, timeout: int, log: Log) -> None:
        self._paths = paths
        self._machine = machine
        self._timeout = timeout
        self._log = log
        self._deadline = time.monotonic_ns() + timeout
        self._warned = False

    @property
    def is_over(self) -> bool:
        """Whether the time has passed."""
        return time.monotonic_ns() >= self._deadline

    def wait(self) -> None:
        """Return when no process holds a lock. Raises ResourceFailed, naming holder and lock, when the time is over."""
        pause = _SHORTEST_PAUSE
        while True:
            found = self.first_held()
            if found is None:
                return
            path, pid = found
            if self.is_over:
                self._give_up(path, pid)
            if not self._warned:
                self._log.warn(f"Waiting for {named(pid)}, which holds {path}, for at most {self._shown()}")
                self._warned = True
            self._machine.pause(min(pause, max(self._deadline - time.monotonic_ns(), 0) / 1e9 + 0.001))
            pause = min(pause * 2, _LONGEST_PAUSE)

    def first_held(self) -> tuple[str, int] | None:
        """Return the first lock that is held, and the process that holds it."""
        return _first_held(self._paths)

    def _give_up(self, path: str, pid: int) -> None:
        raise ResourceFailed(
            f"{named(pid)} still holds {path} after {self._shown()}",
            advice="wait for it to end, or set a longer lock_timeout",
        )

    def _shown(self) -> str:
        return format_go(self._timeout)


def _first_held(paths: Sequence[str]) -> tuple[str, int] | None:
    for path in paths:
        pid = holder(path)
        if pid is not None:
            return path, pid
    return None
