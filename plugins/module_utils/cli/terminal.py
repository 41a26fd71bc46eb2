# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is written to a terminal: nothing that others wrote controls it (behaviour.md 19).

Commands, files, names and servers give texts with escape sequences, which could move the cursor, hide lines or answer
for the user. Where output is no terminal, its bytes stay as they are.
"""

from __future__ import annotations

import io
import re

from ..lang.go.fmt import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

#: C0 without tabs and ends of lines, DEL, C1, what changes the direction of text or ends lines, and undecoded bytes.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def without_controls(text: str) -> str:
    """Return a text in which characters that control a terminal are written as in `\\x1b`."""
    return _CONTROLS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Return the escape of a character, one of JSON where JSON does not escape it itself."""
    char = found.group()
    return "\\u007f" if char == "\x7f" else printable(char)


class Terminal(io.TextIOWrapper):
    """A stream to a terminal. `write` escapes what would control it; the colours of ccm go through `write_as_is`."""

    def write(self, text: str) -> int:
        """Write a text without control characters."""
        super().write(without_controls(text))
        return len(text)

    def write_as_is(self, text: str) -> None:
        """Write a text whose control characters are ccm's own."""
        super().write(text)


def terminal_over(stream: TextIO) -> TextIO:
    """Return a stream that writes to the same terminal."""
    return Terminal(stream.buffer, encoding="utf-8", errors="surrogateescape", line_buffering=True)


def write_as_is(stream: TextIO, text: str) -> None:
    """Write a text whose control characters are ccm's own, to any stream."""
    if isinstance(stream, Terminal):
        stream.write_as_is(text)
    else:
        stream.write(text)
