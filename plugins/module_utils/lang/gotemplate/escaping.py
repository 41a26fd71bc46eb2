# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""``html``, ``js`` and ``urlquery``: values as text that HTML, JavaScript and URLs take for text."""

from __future__ import annotations

from ..go.fmt import sprint
from ..go.values import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

_HTML = str.maketrans({"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"})
_JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
_URL_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


def spaced(values: Sequence[Any]) -> str:
    """Return values as Go's ``fmt.Sprint`` joins them: with a space between two of which none is a text."""
    out: list[str] = []
    after_text = True
    for value in values:
        is_text = isinstance(value, str)
        if out and not is_text and not after_text:
            out.append(" ")
        after_text = is_text
        out.append(sprint(value))
    return "".join(out)


def _text(values: Sequence[Any]) -> str:
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return spaced(["<no value>" if value is None else value for value in values])


def html(*values: Any) -> str:
    """Return values as text for HTML."""
    return _text(values).translate(_HTML)


def javascript(*values: Any) -> str:
    """Return values as text for a string of JavaScript."""
    return "".join(map(_escaped, _text(values)))


def _escaped(char: str) -> str:
    escape = _JS.get(char)
    if escape is not None:
        return escape
    if char < " ":
        return f"\\u00{ord(char):02X}"
    if "\udc80" <= char <= "\udcff":
        return "\\uFFFD"
    return char if char == "\x7f" or char.isprintable() else f"\\u{ord(char):04X}"


def urlquery(*values: Any) -> str:
    """Return values as text for the query of a URL."""
    data = encoded(_text(values))
    return "".join(chr(byte) if byte in _URL_SAFE else "+" if byte == 32 else f"%{byte:02X}" for byte in data)
