# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Shows what takes long on the last line of a terminal until it is done."""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from .terminal import write_as_is

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

#: Seconds before a running task is shown, and between two updates.
_DELAY, _FRAME = 0.5, 0.2
_ERASED = "\r\x1b[K"
_MIB = 1 << 20


class Progress:
    """The line on `stream`, a terminal. Its thread draws it, and only while something is being done."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = allocate_lock()
        self._what = ""
        self._amount = ""
        self._started_at = 0.0
        self._turn = 0
        self._drawn = False

    def doing(self, what: str) -> None:
        """Show the current action; "" when it is over."""
        with self._lock:
            self._what, self._amount, self._started_at = what, "", time.monotonic()
            self._turn += 1
            self._erase()
            if what:
                try:
                    start_new_thread(self._watch, (self._turn,))
                except RuntimeError:
                    return  # no more threads can be made

    def received(self, done: int, total: int | None) -> None:
        """Show how many bytes of how many (None: not known) were received; 0 when that is over."""
        of = f" of {total / _MIB:.1f}" if total else ""
        self._amount = f", {done / _MIB:.1f}{of} MiB" if done else ""

    def erase(self) -> None:
        """Erase the line before other output."""
        with self._lock:
            self._erase()

    def _erase(self) -> None:
        if self._drawn:
            self._write(_ERASED)
            self._drawn = False

    def _write(self, text: str) -> None:
        """Write to the terminal; an error of a closed one is ignored."""
        try:
            write_as_is(self._stream, text)
            self._stream.flush()
        except (OSError, ValueError):
            return

    def _watch(self, turn: int) -> None:
        time.sleep(_DELAY)
        while True:
            with self._lock:
                if turn != self._turn:
                    return
                self._draw()
            time.sleep(_FRAME)

    def _draw(self) -> None:
        line = f" {self._what}{self._amount}, {int(time.monotonic() - self._started_at)}s"
        shown = "".join(char if char.isprintable() else "?" for char in line)
        self._write(_ERASED + shown[: _columns() - 1])
        self._drawn = True


def _columns() -> int:
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:
        return 80
