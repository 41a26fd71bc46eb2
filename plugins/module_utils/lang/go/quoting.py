# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts in quotes and without control characters, with the escapes of Go's ``strconv.Quote`` (``%q``)."""

from __future__ import annotations

_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


def quote(text: str) -> str:
    """Return ``text`` in double quotes with the escapes of Go's ``%q``.

    Undecodable bytes (surrogate escapes) become ``\\xNN``, other invisible characters ``\\u00a0`` or ``\\U0010fffd``.
    """
    if text.isprintable() and '"' not in text and "\\" not in text:
        return '"' + text + '"'
    return '"' + "".join(map(_quoted, text)) + '"'


def printable(text: str, keep: str = "") -> str:
    """Return ``text`` with what a terminal obeys, or shows as nothing, written as ``quote`` does, but for ``keep``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else _quoted(char) for char in text)


def _quoted(char: str) -> str:
    escape = _ESCAPES.get(char)
    if escape is not None:
        return escape
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
