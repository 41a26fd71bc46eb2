# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Strings, characters and numbers as a template writes them, read as Go's package strconv does."""

from __future__ import annotations

from ..go.quoting import quote
from ..go.values import MAX_INT, MIN_INT
from .nodes import Number

_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_WIDTHS = {"x": 2, "u": 4, "U": 8}
_MAX_UINT = (1 << 64) - 1


class LiteralError(Exception):
    """A string or number that says nothing; the text is Go's reason."""


def unquote(source: str) -> str:
    """Return the text that ``source`` means, quotes included in it. Raises LiteralError."""
    body = source[1:-1]
    if source[0] == "`":
        return body.replace("\r", "")
    if "\\" not in body:
        return body
    out = bytearray()
    at = 0
    while at < len(body):
        piece, at = _unescaped(body, at, '"')
        out += piece
    return out.decode("utf-8", "surrogateescape")


def _unescaped(body: str, at: int, mark: str) -> tuple[bytes, int]:
    """Return the bytes of the character at an offset, and where the next one begins."""
    if body[at] != "\\":
        return body[at].encode("utf-8", "surrogateescape"), at + 1
    kind = body[at + 1 : at + 2]
    if kind == mark:
        return mark.encode(), at + 2
    if kind in _SIMPLE:
        return bytes([_SIMPLE[kind]]), at + 2
    if kind in _WIDTHS:
        start, base, width = at + 2, 16, _WIDTHS[kind]
    elif kind and kind in "01234567":
        start, base, width = at + 1, 8, 3
    else:
        raise LiteralError("invalid syntax")
    digits = body[start : start + width]
    if len(digits) < width or digits.strip("0123456789abcdefABCDEF" if base == 16 else "01234567"):
        raise LiteralError("invalid syntax")
    code = int(digits, base)
    if kind in ("u", "U"):
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise LiteralError("invalid syntax")
        return chr(code).encode(), start + width
    if code > 255:
        raise LiteralError("invalid syntax")
    return bytes([code]), start + width


def character(source: str) -> Number:
    """Return the number that a character in single quotes means. Raises LiteralError."""
    if source == "''":
        raise LiteralError("invalid syntax")
    piece, end = _unescaped(source, 1, "'")
    if source[end:] != "'":
        raise LiteralError("malformed character constant: " + source)
    code = _code(piece) if source[1] != "\\" or source[2] in "uU" else piece[0]
    return Number(code, code, float(code), code)


def _code(piece: bytes) -> int:
    try:
        return ord(piece.decode())
    except UnicodeDecodeError:
        return 0xFFFD


def number(source: str) -> Number:
    """Return what a number that is not of two parts means. Raises LiteralError."""
    if source.endswith("i"):
        imaginary = _float(source[:-1])
        if imaginary is not None:
            return _simplified(complex(0, imaginary))
    value = _integer(source)
    if value is not None and MIN_INT <= value <= _MAX_UINT and not (source[0] == "+" and value > MAX_INT):
        signed = value if value <= MAX_INT else None
        unsigned = value if value >= 0 and (source[0] not in "+-" or value == 0) else None
        return Number(signed, unsigned, float(value), signed)
    floating = _float(source)
    if floating is None:
        raise LiteralError("illegal number syntax: " + quote(source))
    if not set(source) & set(".eEpP"):
        raise LiteralError("integer overflow: " + quote(source))
    signed, unsigned = _whole(floating)
    return Number(signed, unsigned, floating, floating)


def two_parts(source: str) -> Number:
    """Return what a complex number such as ``1+2i`` means. Raises LiteralError."""
    split = max(source.rfind("+", 1), source.rfind("-", 1))
    if source[split - 1] in "eEpP":
        split = max(source.rfind("+", 1, split - 1), source.rfind("-", 1, split - 1))
    real, imaginary = _float(source[:split]), _float(source[split:-1])
    if real is None or imaginary is None:
        raise LiteralError("syntax error scanning complex number")
    return _simplified(complex(real, imaginary))


def _simplified(value: complex) -> Number:
    if value.imag:
        return Number(None, None, None, value)
    return Number(*_whole(value.real), value.real, value)


def _whole(value: float) -> tuple[int | None, int | None]:
    """Return a float as a signed and as an unsigned integer, None where it is none."""
    if value - value != 0 or not value.is_integer():
        return None, None
    whole = int(value)
    return whole if MIN_INT <= whole <= MAX_INT else None, whole if 0 <= whole <= _MAX_UINT else None


def _integer(source: str) -> int | None:
    sign = -1 if source[0] == "-" else 1
    digits = source.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1] in "01234567_":
        digits = "0o" + digits[1:]
    try:
        return sign * int(digits, 0)
    except ValueError:
        return None


def _float(source: str) -> float | None:
    """Return a float as Go reads it, None where it cannot or where it is too large."""
    plain = source.lower()
    is_hex = plain.lstrip("+-").startswith("0x")
    if is_hex and "p" not in plain:
        return None
    if "_" in plain:
        if not _good_underscores(plain, is_hex):
            return None
        plain = plain.replace("_", "")
    try:
        value = float.fromhex(plain) if is_hex else float(plain)
    except (ValueError, OverflowError):
        return None
    return value if value - value == 0 else None


def _good_underscores(plain: str, is_hex: bool) -> bool:
    """Return whether each underscore is between digits, or after the sign of a base."""
    digits = "0123456789abcdefx" if is_hex else "0123456789"
    return all(
        plain[at - 1 : at] in tuple(digits) and plain[at + 1 : at + 2] in tuple(digits)
        for at, char in enumerate(plain)
        if char == "_"
    )
