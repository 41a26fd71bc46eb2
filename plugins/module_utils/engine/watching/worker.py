# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The thread that manages resources, one call after the other, while the thread of the loop sleeps."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from signal import SIGKILL
from time import monotonic_ns

from ...host.given_up import cut_calls
from ...host.threads import start_thread
from .schedule import SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.event_loop import EventLoop
    from ...host.running_commands import RunningCommands

#: How long to wait at the end for commands that were killed, in ns.
_FAREWELL = 2 * SECOND


class Worker:
    """Makes the calls that it is given, and wakes the loop after each; only one is given at a time."""

    def __init__(self, loop: EventLoop, commands: RunningCommands) -> None:
        self._loop = loop
        self._commands = commands
        self._given: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._results: SimpleQueue[object] = SimpleQueue()
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._is_busy = False

    def start(self) -> None:
        """Start the thread. Raises HostError when none can be made."""
        start_thread(self._work)

    def give(self, call: Callable[[], object]) -> None:
        """Have a call made."""
        self._is_busy = True
        self._given.put(call)

    def take(self) -> object:
        """Make the calls of `ask`; return the result or the error of the call of `give`, None while it runs."""
        self.answer()
        is_done = not self._results.empty()
        self._is_busy = self._is_busy and not is_done
        return self._results.get() if is_done else None

    def ask(self, call: Callable[[], None]) -> None:
        """Have the thread of the loop make a call, and wait until it is done. For use by the calls of `give`."""
        done = threading.Event()

        def answer() -> None:
            try:
                call()
            finally:
                done.set()

        self._asked.put(answer)
        self._loop.wake()
        self._loop.before_waiting()
        done.wait()

    def answer(self) -> None:
        """Make the calls of `ask`."""
        while not self._asked.empty():
            self._asked.get()()

    def end_call(self) -> None:
        """End the call that runs: its commands are killed, if they may be, and calls of types are given up."""
        self._commands.is_interrupted = True
        cut_calls()
        end = monotonic_ns() + _FAREWELL
        while self._results.empty() and (self._commands.must_be_waited_for or monotonic_ns() < end):
            self.answer()
            self._commands.signal(SIGKILL)
            # The result wakes the loop; a command that must not be killed may go on, and another one begin meanwhile.
            self._loop.sleep(monotonic_ns() + SECOND // 10)

    def end(self, last: Callable[[], None]) -> None:
        """Have a last call made, unless another one still runs, and end the thread."""
        if not self._is_busy or not self._results.empty():
            self.take()
            self.give(last)
            while self._results.empty():
                self._loop.sleep(None)
        self._given.put(None)

    def _work(self) -> None:
        while True:
            call = self._given.get()
            if call is None:
                return
            try:
                self._results.put(call())
            except BaseException as error:
                self._results.put(error)
            self._loop.wake()
