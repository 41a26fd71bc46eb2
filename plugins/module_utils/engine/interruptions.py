# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while resources run in threads."""

from __future__ import annotations

import signal
import threading
from signal import SIGKILL, SIGTERM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..host.threads import Threads
    from ..model.log import Log

_MESSAGES = (
    "Interrupted: waiting for what runs; Ctrl-C again ends its commands",
    "Interrupted again: ending commands; Ctrl-C again kills them",
    "Interrupted again: killing commands",
)


class Interruptions:
    """What each Ctrl-C does to the commands of `threads`: the first one nothing, as nothing new starts then."""

    def __init__(self, threads: Threads, report: Log) -> None:
        self._threads = threads
        self._report = report
        self._count = 0

    def act(self) -> None:
        """Act on one more: the second ends commands, the third kills them. Raises KeyboardInterrupt at the fourth."""
        self._count += 1
        if self._count > len(_MESSAGES):
            raise KeyboardInterrupt
        self._report.warn(_MESSAGES[self._count - 1])
        if self._count > 1:
            self._threads.signal_commands(SIGTERM if self._count == 2 else SIGKILL)


class InterruptionHandler:
    """Calls `call` at each Ctrl-C from `begin` to `end`; it must not use files, whose writing it may have interrupted.

    Only the main thread of a process receives signals: in others this does nothing, and neither in a process that was
    started to ignore Ctrl-C.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._is_set = False
        self._before: signal._HANDLER = None

    def begin(self) -> None:
        """Handle the signal."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, lambda _number, _frame: self._call())
            self._is_set = True

    def end(self) -> None:
        """Handle the signal as before."""
        if self._is_set:
            signal.signal(signal.SIGINT, self._before)
            self._is_set = False
