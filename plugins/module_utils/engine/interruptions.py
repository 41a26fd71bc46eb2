# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while resources run in threads."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from signal import SIGKILL, SIGTERM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

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


@contextmanager
def on_interruption(call: Callable[[], None]) -> Iterator[None]:
    """Call `call` at each Ctrl-C within `with`; it must not use files, whose writing it may have interrupted.

    Only the main thread of a process receives signals: in others this does nothing, and neither in a process that was
    started to ignore Ctrl-C.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: call())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
