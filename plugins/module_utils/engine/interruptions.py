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
    from typing import Sequence

    from ..model.log import Log
    from ..model.resource import Resource
    from .context import Context
    from .run import Order

# SIGINT, SIGKILL and SIGTERM, by Linux's numbers: `signal` takes longer to import.
_SIGINT, SIGKILL, _SIGTERM = 2, 9, 15
_MESSAGES = (
    "Interrupted: waiting for what runs; Ctrl-C again ends its commands",
    "Interrupted again: ending commands; Ctrl-C again kills them",
    "Interrupted again: killing commands",
)
# How often the run is interrupted after the fourth Ctrl-C until it ends, in seconds.
_REPEAT = 0.1


class Interruptions:
    """What each Ctrl-C does to `commands` and to calls of types of other packages, which the third one gives up.

    The first one does nothing to them, as nothing new starts then.
    """

    def __init__(self, commands: RunningCommands, report: Log) -> None:
        self.commands = commands
        self._report = report
        self._noted = self._done = 0

    def note(self) -> None:
        """Note one more. A handler of signals may call it."""
        self.commands.is_interrupted = True
        self._noted += 1

    def act(self) -> bool:
        """Act on the noted ones: the second ends commands, the third kills them. Return whether there is a fourth.

        Raises OSError when the output is closed.
        """
        while self._done < min(self._noted, len(_MESSAGES)):
            self._done += 1
            if self._done > 1:
                self.commands.signal(_SIGTERM if self._done == 2 else SIGKILL)
            if self._done > 2:
                from ..host.given_up import cut_calls

                cut_calls()
            self._report.warn(_MESSAGES[self._done - 1])
            self._report.before_waiting()
        return self._noted > len(_MESSAGES)


class InterruptionHandler:
    """Acts on each Ctrl-C from `begin` to `end`, in a thread: the interrupted thread may be writing.

    Only the main thread of a process receives signals: in others this does nothing, and neither in a process that was
    started to ignore Ctrl-C, nor within a run that has a handler.
    """

    def __init__(self, interruptions: Interruptions) -> None:
        self._interruptions = interruptions
        self._main = 0
        self._before: object = None
        # The descriptor that signals are written to, -1 before `_listen`; the lock is held until its thread ends.
        self._write, self._listening = -1, _thread.allocate_lock()
        self._is_last = self._has_raised = False
        self._early = 0

    def begin(self, *, listens: bool = False) -> None:
        """Become the handler of the signal; unless it `listens`, the thread is started by the first one."""
        before = _signal.getsignal(_SIGINT)
        # None is a handler that Python cannot set again.
        if before in (_signal.SIG_IGN, None) or isinstance(before, InterruptionHandler):
            return
        self._main = _thread.get_ident()
        try:
            self._before = _signal.signal(_SIGINT, self)
        except ValueError:
            self._main = 0  # another thread than the main thread
        if listens:
            self._listen()

    def _listen(self) -> None:
        """Start the thread, which notices a signal also when it comes just before the main thread waits."""
        if not self._main:
            return
        # A signal is either handled before, and starts the thread itself, or written to the descriptor afterwards.
        before = _signal.pthread_sigmask(_signal.SIG_BLOCK, (_SIGINT,))
        try:
            if self._write < 0:
                read, write = os.pipe()
                _thread.start_new_thread(self._act_on_each, (read,))
                self._listening.acquire()
                self._write = write
                os.set_blocking(write, False)
                _signal.set_wakeup_fd(write)
        except RuntimeError:
            return
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)

    def __call__(self, number: int, _frame: object) -> None:
        """Handle the signal. Raises KeyboardInterrupt at the fourth one, and where no thread can be made."""
        self._interruptions.commands.is_interrupted = True
        if self._is_last and not self._has_raised:
            self._has_raised = True
            raise KeyboardInterrupt
        if self._write >= 0:
            return
        # Another signal may come while this one starts the thread.
        self._early += 1
        if self._early == 1:
            self._listen()
            if self._write < 0:
                raise KeyboardInterrupt
            os.write(self._write, bytes((number,)) * self._early)

    def end(self) -> None:
        """Let the handler before handle the signal, when all that was to be said is said."""
        if self._main:
            self._main = 0
            _signal.signal(_SIGINT, self._before)
        if self._write >= 0:
            _signal.set_wakeup_fd(-1)
            os.close(self._write)
            self._listening.acquire()

    def _act_on_each(self, read: int) -> None:
        for received in iter(lambda: os.read(read, 1), b""):
            if received[0] != _SIGINT or self._is_last:
                continue
            self._interruptions.note()
            try:
                self._is_last = self._interruptions.act()
            except OSError:
                continue  # the next line of the run raises it
            # One signal may come just before the main thread waits.
            while self._is_last and self._main and not self._has_raised:
                _signal.pthread_kill(self._main, _SIGINT)
                time.sleep(_REPEAT)
        os.close(read)
        self._listening.release()


class InterruptibleRun(Run):
    """Manages one resource or group at a time in the thread of the run; `report` is the log of the run.

    After the first Ctrl-C nothing starts, after the second one commands are ended, after the third one they are killed,
    and the fourth one ends the run. Commands that must not be ended, like package managers, are waited for.
    """

    def __init__(self, resources: Sequence[Resource], context: Context, order: Order, report: Log) -> None:
        super().__init__(resources, context, order)
        self._commands = context.machine.commands = context.machine.commands or RunningCommands()
        self._handler = InterruptionHandler(Interruptions(self._commands, report))

    def _begin(self) -> None:
        """Handle Ctrl-C until the end."""
        self._handler.begin(listens=self._parallel > 1)

    def _end(self) -> None:
        self._handler.end()
