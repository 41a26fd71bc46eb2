# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads that do what they are given, as many as it takes."""

from __future__ import annotations

from collections import deque
from queue import Empty, SimpleQueue

from .errors import HostError
from .threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Generic, Iterator, TypeVar

    Given = TypeVar("Given")
    Done = TypeVar("Done")

    class _Work(Generic[Given, Done]):
        """What a pool is given, and what comes of it."""

else:
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
                self._waits_long = True
                for _thread in range(0 if self.done else min(self._threads, self._most - self._threads)):
                    self._add_thread()
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
