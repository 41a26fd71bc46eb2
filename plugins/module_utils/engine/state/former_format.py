# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The formats 1 and 2 of a state, which the first run that writes rewrites (docs/design/state.md)."""

from __future__ import annotations

from .lines import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator


def former_lines(text: bytes, *, is_journal: bool) -> tuple[Iterator[list[str]], int]:
    """Return the words of the records of a file as they are now, and the number of lines that cannot be read."""
    lines, unreadable = [], 0
    for line in text.split(b"\n"):
        try:
            words = words_of(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            unreadable += 1
        else:
            if line:
                lines.append(words)
    is_complete = is_journal or bool(lines and lines[0][0] == "ccm-state" and len(lines[0]) == 4)
    return _converted(lines), unreadable + (not is_complete)


def _converted(lines: list[list[str]]) -> Iterator[list[str]]:
    """Yield lines as records of now: what could be undone had no ids, and its key is its id then."""
    for kind, *words in lines:
        if kind in ("keep", "kept"):
            yield [kind, words[0] if words else "", *words]
        elif kind == "lost":
            yield from ([kind, key, key, "what it replaced could not be kept"] for key in words)
        elif kind == "resource" and len(words) > 5:
            # The state that was reached was there twice.
            yield [kind, *words[:5], *words[6:]]
        elif kind != "ccm-state":
            yield [kind, *words]
