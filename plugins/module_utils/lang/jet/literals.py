# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the literals of a template mean. A byte that is no UTF-8 is kept as a surrogate escape."""

from __future__ import annotations

import re

from ..go.values import decoded

_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_WIDTHS = {"x": 2, "u": 4, "U": 8}


class Imaginary:
    """A number like ``2i``: it parses, and has no value."""


def text_of(source: str) -> str:
    """Return the text that a literal in double quotes or backquotes means. Raises ValueError."""
    body = source[1:-1]
    if source[0] == "`":
        return body.replace("\r", "")
    if source[0] != '"':
        raise ValueError("invalid syntax")
    return _unescaped(body, '"') if "\\" in body else body


def character(source: str) -> float:
    """Return the number of the one character of a literal in single quotes. Raises ValueError."""
    body = source[1:-1]
    if not body:
        raise ValueError("invalid syntax")
    text = _unescaped(body, "'") if "\\" in body else body
    if len(text) != 1:
        raise ValueError(f"malformed character constant: {source}")
    code = ord(text)
    return float(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code)


def _unescaped(body: str, quote: str) -> str:
    out = bytearray()
    at = 0
    while at < len(body):
        char = body[at]
        at += 1
        if char != "\\":
            out += char.encode("utf-8", "surrogateescape")
            continue
        char = body[at]
        at += 1
        if char in _SIMPLE:
            out.append(_SIMPLE[char])
        elif char == quote:
            out += char.encode("ascii")
        elif char in _WIDTHS:
            end = at + _WIDTHS[char]
            code = _digits(body[at:end], end - at, 16)
            at = end
            out += bytes((code,)) if char == "x" else _encoded(code)
        elif char in "01234567":
            code = _digits(body[at - 1 : at + 2], 3, 8)
            if code > 255:
                raise ValueError("invalid syntax")
            out.append(code)
            at += 2
        else:
            raise ValueError("invalid syntax")
    return decoded(bytes(out))


def _digits(text: str, count: int, base: int) -> int:
    if len(text) != count or not text.isalnum() or not text.isascii():
        raise ValueError("invalid syntax")
    try:
        return int(text, base)
    except ValueError:
        raise ValueError("invalid syntax") from None


def _encoded(code: int) -> bytes:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError("invalid syntax")
    return chr(code).encode("utf-8")


def number(source: str) -> float | Imaginary:
    """Return the number of a literal; they all are floats, ``010`` is 8. Raises ValueError."""
    if len(source) < 16 and source[0] != "0" and source.isascii() and source.isdigit():
        return float(source)
    return _odd_number(source)


def _odd_number(source: str) -> float | Imaginary:
    is_float = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z").match
    if source.endswith("i"):
        if not is_float(source[:-1]):
            raise ValueError(f'illegal number syntax: "{source}"')
        return Imaginary() if float(source[:-1]) else 0.0
    if re.match(r"[+-]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)\Z", source):
        whole = _whole(source)
        if -(1 << 63) <= whole < 1 << 64:
            return float(whole)
    if is_float(source):
        value = float(source)
        if value - value == 0:
            if "." not in source and "e" not in source and "E" not in source:
                raise ValueError(f'integer overflow: "{source}"')
            return value
    raise ValueError(f'illegal number syntax: "{source}"')


def _whole(source: str) -> int:
    digits = source.lstrip("+-")
    if len(digits) > 60:
        return 1 << 64
    base = 16 if digits[1:2] in ("x", "X") else 8 if digits[0] == "0" and len(digits) > 1 else 10
    value = int(digits, base)
    return -value if source[0] == "-" else value
