# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One thread that sleeps until a descriptor can be read, a time has come, or another thread wakes it."""

from __future__ import annotations

import os
import selectors
import threading
from heapq import heappop, heappush
from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_SECOND = 1_000_000_000
#: A longer sleep is too long for the kernel, in seconds.
_LONGEST = 86_400.0


class EventLoop:
    """Says which functions to call when something happens; times are in ns of the clock that is never set back.

    `before_waiting` is called before it sleeps, as `Machine.before_waiting`.
    """

    def __init__(self, before_waiting: Callable[[], None]) -> None:
        self.before_waiting = before_waiting
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        # Reentrant: a handler of signals may wake it while its own thread does.
        self._lock = threading.RLock()
        self._is_closed = False
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector.register(self._wake_read, selectors.EVENT_READ, None)

    def add_reader(self, fd: int, call: Callable[[], None]) -> None:
        """Call `call` whenever there is something to read from a descriptor."""
        self._selector.register(fd, selectors.EVENT_READ, call)

    def remove_reader(self, fd: int) -> None:
        """Do not look at a descriptor any more, before it is closed."""
        self._selector.unregister(fd)

    def call_at(self, when: int, call: Callable[[], None]) -> None:
        """Call `call` once, at a time."""
        self._count += 1
        heappush(self._timers, (when, self._count, call))

    def call_after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call `call` once, after a time."""
        self.call_at(monotonic_ns() + int(seconds * _SECOND), call)

    def wake(self) -> None:
        """End the sleep, if it is not closed. Any thread and any handler of signals may call it."""
        with self._lock:
            if self._is_closed:
                return  # another file may have the number of its descriptor
            try:
                os.write(self._wake_write, b"\0")
            except BlockingIOError:
                return  # it is awake

    def wait(self, until: int | None) -> list[Callable[[], None]]:
        """Sleep until something happens, at most `until` a time, and return what waits for it, which is to be called.

        The caller has called `before_waiting`.
        """
        if self._timers and (until is None or self._timers[0][0] < until):
            until = self._timers[0][0]
        # A little later than needed, never too early: the kernel counts in ms.
        timeout = None if until is None else min(max(0.0, (until - monotonic_ns()) / _SECOND), _LONGEST)
        found: list[Callable[[], None]] = []
        for key, _events in self._selector.select(timeout):
            if key.data is None:
                self._empty()
            else:
                found.append(key.data)
        now = monotonic_ns()
        while self._timers and self._timers[0][0] <= now:
            found.append(heappop(self._timers)[2])
        return found

    def sleep(self, until: int | None) -> None:
        """Sleep until something happens, at most `until` a time, and call what waits for it."""
        self.before_waiting()
        for call in self.wait(until):
            call()

    def close(self) -> None:
        """Close the own descriptors."""
        with self._lock:
            self._is_closed = True
            self._selector.close()
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _empty(self) -> None:
        try:
            while os.read(self._wake_read, 4096):
                continue
        except BlockingIOError:
            return
