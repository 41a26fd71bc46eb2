# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls in a thread beside the calling one, which gives them up when they take too long (architecture.md, Time limits).

Nothing ends a thread of Python: a call that was given up goes on, and what comes of it is dropped.
"""

from __future__ import annotations

import errno
import threading
from time import monotonic_ns

from .errors import HostError, reason_of
from .machine import OF_THREAD
from .running_commands import RunningCommands
from .threads import use_short_turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from queue import Empty, SimpleQueue
    from typing import Callable, TypeVar

    R = TypeVar("R")
else:
    from _queue import Empty, SimpleQueue  # `queue` takes long to import

# SIGKILL, by Linux's number: `signal` takes longer to import.
_SIGKILL = 9
# The longest time, in seconds, that a call is waited for; every version of Python can wait so long.
_LONGEST = 30 * 24 * 60 * 60.0
# How long, in ns, a call may take that begins after the deadline of its thread: it may clean up what was begun.
_LEAST = 1_000_000_000
# How long to wait at once, in seconds: a signal that comes just before a thread waits is handled after that.
_ATTENTION = 0.5
# How long to wait, in seconds, for the end of a call whose commands were killed.
_FAREWELL = 0.2


class NotEnded(Exception):
    """A call was given up; `when` says when it had to end: "within 5 seconds".

    It `was_late` when the deadline of its thread came before its own limit.
    """

    def __init__(self, when: str, *, was_late: bool = False) -> None:
        super().__init__(f"did not end {when}")
        self.when = when
        self.was_late = was_late


class Call:
    """A call that is made in a thread beside the calling one until its `end`, in ns of the monotonic clock.

    `commands` are the commands that it began, and that run. `fault` says why it was given up, "" when it was not.
    `raised` is what its work raised.
    """

    def __init__(self) -> None:
        self.end = 0
        self.fault = ""
        self.raised: BaseException | None = None
        self.commands = RunningCommands()
        self._is_given_up = self._has_ended = False
        # True when it has ended, False when it is given up before its time is over.
        self._news: SimpleQueue[bool] = SimpleQueue()

    @property
    def semaphores(self) -> set[str]:
        """The names of the semaphores that it has."""
        return set()

    @property
    def references(self) -> set[str]:
        """The references of the resources that it is about, as they are written."""
        return set()

    @property
    def goes_on(self) -> bool:
        """Whether it was given up, and has not ended yet."""
        return self._is_given_up and not self._has_ended

    def make(self, work: Callable[[], R], seconds: float) -> R:
        """Do some work for so long at most, and until the deadline of this thread; return its result.

        Within another call that ends earlier the work is done in the thread of that one. Raises NotEnded, what the work
        raises, and HostError when no thread can be made.
        """
        now, deadline = monotonic_ns(), OF_THREAD.deadline
        limit = now + int(min(seconds, _LONGEST) * 1e9)
        self.end = limit if deadline is None else min(limit, deadline if deadline > now else now + _LEAST)
        outer = current_call()
        if outer is not None and outer.end <= self.end:
            return work()
        results: list[R] = []
        errors: list[BaseException] = []

        def do() -> None:
            try:
                results.append(work())
            except BaseException as error:
                errors.append(error)

        has_ended = self._is_made(do)
        # Its commands are ended at its end too: it may have failed because of that before this thread noticed the end.
        if not has_ended or (errors and monotonic_ns() >= self.end):
            problem = self._problem(limit, now)
            self.fault = str(problem)
            raise problem
        if errors:
            self.raised = errors.pop()
            raise self.raised
        return results.pop()

    def do(self, work: Callable[[], None]) -> None:
        """Do its work in this thread, unless it was given up before."""
        OF_THREAD.deadline, OF_THREAD.commands = self.end, self.commands
        if not self._is_given_up:
            work()

    def note_end(self) -> None:
        """Report to the calling thread that it has ended."""
        self._has_ended = True
        self._news.put(True)

    def cut(self) -> None:
        """Have it given up before its time is over; any thread, and a handler of signals, may call this."""
        self._news.put(False)

    def _problem(self, limit: int, begin: int) -> NotEnded:
        """Return why it was given up that began then; without the deadline of its thread its end would be `limit`."""
        if monotonic_ns() < self.end:
            return NotEnded("before the run")
        seconds = (self.end - begin) / 1e9
        if self.end < limit:
            return NotEnded(f"within the {seconds:.3g} seconds left", was_late=True)
        return NotEnded(f"within {seconds:g} seconds")

    def _is_made(self, work: Callable[[], None]) -> bool:
        """Have it made in the thread beside this one; return whether it ended in time. Raises as `make`."""
        thread = _thread_beside()
        OF_CALLER.waits = True
        try:
            thread.give(self, work)
            if self._ends_in((self.end - monotonic_ns()) / 1e9):
                return True
        except BaseException:
            self._give_up()
            raise
        finally:
            OF_CALLER.waits = False
        self._give_up()
        return False

    def _give_up(self) -> None:
        """Kill its commands, wait for commands that must not be killed, then let it go on alone."""
        self.fault = "was given up"
        self.commands.signal(_SIGKILL)
        try:
            while not self._ends_in(_FAREWELL) and self.commands.must_be_waited_for:
                pass
        finally:
            self._is_given_up = True
            if self.goes_on:
                OF_CALLER.beside = None

    def _ends_in(self, seconds: float) -> bool:
        """Wait so long, and return whether it has ended; not so long when it is cut."""
        end = monotonic_ns() + int(seconds * 1e9)
        while True:
            left = (end - monotonic_ns()) / 1e9
            try:
                return self._news.get(timeout=min(max(left, 0), _ATTENTION))
            except Empty:
                if left <= _ATTENTION:
                    return self._has_ended


class CallThread(threading.Thread):
    """Makes the calls of another thread, one after the other; `call` is the given one, until it ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.call: Call | None = None
        self._given: SimpleQueue[tuple[Call, Callable[[], None]] | None] = SimpleQueue()

    def give(self, call: Call, work: Callable[[], None]) -> None:
        """Have the work of a call done."""
        self.call = call
        self._given.put((call, work))

    def end(self) -> None:
        """End the thread when it has made its call."""
        self._given.put(None)

    def run(self) -> None:
        """Make the calls."""
        for call, work in iter(self._given.get, None):
            call.do(work)
            self.call = None
            call.note_end()
            del call, work


class _Beside:
    """The thread beside a calling thread; it ends when that has ended, or begins to call in another one."""

    def __init__(self) -> None:
        self.thread = CallThread()
        use_short_turns()
        try:
            self.thread.start()
        except RuntimeError:
            raise HostError(f"could not start a thread: {reason_of(errno.EAGAIN)}", errno=errno.EAGAIN) from None

    def __del__(self) -> None:
        # A signal may have ended `__init__`.
        if "thread" in vars(self):
            self.thread.end()


class _OfCaller(threading.local):
    """What belongs to a calling thread: the thread beside it, and whether it waits for a call."""

    beside: _Beside | None = None
    waits = False


OF_CALLER = _OfCaller()


def _thread_beside() -> CallThread:
    if OF_CALLER.beside is None:
        OF_CALLER.beside = _Beside()
    return OF_CALLER.beside.thread


def current_call() -> Call | None:
    """Return the call that this thread makes, None in a thread that is not beside another one."""
    thread = threading.current_thread()
    return thread.call if isinstance(thread, CallThread) else None


def is_given_up() -> bool:
    """Return whether this thread makes a call that was given up: what comes of it is dropped."""
    call = current_call()
    return call is not None and call.goes_on


def current_calls() -> list[Call]:
    """Return the calls that are being made in this process, also calls that were given up and go on."""
    found = [thread.call for thread in threading.enumerate() if isinstance(thread, CallThread)]
    return [call for call in found if call is not None]
