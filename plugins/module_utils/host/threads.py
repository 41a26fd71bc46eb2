# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The threads of a run, and what only one of them may do at once."""

from __future__ import annotations

import errno
import sys
import threading
from collections import deque
from queue import Empty, SimpleQueue

from .errors import HostError, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection, Generic, Sequence, TypeVar

    Given = TypeVar("Given")
    Done = TypeVar("Done")

    class _Work(Generic[Given, Done]):
        """What a pool is given, and what comes of it."""

else:
    Given, Done = "Given", "Done"

    class _Work:
        def __class_getitem__(cls, _parameters):
            return cls  # `typing` takes long to import


# How long to wait, in seconds, until another thread starts.
_MOMENT = 0.001
# How long, in seconds, a thread waits for the interpreter before it asks for it.
_SWITCH_INTERVAL = 0.1


def start_thread(work: Callable[[], None]) -> threading.Thread:
    """Do some work in a thread that ends with the process, and return it. Raises HostError when none can be made."""
    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise HostError(f"could not start a thread: {reason_of(errno.EAGAIN)}", errno=errno.EAGAIN) from None
    return thread


class Pool(_Work[Given, Done]):
    """Threads, at most `most`, that `work`; the first that has nothing to do takes what is given.

    Another thread starts when nothing is done for a moment: several that never wait are slower than one. `work` must
    not raise.
    """

    def __init__(self, work: Callable[[Given], Done], most: int) -> None:
        self._work = work
        self._most = most
        self._threads = 0
        #: How many were given and not taken again.
        self.running = 0
        # One in a tuple is work; None ends a thread.
        self._given: SimpleQueue[tuple[Given] | None] = SimpleQueue()
        self.done: deque[Done] = deque()
        # Wakes who waits when nothing is given any more, and each time that something is done once it waits for long.
        self._bell: SimpleQueue[None] = SimpleQueue()
        self._waits_long = False

    def give(self, given: Given) -> None:
        """Have something done. Raises HostError when there is no thread, and none can be made."""
        if not self._threads:
            self._add_thread()
        self.running += 1
        self._given.put((given,))

    def take(self) -> Done:
        """Wait until something is done, and return it. Where no more threads can be made the present ones go on."""
        while not self.done:
            limit = _MOMENT if self._threads < min(self.running, self._most) else None
            if limit is None and not self._waits_long:
                self._waits_long = True
                continue  # something may have been done just before
            try:
                self._bell.get(timeout=limit)
            except Empty:
                if self._waits_long:
                    self._add_thread()
                self._waits_long = True
        self._waits_long = self._threads >= self._most
        self.running -= 1
        return self.done.popleft()

    def is_done_in(self, seconds: float) -> bool:
        """Wait for so long, or until something is done, and return whether all is done; nothing is taken."""
        self._waits_long = True
        if len(self.done) < self.running:
            try:
                self._bell.get(timeout=seconds)
            except Empty:
                return False
        return len(self.done) >= self.running

    def end(self) -> None:
        """End the threads when they have done what they do."""
        for _thread in range(self._threads):
            self._given.put(None)

    def _add_thread(self) -> None:
        try:
            start_thread(self._do)
            self._threads += 1
        except HostError:
            self._most = self._threads
            if not self._threads:
                raise

    def _do(self) -> None:
        for (given,) in iter(self._given.get, None):
            self.done.append(self._work(given))
            if self._waits_long or self._given.empty():
                self._bell.put(None)


class Threads:
    """The threads of a run, which exclude each other by names."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, threading.RLock] = {}
        self._runs = 0
        self._interval = 0.0

    def begin(self) -> None:
        """Begin a run with threads, until `end`; it may be within another one.

        Only one thread at once executes Python, and each that waits for its turn looks every 5 ms whether it is to ask
        for it: sixteen that do so on a busy machine take its time from the one that works.
        """
        with self._lock:
            self._runs += 1
            if self._runs == 1:
                self._interval = sys.getswitchinterval()
                sys.setswitchinterval(max(self._interval, _SWITCH_INTERVAL))

    def end(self) -> None:
        """End a run with threads."""
        with self._lock:
            self._runs -= 1
            if not self._runs:
                sys.setswitchinterval(self._interval)

    def exclusive(self, names: Collection[str]) -> _Exclusive:
        """Let no other thread be within `with` of one of these names."""
        if not names:
            return _FOR_NONE
        with self._lock:
            return _Exclusive([self._locks.setdefault(name, threading.RLock()) for name in sorted(names)])


class _Exclusive:
    def __init__(self, locks: Sequence[threading.RLock]) -> None:
        self._locks = locks

    def __enter__(self) -> None:
        for lock in self._locks:
            lock.acquire()

    def __exit__(self, *_error: object) -> None:
        for lock in self._locks:
            lock.release()


_FOR_NONE = _Exclusive(())
