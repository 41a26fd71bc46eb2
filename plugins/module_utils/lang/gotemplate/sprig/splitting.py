# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From one text to many and back: splitting, joining, sorting."""

from __future__ import annotations

from ...go.kinds import StringList
from ...go.values import StringMap, encoded
from ..function import Function
from .texts import check_size, text_of, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _pieces(separator: str, text: str, limit: int = -1) -> list[str]:
    """Return at most ``limit`` pieces of ``text`` (any number when negative); all letters when nothing separates."""
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1)
    pieces = list(text)
    if 0 < limit < len(pieces):
        pieces[limit - 1 :] = ["".join(pieces[limit - 1 :])]
    return pieces


def _numbered(separator: str, text: str, limit: int = -1) -> StringMap:
    return StringMap((f"_{number}", piece) for number, piece in enumerate(_pieces(separator, text, limit)))


def _join(separator: str, value: Any) -> str:
    texts = texts_of(value)
    check_size(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _strings(value: Any) -> StringList:
    return value if isinstance(value, StringList) else StringList(texts_of(value))


def _sorted(value: Any) -> StringList:
    """Return a list's texts in the order of their bytes; a list of texts is itself put in order, as in the original."""
    if not isinstance(value, (list, tuple, bytes)):
        return StringList([text_of(value)])
    texts = _strings(value)
    texts.sort(key=encoded)
    return texts


FUNCTIONS = {
    "split": Function(_numbered, "string", "string"),
    "splitList": Function(lambda separator, text: StringList(_pieces(separator, text)), "string", "string"),
    "splitn": Function(lambda separator, limit, text: _numbered(separator, text, limit), "string", "int", "string"),
    "join": Function(_join, "string", "any"),
    "toStrings": Function(_strings, "any"),
    "sortAlpha": Function(_sorted, "any"),
}
