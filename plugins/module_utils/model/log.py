# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Logs of all layers; front ends decide how lines are shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .values import Field

    Fields = Sequence[tuple[str, Field]]

DEBUG = "DEBUG"
INFO = "INFO"
WARN = "WARN"
ERROR = "ERROR"
#: The lowest one first.
LEVELS = (DEBUG, INFO, WARN, ERROR)
#: A field of JSON only.
CAUSE = "cause"
#: A field of JSON, which is a line of its own on a terminal.
ERROR_ADVICE = "error_advice"
#: A field of JSON, which is a line of its own elsewhere; always the last one.
ERROR_POSITION = "error_position"


class Log:
    """A log that keeps nothing; front ends override `write`. Fields are shown as `key=value` after the message.

    Of other `levels` it drops the lines: the methods for them do not call `write`. It `shows_progress` where users see
    what `doing` and `progress` say.
    """

    levels: Sequence[str] = LEVELS
    shows_progress = False

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Write one line."""

    def debug(self, message: str, **fields: Field) -> None:
        """Log what helps to find a fault."""
        self._log_at(DEBUG, message, fields)

    def info(self, message: str, **fields: Field) -> None:
        """Log an action."""
        self._log_at(INFO, message, fields)

    def warn(self, message: str, **fields: Field) -> None:
        """Log what a user should check."""
        self._log_at(WARN, message, fields)

    def error(self, message: str, **fields: Field) -> None:
        """Log what went wrong."""
        self._log_at(ERROR, message, fields)

    def _log_at(self, level: str, message: str, fields: dict[str, Field]) -> None:
        if level in self.levels:
            self.write(level, message, tuple(fields.items()))

    def doing(self, what: str) -> None:
        """Write the lines that were collected, and show a watching user what may take long.

        "" when it is done, which only a log that `shows_progress` needs.
        """

    def progress(self, done: int, total: int | None) -> None:
        """Show a watching user how many bytes of how many (None: not known) are done; 0 when it is over."""

    def before_waiting(self) -> None:
        """Write the lines that were collected, before the thread waits for anything; see `Machine.before_waiting`."""


class BoundLog(Log):
    """Puts `fields` before the fields of every line for `log`."""

    def __init__(self, log: Log, **fields: Field) -> None:
        self.levels, self.shows_progress = log.levels, log.shows_progress
        self._log = log
        self._bound = tuple(fields.items())

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Pass the line on."""
        self._log.write(level, message, (*self._bound, *fields))

    def doing(self, what: str) -> None:
        """Pass it on."""
        self._log.doing(what)

    def progress(self, done: int, total: int | None) -> None:
        """Pass it on."""
        self._log.progress(done, total)

    def before_waiting(self) -> None:
        """Pass it on."""
        self._log.before_waiting()
