# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Text for a terminal: text of others cannot control the terminal (behaviour.md 19).

Commands, files, names and servers give texts with escape sequences, which could move the cursor, hide lines or answer
for the user. Front ends escape what they print everywhere (lang/controls.py); this module is for text that is printed
unchanged, such as data in YAML, and for output of other programs.
"""

from __future__ import annotations

import io

from ..lang.controls import escaped_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class Terminal(io.TextIOWrapper):
    """A stream to a terminal. `write` escapes what would control it; the colours of ccm go through `write_as_is`."""

    def write(self, text: str) -> int:
        """Write a text without control characters."""
        super().write(escaped_lines(text))
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
