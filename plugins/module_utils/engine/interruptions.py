# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in graph order and while watching: what runs is finished, then ended, then killed."""

from __future__ import annotations

import _signal
import _thread

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
_LAST = len(_MESSAGES) + 1


class Interruptions:
    """What each Ctrl-C does to `commands`: the first one nothing, as nothing new starts then."""

    def __init__(self, commands: RunningCommands, report: Log) -> None:
        self._commands = commands
        self._report = report
        self._count = 0

    def act(self) -> None:
        """Act on one more: the second ends commands, the third kills them. Raises KeyboardInterrupt at the fourth."""
        self._count += 1
        if self._count >= _LAST:
            raise KeyboardInterrupt
        self._report.warn(_MESSAGES[self._count - 1])
        if self._count > 1:
            self._commands.signal(_SIGTERM if self._count == 2 else _SIGKILL)


class InterruptionHandler:
    """Calls `call` at each Ctrl-C from `begin` to `end`; it must not use files, whose writing it may have interrupted.

    Only the main thread of a process receives signals: in others this does nothing, and neither in a process that was
    started to ignore Ctrl-C, nor within a run that has a handler.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._is_set = False
        self._before: object = None

    def __call__(self, _number: int, _frame: object) -> None:
        """Handle the signal."""
        self._call()

    def begin(self) -> None:
        """Become the handler of the signal."""
        before = _signal.getsignal(_SIGINT)
        if before == _signal.SIG_IGN or isinstance(before, InterruptionHandler):
            return
        try:
            self._before = _signal.signal(_SIGINT, self)
        except ValueError:
            return  # another thread than the main thread
        self._is_set = True

    def end(self) -> None:
        """Let the handler before handle the signal."""
        if self._is_set:
            _signal.signal(_SIGINT, self._before)
            self._is_set = False


class InterruptibleRun(Run):
    """Manages one resource or group at a time in the thread of the run; `report` is the log of the run.

    After the first `interrupt` nothing starts, after the second one commands are ended, after the third one they are
    killed, and the fourth one ends the run. Commands that must not be ended, like package managers, are waited for.
    """

    def __init__(self, resources: Sequence[Resource], context: Context, order: Order, report: Log) -> None:
        super().__init__(resources, context, order)
        machine = context.machine
        self._commands = machine.commands = machine.commands or RunningCommands()
        self._interruptions = Interruptions(self._commands, report)
        self._handler = InterruptionHandler(self.interrupt)
        self._count = 0

    def _begin(self) -> None:
        """Handle Ctrl-C until the end."""
        self._handler.begin()

    def _end(self) -> None:
        self._handler.end()

    def interrupt(self) -> None:
        """Act on an interruption. Raises KeyboardInterrupt at the fourth one.

        A handler of signals may call it: the interrupted thread may be writing, so another one says what happens.
        """
        self._commands.is_interrupted = True
        self._count += 1
        if self._count == _LAST:
            raise KeyboardInterrupt
        if self._count < _LAST:
            _thread.start_new_thread(self._act, ())

    def _act(self) -> None:
        self._interruptions.act()
        self._context.machine.before_waiting()
