# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How scalars look in YAML that we write: as the original writes them, but never so that they are read otherwise."""

from __future__ import annotations

from .controls import in_json
from .yamlscalars import plain

_FIRST = "*&[{}],!|>%'\"@ `"
#: Booleans of older dialects.
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off"))


class Plain(str):
    """A text that is written without quotes, also when it reads as another kind: a time."""

    __slots__ = ()


def style(text: str) -> str | None:
    """Return the style of a text.

    A block for several lines, double quotes where it could be taken for something else, or has an escape (Q113).
    """
    if not text.isascii() and in_json(text) != text:
        return '"'
    if "\n" in text:
        return "|"
    return '"' if _needs_quotes(text) else None


def encodable(text: str) -> str:
    """Return the text with U+FFFD for bytes that were no UTF-8."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _needs_quotes(text: str) -> bool:
    if not text or text[0] in _FIRST or text[-1] in ": " or "#" in text or "\\" in text:
        return True
    if text == "-" or text.isdigit() or ": " in text or "- " in text or text.lower() in _WORDS:
        return True
    return text[0] in "0123456789+-.~nNtTfF" and (_is_time(text) or not isinstance(plain(text), str))


def _is_time(text: str) -> bool:
    """Return whether a text begins as a date, or is a time of day."""
    day = text[:10].split("-")
    if len(day) == 3 and all(part.isdigit() for part in day) and len(day[0]) == 4:
        return True
    hours, colon, minutes = text.partition(":")
    return bool(colon) and hours.isdigit() and minutes.isdigit() and len(hours) < 3 and len(minutes) < 3
