# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The processes below another one, from /proc."""

from __future__ import annotations

import os
import time

from .processes import stat_of
from .results import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

# In /proc/PID/stat, after the name in parentheses.
_STATE, _PARENT, _STARTED = 0, 1, 19
_ENDED = ("Z", "X")


class Process:
    """A process: its id, the id of its parent, the name that the kernel keeps, and when it started, in clock ticks.

    Another process may have its id afterwards; that one started later.
    """

    def __init__(self, pid: int, parent: int, name: str, started: int) -> None:
        self.pid = pid
        self.parent = parent
        self.name = name
        self.started = started

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Process) and (self.pid, self.started) == (other.pid, other.started)

    def __hash__(self) -> int:
        return hash((self.pid, self.started))

    def arguments(self) -> list[str]:
        """Return the words of its command line; none when it has ended."""
        try:
            with open(f"/proc/{self.pid}/cmdline", "rb") as file:
                return decode(file.read()).split("\0")
        except OSError:
            return []

    def send(self, number: int) -> None:
        """Send a signal to it, but not to a later process with its id."""
        if _process(self.pid) == self:
            try:
                os.kill(self.pid, number)
            except OSError:
                return  # it has just ended


class ProcessTree:
    """The present processes without zombies (processes that have ended and are not waited for)."""

    def __init__(self) -> None:
        self._children: dict[int, list[Process]] = {}
        for entry in os.listdir("/proc"):
            process = _process(int(entry)) if entry.isdecimal() else None
            if process is not None:
                self._children.setdefault(process.parent, []).append(process)
        self._now = time.clock_gettime(time.CLOCK_BOOTTIME)

    def children(self, pid: int) -> Sequence[Process]:
        """Return the processes that a process has started."""
        return self._children.get(pid, ())

    def age(self, process: Process) -> int:
        """Return how long a process has run, in ns."""
        return int((self._now - process.started / os.sysconf("SC_CLK_TCK")) * 1_000_000_000)


def _process(pid: int) -> Process | None:
    name, fields = stat_of(pid) or ("", [])
    if len(fields) <= _STARTED or fields[_STATE] in _ENDED:
        return None
    return Process(pid, int(fields[_PARENT]), name, int(fields[_STARTED]))
