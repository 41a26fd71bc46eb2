# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Wrapping long lines at blanks. Columns are bytes, as in the original."""

from __future__ import annotations

from ...go.values import decoded, encoded
from ..function import Function
from .texts import check_size


def _wrapped(text: str, width: int, newline: str, cuts_words: bool) -> str:
    """Return ``text`` with ``newline`` put in for blanks so that no line is longer than ``width`` bytes.

    A word that is longer is cut when ``cuts_words``, else it has a line to itself. Blanks at the begin of a line go.
    """
    data, end_of_line = encoded(text), encoded(newline or "\n")
    width = max(width, 1)
    check_size(len(data) + len(data) // width * len(end_of_line))
    out = []
    at = 0
    while len(data) - at > width:
        if data[at : at + 1] == b" ":
            at += 1
            continue
        blank = data.rfind(b" ", at, at + width + 1)
        if blank < 0 and cuts_words:
            out += [data[at : at + width], end_of_line]
            at += width
            continue
        if blank < 0:
            blank = data.find(b" ", at + width)
        if blank < 0:
            break
        out += [data[at:blank], end_of_line]
        at = blank + 1
    out.append(data[at:])
    return decoded(b"".join(out))


FUNCTIONS = {
    "wrap": Function(lambda width, text: _wrapped(text, width, "", False), "int", "string"),
    "wrapWith": Function(lambda width, newline, text: _wrapped(text, width, newline, True), "int", "string", "string"),
}
