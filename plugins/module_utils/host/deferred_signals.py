# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals whose handlers wait during steps that they must not interrupt, while none is blocked."""

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
    """Within `with` no signal interrupts this thread, but while it admits them, and then only the first that raises.

    The handlers in Python of other signals are called when it admits them again, and at the end. Only the main thread
    is ever interrupted; in others this does nothing. No signal is blocked, as it is by `signals.hold`: a process that
    is started meanwhile would inherit that, and another thread might receive the signal.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        # The signals whose former handlers are to be set again. Until then `_receive` calls these once it is over.
        self._unset: list[int] = []
        self._received: list[tuple[int, FrameType | None]] = []
        self._admits = self._is_over = False

    def __enter__(self) -> DeferredSignals:
        if threading.main_thread().ident != _thread.get_ident():
            return self
        found = zip(_NUMBERS, map(_signal.getsignal, _NUMBERS))
        self._handlers = {number: handler for number, handler in found if handler not in _NO_HANDLERS}
        self._unset = list(self._handlers)
        try:
            for number in self._handlers:
                _signal.signal(number, self._receive)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            self._is_over = True
            self._set_former()
        finally:
            # What was not set because a handler raised.
            self._set_former()
            self._call()

    def admit(self) -> None:
        """Let signals interrupt this thread until one does, or `defer`. Raises what the handlers raise."""
        self._admits = True
        self._call_and_admit()

    def defer(self) -> None:
        """Let no signal interrupt this thread."""
        self._admits = False

    def _set_former(self) -> None:
        while self._unset:
            number = self._unset[-1]
            if _signal.getsignal(number) == self._receive:  # no handler has set another one
                _signal.signal(number, self._handlers[number])
            self._unset.pop()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._received.append((number, frame))
        if self._is_over:
            self._call()
        elif self._admits:
            self._call_and_admit()

    def _call_and_admit(self) -> None:
        """Call the handlers of what was received; another signal may be received between any two steps of this."""
        while self._received:
            self._admits = False
            self._call()
            self._admits = True

    def _call(self) -> None:
        while self._received:
            try:
                number, frame = self._received.pop(0)
            except IndexError:
                return  # another signal was received here, and all handlers were called then
            self._handlers[number](number, frame)
