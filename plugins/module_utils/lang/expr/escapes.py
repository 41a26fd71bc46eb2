# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Escapes inside quoted strings. Text is Python text; a byte that is no UTF-8 is kept as a surrogate escape."""

from __future__ import annotations

_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SIMPLE.update({char: char for char in "\\'\"`?"})
_WIDTHS = {"x": 2, "u": 4, "U": 8}
_CANNOT = "unable to unescape string"


def unescape(body: str) -> str:
    """Return the text that ``body`` (without its quotes) means. Raises ValueError with expr-lang's reason."""
    out = []
    at = 0
    while at < len(body):
        char = body[at]
        if char != "\\":
            out.append(char)
            at += 1
            continue
        char = body[at + 1]
        at += 2
        if char in _SIMPLE:
            out.append(_SIMPLE[char])
        elif char in _WIDTHS:
            end = body.index("}", at) + 1 if body.startswith("{", at) else at + _WIDTHS[char]
            out.append(_character(int(body[at:end].strip("{}"), 16)))
            at = end
        elif char in "0123":
            out.append(_character(int(body[at - 1 : at + 2], 8)))
            at += 2
        else:
            raise ValueError(_CANNOT)
    return "".join(out)


def _character(code: int) -> str:
    if code >= 1 << 31:
        byte = code & 0xFF
        return chr(byte if byte < 0x80 else 0xDC00 + byte)
    if code > 0x10FFFF:
        raise ValueError(_CANNOT)
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


def unescape_bytes(body: str) -> str:
    """Return the bytes that the body of a ``b"..."`` literal means, one character (0 to 255) a byte.

    Raises ValueError with expr-lang's reason.
    """
    out = bytearray()
    at = 0
    while at < len(body):
        char = body[at]
        if char != "\\":
            out += char.encode("utf-8", "surrogateescape")
            at += 1
            continue
        char = body[at + 1]
        at += 2
        if char in _SIMPLE:
            out += _SIMPLE[char].encode("ascii")
        elif char == "x":
            out.append(int(body[at : at + 2], 16))
            at += 2
        elif char in "0123":
            out.append(int(body[at - 1 : at + 2], 8))
            at += 2
        else:
            raise ValueError(_CANNOT)
    return out.decode("latin-1")
