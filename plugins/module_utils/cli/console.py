# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Output while a command runs: the users' log on stdout, the program's on stderr (behaviour.md 19)."""

from __future__ import annotations

import os
import sys
import time

from ..lang.spans import format_go
from ..model.clock import timestamp
from ..model.log import CAUSE, DEBUG, ERROR, ERROR_ADVICE, ERROR_POSITION, INFO, LEVELS, WARN, Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, TextIO

    from ..model.flags import Values
    from ..model.log import Fields
    from ..model.values import Value
    from .progress import Progress

    Form = Callable[[str, str, Fields], str]

JSON = "json"
_TAGS = {DEBUG: "46;97", INFO: "42;97", WARN: "43;97", ERROR: "41;97"}
_NOT_RECORDED = (CAUSE, ERROR_ADVICE, ERROR_POSITION)
_KEY, _ERROR_KEY, _PLAIN = "\x1b[36m", "\x1b[31m", "\x1b[0m"
#: Seconds after which a run that waits for nothing writes what it has collected to a pipe.
_INTERVAL = 0.1


class UserLog(Log):
    """The log for users: ` LEVEL message key=value`, in colours on a terminal unless NO_COLOR is set.

    `stream` is stdout, or stderr where stdout is for machines. Without a terminal, lines are collected and written
    together, at the latest before the process waits for anything. `form` formats a line otherwise; `line` shows what
    takes long.
    """

    def __init__(
        self, stream: TextIO, *, debug: bool = False, form: Form | None = None, line: Progress | None = None
    ) -> None:
        self._stream = stream
        self.levels = LEVELS if debug else LEVELS[1:]
        self.shows_progress = line is not None
        self.is_terminal = stream.isatty()
        self._coloured = form is None and self.is_terminal and not os.environ.get("NO_COLOR")
        self._shows_advice = form is None and self.is_terminal
        self._form = form or (_coloured if self._coloured else _plain)
        self._line = line
        self._written = 0.0

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Print one line."""
        if level not in self.levels:
            return
        line = self._form(level, message, fields)
        if self._shows_advice:
            line += "".join(f"  {_escaped(str(value))}\n" for key, value in fields if key == ERROR_ADVICE)
        if self._coloured:
            self.print_coloured(line)
        else:
            self.print(line)

    def print(self, text: str) -> None:
        """Print text among the lines of the log, without control characters."""
        self.print_coloured(_lines(text))

    def print_coloured(self, text: str) -> None:
        """Print text whose control characters are the colours of ccm."""
        if self._line is not None:
            self._line.erase()
        if self.is_terminal:
            _write_as_is(self._stream, text)
        else:
            self._stream.write(text)
        now = time.monotonic()
        if self.is_terminal or now - self._written > _INTERVAL:
            self._stream.flush()
            self._written = now

    def doing(self, what: str) -> None:
        """Write the collected lines, and show it on a terminal."""
        self.flush()
        if self._line is not None:
            self._line.doing(what)

    def progress(self, done: int, total: int | None) -> None:
        """Show it on a terminal."""
        if self._line is not None:
            self._line.received(done, total)

    def flush(self) -> None:
        """Write the collected lines, before others write."""
        self._stream.flush()
        if self._line is not None:
            self._line.erase()

    def write_out(self) -> None:
        """Write all output that was collected, also what others print to stdout and stderr. Raises OSError."""
        for stream in (self._stream, sys.stdout, sys.stderr):
            stream.flush()

    def before_waiting(self) -> None:
        """Write what was collected of all output. What fails here is raised by a later line, not where it waits."""
        try:
            self.write_out()
        except OSError:
            return


def _write_as_is(stream: TextIO, text: str) -> None:
    """Write a text with the colours of ccm."""
    from .terminal import write_as_is

    write_as_is(stream, text)


def _lines(text: str) -> str:
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return _escaped(text, of_lines=True)


def _plain(level: str, message: str, fields: Fields) -> str:
    line = f" {level:<5} {message}"
    for key, value in _shown(fields):
        line += f" {key}={value}"
    if line.isprintable():
        return line + "\n" + _place(fields)
    pairs = "".join(f" {key}={_escaped(str(value), _kept_in(key))}" for key, value in _shown(fields))
    return f" {level:<5} {_escaped(message)}{pairs}\n{_place(fields)}"


def _escaped(text: str, keep: str = "\t", *, of_lines: bool = False) -> str:
    """Return a text without control characters, but for those in `keep`, or the ends `of_lines`."""
    if text.isprintable():
        return text
    from ..lang.controls import escaped, escaped_lines

    return escaped_lines(text) if of_lines else escaped(text, keep)


def _kept_in(key: str) -> str:
    """Return the characters that stay in the value of a field: recorded errors have several lines."""
    return "\t\n" if key == "errors" else "\t"


def _shown(fields: Fields) -> Fields:
    """Return the fields that recorded lines have."""
    return [field for field in fields if field[0] not in _NOT_RECORDED]


def _place(fields: Fields) -> str:
    """Return the line with the place of an error, which follows it; "" without one."""
    if not fields or fields[-1][0] != ERROR_POSITION:
        return ""
    return f"  at {_escaped(str(fields[-1][1]))}\n"


def _coloured(level: str, message: str, fields: Fields) -> str:
    line = f" \x1b[{_TAGS[level]}m{level:<5}{_PLAIN} {_escaped(message)}"
    for key, value in _shown(fields):
        colour = _ERROR_KEY if "err" in key else _KEY
        line += f" {colour}{_escaped(key)}={_PLAIN}{_escaped(str(value), _kept_in(key))}"
    return line + "\n" + _place(fields)


class ProgramLog(Log):
    """The program's own log on stderr, `time=… level=… msg=… key=value`, from WARN on, or as --info and --debug set."""

    def __init__(self, user_log: UserLog, level: str = WARN, form: Form | None = None) -> None:
        self._user_log = user_log
        self.levels = LEVELS[LEVELS.index(level) :]
        self._form = form or _logfmt

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Print one line, after the lines of the users' log."""
        if level in self.levels:
            self._user_log.flush()
            sys.stderr.write(self._form(level, message, fields))

    def before_waiting(self) -> None:
        """Write the lines of both logs."""
        self._user_log.before_waiting()


def _logfmt(level: str, message: str, fields: Fields) -> str:
    stamp = timestamp(time.time_ns() // 1_000_000 * 1_000_000)
    pairs = [("time", stamp), ("level", level), ("msg", message), *fields]
    return " ".join(f"{key}={_quoted(str(value))}" for key, value in pairs) + "\n"


def _quoted(text: str) -> str:
    if text and text.isprintable() and not any(char in ' "=' for char in text):
        return text
    from ..lang.go.quoting import quote

    return quote(text)


class Console:
    """Both logs of a command."""

    def __init__(self, values: Values, stream: TextIO | None = None) -> None:
        self.is_json = values.log_format == JSON
        form = None
        if self.is_json:
            from .output import json_line

            form = json_line
        self.user_log = UserLog(stream or sys.stdout, debug=values.debug, form=form, line=_progress_line())
        is_terminal = sys.stdout.isatty() if stream else self.user_log.is_terminal
        self.colours = is_terminal and not os.environ.get("NO_COLOR")
        self.log = ProgramLog(self.user_log, DEBUG if values.debug else INFO if values.info else WARN, form)

    def print(self, message: str, lead: str = "") -> None:
        """Print a message of a manifest, after `lead` where users read it."""
        if self.is_json:
            self.user_log.info(message)
        else:
            self.user_log.print(f"{lead}{message}\n")

    def show(self, reference: str, lines: list[str], coloured: Callable[[str], str]) -> None:
        """Print the differences of a resource."""
        if self.is_json:
            self.user_log.info("Difference", resource=reference, diff="\n".join(lines))
            return
        if self.colours:
            self.user_log.print_coloured("".join(f"{coloured(line)}\n" for line in lines))
        else:
            self.user_log.print("".join(f"{line}\n" for line in lines))

    def print_result(self, line: str) -> None:
        """Print a line on stdout, which may have the colours of ccm where there are `colours`."""
        if self.colours:
            _write_as_is(sys.stdout, line + "\n")
        else:
            sys.stdout.write(_lines(line) + "\n")


def _progress_line() -> Progress | None:
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    from .progress import Progress

    return Progress(sys.stderr)


def print_yaml(value: Value) -> None:
    """Print a value as YAML, and the empty line that follows it in the original."""
    sys.stdout.write(yaml_text(value) + "\n")


def yaml_text(value: Value) -> str:
    """Return a value as YAML."""
    from ..lang.yamlwriting import dump

    return dump(value)


def table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a summary: its title, and labels that end in one column (behaviour.md 17)."""
    lines = "".join(f"{label:>21}: {value}\n" for label, value in rows)
    return f"{title}\n\n{lines}"


def run_time(nanoseconds: int) -> str:
    """Return a duration rounded to milliseconds, as summaries show it."""
    millisecond = 1_000_000
    return format_go((nanoseconds + millisecond // 2) // millisecond * millisecond)
