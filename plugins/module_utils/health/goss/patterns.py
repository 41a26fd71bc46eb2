# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns to find in lines: plain text, `/regular expressions/`, and with `!` what may not occur."""

from __future__ import annotations

from ...lang.controls import escaped
from ...lang.go.regexp.program import RegexpError, compile_regexp
from ...redaction.lines import Hiding, beginning
from ...redaction.replacement import REDACTED
from .matcher import Failure, Simple
from .values import RuleError, as_json, described, text_of, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.values import Value

_LONGEST_LINE = 1024 * 1024
_LONGEST_SHOWN = 200


class Stream(str):
    """Text that is read line by line; messages show its beginning (decisions.md Q114)."""

    __slots__ = ()

    def shown(self) -> str:
        """Return the beginning of the text, at most 200 characters as JSON, without secrets."""
        return beginning(self, _LONGEST_SHOWN, _in_json, end="...")

    def shown_part(self, part: str) -> str:
        """Return the beginning of a part of the text, without secrets: a line may be one of a private key."""
        lines = self[:_LONGEST_LINE].split("\n")
        secrets = [line for line, hidden in zip(lines, Hiding(()).hidden("\n".join(lines))) if hidden == REDACTED]
        return beginning(part, _LONGEST_SHOWN, _in_json, secrets, end="...")


def _in_json(char: str) -> str:
    return escaped(as_json(char)[1:-1])


class HavePatterns(Simple):
    """Text that has every wanted pattern in one of its lines, and none of the excluded ones."""

    name, words = "have-patterns", "have patterns"
    expected: list[Value]

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return len(self._found(actual)) == len(self.expected)

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        failure = super().failure(actual)
        try:
            found = self._found(actual)
            failure.missing = [pattern for pattern in self.expected if pattern not in found] or None
        except RuleError:
            failure.missing = None
        return failure

    def _found(self, actual: Value) -> list[str]:
        """Return the patterns that are satisfied."""
        patterns = []
        for pattern in self.expected:
            if not isinstance(pattern, str):
                raise RuleError("HavePatterns matcher expects patterns to be a string. got: ", pattern, described)
            patterns.append(pattern)
        waiting = [(pattern, _search(pattern)) for pattern in patterns]
        found = []
        for line in _lines(actual) if waiting else ():
            unseen = []
            for pattern, search in waiting:
                if not search(line):
                    unseen.append((pattern, search))
                elif not pattern.startswith("!"):
                    found.append(pattern)
            waiting = unseen
            if not waiting:
                break
        return found + [pattern for pattern, _search in waiting if pattern.startswith("!") or not pattern]


def _lines(actual: Value) -> list[str]:
    if isinstance(actual, tuple):
        actual = text_of(actual)
    if not isinstance(actual, str):
        raise RuleError(f"Incorrect type {type_name(actual)}")
    lines = actual.split("\n")
    if not lines[-1]:
        lines.pop()
    if max(map(len, lines), default=0) >= _LONGEST_LINE:
        raise RuleError("bufio.Scanner: token too long")
    return [line[:-1] if line.endswith("\r") else line for line in lines]


def _search(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns whether a line matches the pattern, ignoring its `!`."""
    body = pattern[1:] if pattern.startswith("!") else pattern
    if not (body.startswith("/") and body.endswith("/")):
        plain = pattern.lstrip("\\/!")
        return lambda line: plain in line
    try:
        return compile_regexp(body[1:-1]).search
    except RegexpError as error:
        raise RuleError(str(error)) from None
