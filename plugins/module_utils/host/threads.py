# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the threads of a run share: the commands that they have started, and what only one may do at once."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import ExitStack, contextmanager

from .errors import HostError, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator


def start_thread(work: Callable[[], None]) -> threading.Thread:
    """Do some work in a thread that ends with the process, and return it. Raises HostError when none can be made."""
    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise HostError(f"could not start a thread: {reason_of(errno.EAGAIN)}", errno=errno.EAGAIN) from None
    return thread


class Threads:
    """The threads of a run: the process ids of their commands, and locks by their names.

    Once the run `is_interrupted` they begin nothing new.
    """

    def __init__(self) -> None:
        self.is_interrupted = False
        self._lock = threading.Lock()
        self._running: dict[int, bool] = {}
        self._sent: int | None = None
        self._locks: dict[str, threading.RLock] = {}

    @contextmanager
    def exclusive(self, names: Iterable[str]) -> Iterator[None]:
        """Let no other thread be within `with` of one of these names."""
        with self._lock:
            locks = [self._locks.setdefault(name, threading.RLock()) for name in sorted(names)]
        with ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            yield

    def add_command(self, pid: int, may_be_ended: bool) -> None:
        """Note a command that has begun. What was sent to the others while it was started is sent to it too."""
        with self._lock:
            self._running[pid] = may_be_ended
            if self._sent is not None and may_be_ended:
                _signal_group(pid, self._sent)

    def remove_command(self, pid: int) -> None:
        """Note that a command is about to be waited for: afterwards another process may have its id."""
        with self._lock:
            self._running.pop(pid, None)

    @property
    def must_be_waited_for(self) -> bool:
        """Whether a command runs that must not be ended, for example a package manager."""
        with self._lock:
            return False in self._running.values()

    def signal_commands(self, number: int) -> None:
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
