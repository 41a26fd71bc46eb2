# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What people see while something runs: their log on stdout, the program's on stderr (features.md 19)."""

from __future__ import annotations

import os
import sys
import time

from ..model.log import DEBUG, ERROR, INFO, WARN, Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, TextIO

    from ..model.log import Fields
    from .command import Values

_RANK = {DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3}
_TAGS = {DEBUG: "46;97", INFO: "42;97", WARN: "43;97", ERROR: "41;97"}
_KEY, _ERROR_KEY, _PLAIN = "\x1b[36m", "\x1b[31m", "\x1b[0m"
#: Seconds after which somebody who reads our output through a pipe wants to see something.
_PATIENCE = 0.1
#: Seconds between two pictures of how far something is.
_FRAME = 0.2
_ERASED = "\r\x1b[K"
_MIB = 1 << 20


class UserLog(Log):
    """The log that people read: ` LEVEL message key=value`, in colours on a terminal unless NO_COLOR is set.

    `stream` is stdout, or stderr where stdout is for machines. Where no person watches a terminal, lines are collected
    and written together.
    """

    def __init__(self, stream: TextIO, *, debug: bool = False) -> None:
        self._stream = stream
        self._level = _RANK[DEBUG if debug else INFO]
        self._terminal = stream.isatty()
        self._colours = self._terminal and not os.environ.get("NO_COLOR")
        self._written = 0.0
        self._drawn = 0.0

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Print one line."""
        if _RANK[level] < self._level:
            return
        line = _coloured(level, message, fields) if self._colours else _plain(level, message, fields)
        if self._drawn:
            self.progress(0, None)
        self._stream.write(line)
        now = time.monotonic()
        if self._terminal or now - self._written > _PATIENCE:
            self._stream.flush()
            self._written = now

    def progress(self, done: int, total: int | None) -> None:
        """Draw on the last line of a terminal, now and then, how far something is; 0 takes it away."""
        now = time.monotonic()
        if not self._terminal or (done and now - self._drawn < _FRAME) or not (done or self._drawn):
            return
        self._drawn = now if done else 0.0
        of = f" of {total / _MIB:.1f}" if total else ""
        self._stream.write(_ERASED + (f" {done / _MIB:.1f}{of} MiB" if done else ""))
        self._stream.flush()

    def flush(self) -> None:
        """Write what was collected."""
        self._stream.flush()


def _plain(level: str, message: str, fields: Fields) -> str:
    line = f" {level:<5} {message}"
    for key, value in fields:
        line += f" {key}={value}"
    return line + "\n"


def _coloured(level: str, message: str, fields: Fields) -> str:
    pairs = "".join(f" {_ERROR_KEY if 'err' in key else _KEY}{key}={_PLAIN}{value}" for key, value in fields)
    return f" \x1b[{_TAGS[level]}m{level:<5}{_PLAIN} {message}{pairs}\n"


class ProgramLog(Log):
    """The program's own log on stderr, `time=… level=… msg=… key=value`, from WARN on, or as --info and --debug ask."""

    def __init__(self, user_log: UserLog, level: str = WARN) -> None:
        self._user_log = user_log
        self._level = _RANK[level]

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Print one line. What is told at INFO takes its time, so what people have to read goes out before."""
        rank = _RANK[level]
        if rank:
            self._user_log.flush()
        if rank < self._level:
            return
        from ..model.clock import timestamp

        stamp = timestamp(time.time_ns() // 1_000_000 * 1_000_000)
        pairs = [("time", stamp), ("level", level), ("msg", message), *fields]
        sys.stderr.write(" ".join(f"{key}={_quoted(str(value))}" for key, value in pairs) + "\n")


def _quoted(text: str) -> str:
    if text and text.isprintable() and not any(char in ' "=' for char in text):
        return text
    from ..lang.gofmt import quote

    return quote(text)


class Console:
    """Both logs of a command."""

    def __init__(self, values: Values, stream: TextIO | None = None) -> None:
        self.user_log = UserLog(stream or sys.stdout, debug=values.debug)
        self.log = ProgramLog(self.user_log, DEBUG if values.debug else INFO if values.info else WARN)


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """A summary: its title, and labels that end in one column (features.md 17)."""
    lines = "".join(f"{label:>21}: {value}\n" for label, value in rows)
    return f"{title}\n\n{lines}"


def run_time(nanoseconds: int) -> str:
    """A duration rounded to milliseconds, as summaries show it."""
    from ..lang.durations import format_go

    millisecond = 1_000_000
    return format_go((nanoseconds + millisecond // 2) // millisecond * millisecond)
