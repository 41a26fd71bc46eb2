# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What follows the first YAML document of a file, which no run reads."""

from __future__ import annotations

from ..model.errors import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .review import Review

_START, _END = "---", "..."


def check_documents(review: Review) -> None:
    """Note the lines after the first document of a manifest, at the line that ends it."""
    text = review.document.text
    if f"\n{_START}" not in text and f"\n{_END}" not in text:
        return
    lines = review.document.lines
    end = _end(lines)
    unread = sum(_is_content(line) for line in lines[end:])
    if unread:
        counted = "1 line" if unread == 1 else f"{unread} lines"
        review.warn(
            "yaml",
            f"a manifest is the first YAML document of its file: {counted} after it will not be read",
            Position(review.name, end + 1, 1),
            advice="put each manifest into a file of its own, and apply them from one",
        )


def _end(lines: Sequence[str]) -> int:
    """Return the index of the line that ends the first document."""
    has_begun = False
    for at, line in enumerate(lines):
        mark = line[:3] if line[3:4] in ("", " ", "\t") else ""
        if has_begun and mark in (_START, _END):
            return at
        has_begun = has_begun or mark == _START or _is_content(line)
    return len(lines)


def _is_content(line: str) -> bool:
    """Return whether a line has more than a comment, a directive or the mark of a document."""
    text = line[3:] if line[:3] in (_START, _END) and line[3:4] in ("", " ", "\t") else line
    return text.lstrip()[:1] not in ("", "#") and not line.startswith("%")
