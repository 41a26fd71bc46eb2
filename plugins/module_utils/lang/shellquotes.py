# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Words in quotes and with backslashes, as a POSIX shell reads them (behaviour.md 6.1)."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[^ \t\n'\"\\]+")
_DOUBLE_END = re.compile(r'["\\]')
_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")


def split_quoted(text: str) -> list[str]:
    """Return the words of ``text``, which may hold quotes and backslashes; `shellwords.split` has the rules.

    Raises ValueError for a quote or backslash without its end.
    """
    words: list[str] = []
    word: list[str] | None = None
    position, end = 0, len(text)
    while position < end:
        char = text[position]
        piece = ""
        if char in " \t\n":
            if word is not None:
                words.append("".join(word))
                word = None
            position += 1
            continue
        if char == "\\":
            if position + 1 == end:
                raise ValueError("Unterminated backslash-escape")
            piece = text[position + 1]
            position += 2
            if piece == "\n":
                continue
        elif char == "'":
            close = text.find("'", position + 1)
            if close < 0:
                raise ValueError("Unterminated single-quoted string")
            piece = text[position + 1 : close]
            position = close + 1
        elif char == '"':
            piece, position = _double(text, position + 1)
        else:
            match = _PLAIN.match(text, position)
            piece = match.group() if match else char
            position += len(piece)
        if word is None:
            word = []
        word.append(piece)
    if word is not None:
        words.append("".join(word))
    return words


def _double(text: str, position: int) -> tuple[str, int]:
    pieces: list[str] = []
    while True:
        match = _DOUBLE_END.search(text, position)
        if match is None:
            raise ValueError("Unterminated double-quoted string")
        pieces.append(text[position : match.start()])
        position = match.end()
        if match.group() == '"':
            return "".join(pieces), position
        escaped = text[position : position + 1]
        if escaped in ("$", "`", '"', "\\"):
            pieces.append(escaped)
        elif escaped != "\n":
            pieces.append("\\" + escaped)
        position += 1


def quote(word: str) -> str:
    """Return ``word`` so that a shell, and split(), read it as that one word."""
    if _SAFE.match(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
