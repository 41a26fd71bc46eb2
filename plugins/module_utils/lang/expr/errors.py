# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in an expression, with the place in its text."""

from __future__ import annotations


class ExprError(Exception):
    """An expression that cannot be compiled or evaluated.

    ``message`` is the bare reason; ``line`` and ``column`` count from 1 (0 where the whole expression is meant);
    ``excerpt`` holds the line of the source and a caret below the place. ``str()`` joins them as expr-lang prints them:
    ``reason (1:3)\\n | a + 1\\n | ..^``.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0, excerpt: str = "") -> None:
        super().__init__(message, line, column, excerpt)
        self.message = message
        self.line = line
        self.column = column
        self.excerpt = excerpt

    def __str__(self) -> str:
        if not self.excerpt:
            return self.message
        return f"{self.message} ({self.line}:{self.column}){self.excerpt}"


class CompileError(ExprError):
    """Text that is no expression, or whose types cannot fit."""


class RunError(ExprError):
    """An expression that failed while it was evaluated."""


class ExprFunctionError(Exception):
    """Raised by a declared function: its text becomes the message of the RunError at the place of the call."""


class Failure(Exception):
    """Inside this package: a reason and the offset (in characters) it belongs to; becomes an ExprError."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message, at)
        self.message = message
        self.at = at


def place(source: str, at: int) -> tuple[int, int, str]:
    """Return line and column (from 1) of offset ``at`` and the excerpt; no excerpt for an empty line."""
    start = source.rfind("\n", 0, at) + 1
    end = source.find("\n", start)
    if end < 0:
        end = len(source)
    line = source.count("\n", 0, at) + 1
    if end == start:
        return line, at - start + 1, ""
    column = min(at, len(source)) - start
    return line, column + 1, "\n | {}\n | {}^".format(source[start:end].replace("\t", " "), "." * column)


def compile_error(source: str, failure: Failure) -> CompileError:
    """Return the CompileError for a failure while ``source`` was compiled."""
    return CompileError(failure.message, *place(source, failure.at))


def run_error(source: str, failure: Failure) -> RunError:
    """Return the RunError for a failure while ``source`` was evaluated."""
    return RunError(failure.message, *place(source, failure.at))
