# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals whose handlers wait during a step that they must not interrupt, while none is blocked (decisions.md Q90)."""

from __future__ import annotations

import _signal
import _thread
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Callable, Optional

    Handler = Callable[[int, Optional[FrameType]], object]

# But for real-time signals, which nothing sends to interrupt a process.
_NUMBERS = range(1, 32)
_NO_HANDLERS = (_signal.SIG_DFL, _signal.SIG_IGN, None)


class DeferredSignals:
    """Within `with` no signal interrupts this thread: handlers in Python are called at the end, and may raise there.

    Only the main thread is ever interrupted; in others this does nothing. A process that is started meanwhile has no
    signal blocked, as it would have by `signals.hold`, and a signal that another thread receives is deferred, too.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        # The signals whose former handlers are to be set again. Until then `_receive` calls these once it is over.
        self._unset: list[int] = []
        self._received: list[tuple[int, FrameType | None]] = []
        self._is_over = False

    def __enter__(self) -> None:
        if threading.main_thread().ident != _thread.get_ident():
            return
        found = zip(_NUMBERS, map(_signal.getsignal, _NUMBERS))
        self._handlers = {number: handler for number, handler in found if handler not in _NO_HANDLERS}
        self._unset = list(self._handlers)
        try:
            for number in self._handlers:
                _signal.signal(number, self._receive)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_error: object) -> None:
        try:
            self._is_over = True
            self._set_former()
        finally:
            # What was not set because a handler raised.
            self._set_former()
            for number, frame in self._received:
                self._handlers[number](number, frame)

    def _set_former(self) -> None:
        while self._unset:
            number = self._unset[-1]
            if _signal.getsignal(number) == self._receive:  # no handler has set another one
                _signal.signal(number, self._handlers[number])
            self._unset.pop()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._is_over:
            self._handlers[number](number, frame)
        else:
            self._received.append((number, frame))
