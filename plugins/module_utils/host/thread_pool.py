# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads that do what they are given, as many as it takes."""

from __future__ import annotations

from time import monotonic

from .errors import HostError
from .threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from queue import Empty, SimpleQueue
    from typing import Callable, Generic, Iterator, TypeVar

    Given = TypeVar("Given")
    Done = TypeVar("Done")

    class _Work(Generic[Given, Done]):
        """What a pool is given, and what comes of it."""

else:
    from _queue import Empty, SimpleQueue  # `queue` takes long to import

    Given, Done = "Given", "Done"

    class _Work:
        def __class_getitem__(cls, _parameters):
            return cls  # `typing` takes long to import


# How long to wait, in seconds, until there are twice as many threads.
_MOMENT = 0.003


class Pool(_Work[Given, Done]):
    """Threads, at most `most`, that `work`; the first idle thread takes what a caller gives.

    There is one at first. When nothing is done for a moment as many start again: several that never wait are slower
    than one.
    """

    def __init__(self, work: Callable[[], None], most: int) -> None:
        self._work = work
        self._most = most
        self._threads = 0
        #: How many were given and not taken again.
        self.running = 0
        # One in a tuple is work; None ends a thread.
        self._given: SimpleQueue[tuple[Given] | None] = SimpleQueue()
        self.done: list[Done] = []
        # Wakes who waits when nothing is given any more, and each time that something is done once it waits for long.
        self._bell: SimpleQueue[None] = SimpleQueue()
        self._waits_long = False
        # When something was taken, or given while nothing was done.
        self._since = 0.0
        # How often in succession it took long to do something here, and how many are given all the same.
        self._long = self._not_left = 0

    def give(self, given: Given) -> None:
        """Have something done. Raises HostError when there is no thread, and none can be made."""
        if not self._threads:
            self._add_thread()
        if not self.running:
            self._since = monotonic()
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
                self._waits_long = True
                self._double()
        self._waits_long = self._threads >= self._most
        self.running -= 1
        self._since = monotonic()
        return self.done.pop(0)

    def leaves_short(self) -> bool:
        """Return whether who gives is to do itself what is short: in several threads it takes longer.

        Not when it took long twice, as on a slow file system: then the next go to threads.
        """
        if self._not_left:
            self._not_left -= 1
            return False
        return True

    def note_left(self, duration: int) -> None:
        """Note that who gives did something itself in so many ns; more threads start when nothing else is done."""
        if duration < _MOMENT * 1e9:
            self._long = 0
        else:
            self._long += 1
            self._not_left = 4 * self._most if self._long > 1 else 0
        if self.running and self._threads < min(self.running, self._most) and monotonic() - self._since > _MOMENT:
            self._double()
            self._since = monotonic()

    def _double(self) -> None:
        for _thread in range(0 if self.done else min(self._threads, self._most - self._threads)):
            self._add_thread()

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
            start_thread(self._work)
            self._threads += 1
        except HostError:
            self._most = self._threads
            if not self._threads:
                raise

    def given(self) -> Iterator[Given]:
        """Yield what a thread of the pool is to do, until the end; it calls `add` after each."""
        for (given,) in iter(self._given.get, None):
            yield given

    def add(self, done: Done) -> None:
        """Note that something is done."""
        self.done.append(done)
        if self._waits_long or self._given.empty():
            self._bell.put(None)
