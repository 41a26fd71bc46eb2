# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of a run that can be ended while they run, for Ctrl-C."""

from __future__ import annotations

import _thread
import os


class RunningCommands:
    """The process ids of the commands that run; threads may use it at once.

    Once the run `is_interrupted` it begins nothing new.
    """

    def __init__(self) -> None:
        self.is_interrupted = False
        self._lock = _thread.allocate_lock()
        self._running: dict[int, bool] = {}
        self._sent: int | None = None

    def add(self, pid: int, may_be_ended: bool) -> None:
        """Note a command that has begun. What was sent to the others while it was started is sent to it too."""
        with self._lock:
            self._running[pid] = may_be_ended
            if self._sent is not None and may_be_ended:
                _signal_group(pid, self._sent)

    def remove(self, pid: int) -> None:
        """Note that a command is about to be waited for: afterwards another process may have its id."""
        with self._lock:
            self._running.pop(pid, None)

    @property
    def must_be_waited_for(self) -> bool:
        """Whether a command runs that must not be ended, for example a package manager."""
        with self._lock:
            return False in self._running.values()

    def signal(self, number: int) -> None:
        """Send a signal to the commands that may be ended, and to their process groups."""
        with self._lock:
            self._sent = number
            for pid, may_be_ended in self._running.items():
                if may_be_ended:
                    _signal_group(pid, number)


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except OSError:
        return  # it has ended
