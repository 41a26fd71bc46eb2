# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in graph order and while watching: what runs is finished, then ended, then killed."""

from __future__ import annotations

import _signal
import _thread
import os
import time

from ..host.running_commands import RunningCommands
from .run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..model.log import Log
    from ..model.resource import Resource
    from .context import Context
    from .run import Order

# SIGINT, SIGKILL and SIGTERM, by Linux's numbers: `signal` takes longer to import.
_SIGINT, _SIGKILL, _SIGTERM = 2, 9, 15
_MESSAGES = (
    "Interrupted: waiting for what runs; Ctrl-C again ends its commands",
    "Interrupted again: ending commands; Ctrl-C again kills them",
    "Interrupted again: killing commands",
)
# How often the run is interrupted after the fourth Ctrl-C until it ends, in seconds.
_REPEAT = 0.1


class Interruptions:
    """What each Ctrl-C does to `commands`: the first one nothing, as nothing new starts then."""

    def __init__(self, commands: RunningCommands, report: Log) -> None:
        self._commands = commands
        self._report = report
        self._noted = self._done = 0

    def begin(self) -> None:
        """Let nothing new start. A handler of signals may call it."""
        self._commands.is_interrupted = True

    def note(self) -> None:
        """Note one more. A handler of signals may call it."""
        self.begin()
        self._noted += 1

    def act(self) -> bool:
        """Act on the noted ones: the second ends commands, the third kills them. Return whether there is a fourth."""
        while self._done < min(self._noted, len(_MESSAGES)):
            self._report.warn(_MESSAGES[self._done])
            self._done += 1
            if self._done > 1:
                self._commands.signal(_SIGTERM if self._done == 2 else _SIGKILL)
        return self._noted > len(_MESSAGES)


class InterruptionHandler:
    """Acts on each Ctrl-C from `begin` to `end`, in a thread: the interrupted thread may be writing.

    The thread is started by `listen`, at the latest at the first Ctrl-C; it calls `before_waiting` after it has said
    something. Only the main thread of a process receives signals: in others this does nothing, and neither in a process
    that was started to ignore Ctrl-C, nor within a run that has a handler.
    """

    def __init__(self, interruptions: Interruptions, before_waiting: Callable[[], None]) -> None:
        self._interruptions = interruptions
        self._before_waiting = before_waiting
        self._lock, self._ended = _thread.allocate_lock(), _thread.allocate_lock()
        self._main = 0
        self._before: object = None
        # The descriptor that signals are written to; -1 before `listen`, and where no thread can be made.
        self._write = -1
        self._is_last = self._has_raised = False

    def begin(self) -> None:
        """Become the handler of the signal."""
        before = _signal.getsignal(_SIGINT)
        # None is a handler that Python cannot set again.
        if before in (_signal.SIG_IGN, None) or isinstance(before, InterruptionHandler):
            return
        self._main = _thread.get_ident()
        try:
            self._before = _signal.signal(_SIGINT, self)
        except ValueError:
            self._main = 0  # another thread than the main thread

    def listen(self) -> None:
        """Start the thread, which notices a signal also when it comes just before the main thread waits."""
        if not self._main:
            return
        read, write = os.pipe()
        try:
            _thread.start_new_thread(self._act_on_each, (read,))
        except RuntimeError:
            os.close(read)
            os.close(write)
            return
        self._ended.acquire()
        os.set_blocking(write, False)
        _signal.set_wakeup_fd(write)
        self._write = write

    def __call__(self, number: int, _frame: object) -> None:
        """Handle the signal. Raises KeyboardInterrupt at the fourth one."""
        self._interruptions.begin()
        if self._is_last and not self._has_raised:
            self._has_raised = True
            raise KeyboardInterrupt
        if self._write >= 0:
            return
        self.listen()
        if self._write >= 0:
            os.write(self._write, bytes((number,)))
        else:
            self._interruptions.note()

    def end(self) -> None:
        """Let the handler before handle the signal, when all that was to be said is said."""
        if self._main:
            with self._lock:
                _signal.signal(_SIGINT, self._before)
                self._main = 0
        if self._write >= 0:
            _signal.set_wakeup_fd(-1)
            os.close(self._write)
            self._ended.acquire()
        self._interruptions.act()

    def _act_on_each(self, read: int) -> None:
        while True:
            received = os.read(read, 1)
            if not received:
                os.close(read)
                self._ended.release()
                return
            if received[0] == _SIGINT and not self._is_last:
                self._interruptions.note()
                self._is_last = self._interruptions.act()
                self._before_waiting()
                if self._is_last:
                    self._end_run()

    def _end_run(self) -> None:
        """Interrupt the run until it notices: one signal may come just before the main thread waits."""
        while True:
            with self._lock:
                if not self._main or self._has_raised:
                    return
                _signal.pthread_kill(self._main, _SIGINT)
            time.sleep(_REPEAT)


class InterruptibleRun(Run):
    """Manages one resource or group at a time in the thread of the run; `report` is the log of the run.

    After the first Ctrl-C nothing starts, after the second one commands are ended, after the third one they are killed,
    and the fourth one ends the run. Commands that must not be ended, like package managers, are waited for.
    """

    def __init__(self, resources: Sequence[Resource], context: Context, order: Order, report: Log) -> None:
        super().__init__(resources, context, order)
        machine = context.machine
        self._commands = machine.commands = machine.commands or RunningCommands()
        self._handler = InterruptionHandler(Interruptions(self._commands, report), machine.before_waiting)

    def _begin(self) -> None:
        """Handle Ctrl-C until the end."""
        self._handler.begin()

    def _end(self) -> None:
        self._handler.end()
