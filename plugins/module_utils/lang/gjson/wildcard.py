# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matches text against patterns: ``*`` is any text, ``?`` any character, ``\\`` makes the next one ordinary."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\(.?)|([*?])|([^\\*?]+)", re.DOTALL)


def matches(text: str, pattern: str) -> bool:
    """Return whether the whole ``text`` matches ``pattern``. The time does not explode with the number of stars."""
    if "\\" not in pattern and "?" not in pattern and "*" not in pattern:
        return text == pattern
    segments = _segments(pattern)
    if segments is None:
        return False
    first, last = segments[0], segments[-1]
    if len(segments) == 1:
        return len(text) == first.size and first.fits(text, 0)
    if len(text) < first.size + last.size or not first.fits(text, 0) or not last.fits(text, len(text) - last.size):
        return False
    position, end = first.size, len(text) - last.size
    for segment in segments[1:-1]:
        position = segment.find(text, position, end)
        if position < 0:
            return False
    return True


class _Segment:
    """The part of a pattern between two stars: characters, and None for any one character."""

    __slots__ = ("_expression", "_literal", "size")

    def __init__(self, parts: list[str | None]) -> None:
        self.size = sum(1 if part is None else len(part) for part in parts)
        self._literal = None if None in parts else "".join(part for part in parts if part)
        self._expression = (
            None
            if self._literal is not None
            else re.compile("".join("." if part is None else re.escape(part) for part in parts), re.DOTALL)
        )

    def fits(self, text: str, position: int) -> bool:
        """Return whether the segment is at ``position`` of ``text``."""
        if self._expression is None:
            return text.startswith(self._literal or "", position)
        return self._expression.match(text, position) is not None

    def find(self, text: str, position: int, end: int) -> int:
        """Return where the segment's first occurrence within ``text[position:end]`` ends, or -1."""
        if self._expression is None:
            found = text.find(self._literal or "", position, end)
            return -1 if found < 0 else found + self.size
        match = self._expression.search(text, position, end)
        return -1 if match is None else match.end()


def _segments(pattern: str) -> list[_Segment] | None:
    """Return the segments between the stars; None for a pattern that ends in a lone backslash and matches nothing."""
    segments: list[list[str | None]] = [[]]
    for token in _TOKEN.finditer(pattern):
        escaped, wild, text = token.groups()
        if wild == "*":
            segments.append([])
        elif wild == "?":
            segments[-1].append(None)
        elif text is not None:
            segments[-1].append(text)
        elif not escaped:
            return None
        else:
            segments[-1].append(escaped)
    return [_Segment(segment) for segment in segments]
