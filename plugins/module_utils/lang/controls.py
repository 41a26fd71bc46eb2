# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Characters that control a terminal or the order in which text is shown, written as escapes (decisions.md Q113)."""

from __future__ import annotations

from .go.quoting import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

#: What changes the direction of text or ends lines.
_DIRECTIONS = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def _is_control(char: str) -> bool:
    """Return whether a character is in C0, DEL, in C1, a change of the direction, or a byte that is not UTF-8."""
    return char < " " or "\x7f" <= char <= "\x9f" or char in _DIRECTIONS or "\ud800" <= char <= "\udfff"


def escaped(text: str, keep: str = "\t") -> str:
    """Return a text in which these characters are written as in `\\x1b`, but for the characters in `keep`."""
    if text.isprintable():
        return text
    return "".join(_escape(char) if _is_control(char) and char not in keep else char for char in text)


def escaped_lines(text: str) -> str:
    """Return lines in which these characters are written as in `\\x1b`, but for tabs and the ends of the lines."""
    return "\r\n".join(escaped(part, "\t\n") for part in text.split("\r\n"))


def shortened(text: str, most: int, shown: Callable[[str], str] = escaped) -> str:
    """Return the longest beginning of a text that has at most `most` characters once each is as `shown` writes it."""
    text, room = text[:most], most
    for at, char in enumerate(text):
        room -= len(shown(char))
        if room < 0:
            return text[:at]
    return text


def in_json(document: str) -> str:
    """Return a JSON document in which these characters are written as in `\\u202e`.

    The others of C0 are escaped in its texts already, and lay it out elsewhere.
    """
    if document.isascii() and "\x7f" not in document:
        return document
    return "".join(f"\\u{ord(char):04x}" if char >= "\x7f" and _is_control(char) else char for char in document)


def _escape(char: str) -> str:
    # This is valid in JSON and YAML too, as the other escapes of what these leave as it is are.
    return "\\u007f" if char == "\x7f" else printable(char)
