# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors as texts for users: the mistake, its place, and the advice. Never a traceback."""

from __future__ import annotations

import errno
import os
import sys

from ..host.errors import HostError
from ..lang.controls import escaped, escaped_lines
from ..lang.go.json import GoJSONError
from ..lang.yaml import YAMLError, YAMLUnavailable
from ..model.errors import CCMError, DataError, Position
from ..redaction.faults import holds_secret
from ..redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

#: Errors of commands. The last three are limits of the host, or of the depth of nested values.
EXPECTED = (CCMError, HostError, YAMLError, YAMLUnavailable, GoJSONError, OSError, MemoryError, RecursionError)


# Begins a line of the source of an expression.
_SOURCE_LINE = " | "
# Errors that name no file, since a stream has no name here.
_OF_FULL_STREAMS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def report(error: BaseException, log_format: str = "", debug: bool = False) -> None:
    """Print an error on stderr: `ccm: error: TEXT`, then place, source line and advice where they are known.

    Where the original's line is recorded, the advice is for terminals only, as scripts read the line. Further mistakes
    that it has follow in the same form. Where log lines are JSON, each is one too, at level ERROR.
    With `debug` the traceback of a fault in a type of another package follows.
    """
    errors: list[BaseException] = [error, *getattr(error, "others", ())]
    hint = getattr(error, "hint", "")
    traceback = traceback_of(error) if debug else []
    if log_format != "json":
        lines = [line for each in errors for line in _lines(each)]
        sys.stderr.write(escaped_lines("\n".join([*lines, *([hint] if hint else []), *traceback])) + "\n")
        return
    from .output import json_line

    for each in errors:
        fields = fields_of(each)
        if traceback and each is error:
            fields["traceback"] = "\n".join(traceback)
        sys.stderr.write(json_line("ERROR", text_of(each), list(fields.items())))
    if hint:
        sys.stderr.write(json_line("INFO", hint, ()))


def report_calls(calls: Iterable[object], log_format: str) -> None:
    """Print which calls of types of other packages are still being made; they end with the process."""
    for call in calls:
        message = without_text_secrets(f"the process ends while this still runs: {call}")
        if log_format == "json":
            from .output import json_line

            sys.stderr.write(json_line("WARN", message, ()))
        else:
            sys.stderr.write(escaped_lines(f"ccm: warning: {message}") + "\n")


def traceback_of(error: BaseException | None) -> list[str]:
    """Return the lines of the traceback of a fault in a type of another package, none for other errors."""
    while error is not None:
        if isinstance(error, CCMError) and error.traceback:
            return list(error.traceback())
        error = error.__cause__
    return []


def fields_of(error: BaseException) -> dict[str, str]:
    """Return the known fields of an error in addition to its text: resource, property, position, advice."""
    fields = {"resource": getattr(error, "resource", ""), "property": getattr(error, "property", "")}
    fields.update(position=str(position_of(error) or ""), advice=getattr(error, "advice", ""))
    return {name: without_text_secrets(text) for name, text in fields.items() if text}


def position_of(error: BaseException) -> Position | None:
    """Return where in a document an error is, if it is in one."""
    if isinstance(error, YAMLError) and error.line:
        return Position(error.name or "input", error.line, error.column)
    found: Position | None = getattr(error, "position", None)
    return found


def _lines(error: BaseException) -> Iterator[str]:
    yield f"ccm: error: {_in_lines(error)}"
    position, excerpt = position_of(error), getattr(error, "excerpt", "")
    subject = _subject(error)
    if position is not None:
        yield escaped(f"  at {position}" + (f" ({subject})" if subject else ""))
        if excerpt and not holds_secret(excerpt):
            yield from ("    " + line for line in excerpt.rstrip().split("\n"))
    elif subject:
        yield escaped(f"  {subject}")
    advice = fields_of(error).get("advice")
    if advice and (sys.stderr.isatty() or not getattr(error, "is_recorded", False)):
        yield escaped(f"  {advice}")


def _in_lines(error: BaseException) -> str:
    """Return the text of an error with the line breaks before its parts and the source of an expression.

    Others are in names and values that it quotes, and would make of them lines of their own: they are escaped.
    """
    parts = error.parts if isinstance(error, DataError) else ()
    starts = (_SOURCE_LINE, *(without_text_secrets(part).partition("\n")[0] for part in parts))
    first, *lines = text_of(error).split("\n")
    return escaped(first) + "".join(("\n" if each.startswith(starts) else "\\n") + escaped(each) for each in lines)


def _subject(error: BaseException) -> str:
    """Return the resource and the property at fault; "" when the message names the resource, or it is not known."""
    resource, property = getattr(error, "resource", ""), getattr(error, "property", "")
    if not resource or resource in str(error):
        return ""
    shown = without_text_secrets(resource)
    return f"{property} of {shown}" if property else shown


def text_of(error: BaseException) -> str:
    """Return the text of an error, without place and advice."""
    if isinstance(error, YAMLError):
        return without_text_secrets(error.message)
    if isinstance(error, OSError):
        path = error.filename or ("the current directory" if _lost_our_directory(error) else "")
        if not path and error.errno in _OF_FULL_STREAMS:
            path = "cannot write to standard output"
        return (f"{os.fsdecode(path)}: " if path else "") + (error.strerror or str(error)).lower()
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, RecursionError):
        return "something here is nested too deeply"
    return without_text_secrets(str(error))


def _lost_our_directory(error: OSError) -> bool:
    """Return whether an error that names no path is about the current directory, because that was removed."""
    if isinstance(error, FileNotFoundError):
        try:
            os.getcwd()
        except FileNotFoundError:
            return True
    return False
