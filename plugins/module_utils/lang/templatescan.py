# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the expressions ``{{ … }}`` and ``${ … }`` in a text (behaviour.md 11.2), in time linear to its length."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

#: What surrounds an expression and is cut off.
SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_MARK = re.compile(r"[\"'`{}]")


class Expression:
    """An expression within a text: ``source`` without surrounding blanks, ``text[start:end]`` with its braces."""

    __slots__ = ("end", "source", "start")

    def __init__(self, source: str, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Expression({self.source!r}, {self.start}, {self.end})"


def has_expression(text: str) -> bool:
    """Return whether ``text`` holds at least one expression."""
    if "{{" not in text and "${" not in text:
        return False
    return next(_find(text), None) is not None


def scan(text: str) -> list[str | Expression]:
    """Return the parts of ``text`` in order: literal text as str (never empty), expressions as Expression.

    An opener without its closer is literal text. ``$`` directly before ``{{`` is literal.
    """
    if "{{" not in text and "${" not in text:
        return [text] if text else []
    parts: list[str | Expression] = []
    done = 0
    for found in _find(text):
        if found.start > done:
            parts.append(text[done : found.start])
        parts.append(found)
        done = found.end
    if done < len(text):
        parts.append(text[done:])
    return parts


def only_expression(text: str) -> str | None:
    """Return the source of the expression when ``text`` is, blanks around it apart, exactly one; else None."""
    if "{{" not in text and "${" not in text:
        return None
    found = _find(text)
    first = next(found, None)
    if first is None or text[: first.start].strip(SPACE) or text[first.end :].strip(SPACE):
        return None
    return first.source


def _find(text: str) -> Iterator[Expression]:
    marks = [match.start() for match in _MARK.finditer(text)]
    closers = _Closers(text, marks)
    done = index = 0
    count = len(marks)
    while index < count:
        position = marks[index]
        if text[position] != "{":
            index += 1
            continue
        double = text.startswith("{", position + 1)
        if double:
            start, inner, close = position, index + 2, closers.double
        elif position > done and text[position - 1] == "$":
            start, inner, close = position - 1, index + 1, closers.single
        else:
            index += 1
            continue
        last = close(inner)
        if last < 0:
            index = inner
            done = position + (2 if double else 1)
            continue
        index = last + (2 if double else 1)
        done = marks[last] + (2 if double else 1)
        begin = marks[inner - 1] + 1
        yield Expression(text[begin : marks[last]].strip(SPACE), start, done)


class _Closers:
    """Where an expression that starts at a mark ends.

    Marks are the positions of quotes and braces. What follows a mark outside quotes does not depend on where the
    expression began, so the answer for each mark is worked out once, from the last mark to the first.
    """

    __slots__ = ("_double", "_single", "marks", "text")

    def __init__(self, text: str, marks: list[int]) -> None:
        self.text = text
        self.marks = marks
        self._double: list[int] | None = None
        self._single: list[int] | None = None

    def double(self, index: int) -> int:
        """Return the mark that begins the ``}}`` closing an expression whose inside starts at mark ``index``, or -1."""
        if self._double is None:
            self._double = self._ends(nested=False)
        return self._double[index]

    def single(self, index: int) -> int:
        """Return the mark of the ``}`` that closes a ``${`` whose inside starts at mark ``index``, or -1."""
        if self._single is None:
            self._single = self._ends(nested=True)
        return self._single[index]

    def _ends(self, nested: bool) -> list[int]:
        text, marks = self.text, self.marks
        count = len(marks)
        ends = [-1] * (count + 1)
        closing = {'"': -1, "'": -1, "`": -1}
        for index in range(count - 1, -1, -1):
            position = marks[index]
            char = text[position]
            if char == "}":
                closes = nested or text.startswith("}", position + 1)
                ends[index] = index if closes else ends[index + 1]
            elif char == "{":
                end = ends[index + 1]
                ends[index] = ends[end + 1] if nested and end >= 0 else end
            else:
                after = closing[char]
                if after >= 0:
                    ends[index] = ends[after + 1]
                if char == "`" or not _escaped(text, position):
                    closing[char] = index
        return ends


def _escaped(text: str, position: int) -> bool:
    before = position
    while before and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1
