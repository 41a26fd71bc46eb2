# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers out of anything, as Sprig gets them: other values are zero. Rules: spf13/cast and ``strconv``."""

from __future__ import annotations

from ...go.values import truncated, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_INT = (1 << 63) - 1
MIN_INT = -(1 << 63)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_BASES = {"b": 2, "o": 8, "x": 16}


def to_int(value: Any) -> int:
    """Return ``value`` as a 64 bit integer; 0 if it is no number."""
    if isinstance(value, int):
        return wrapped(int(value))
    if isinstance(value, float):
        return truncated(value)
    if isinstance(value, str):
        return _int_of_text(value)
    number = getattr(value, "ns", None) if not hasattr(value, "location") else None
    if number is None:
        number = getattr(value, "number", None)
    return int(number) if isinstance(number, int) else 0


def _int_of_text(text: str) -> int:
    if "." in text:
        whole, _point, fraction = text.partition(".")
        digits = whole[1:] if whole[:1] in ("-", "+") else whole
        if _all_digits(digits) and _all_digits(fraction):
            text = whole if digits else whole + "0"
    number, ok = parse_int(text, 0)
    return number if ok else 0


def _all_digits(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit())


def to_float(value: Any) -> float:
    """Return ``value`` as a float; 0.0 if it is no number."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        number, ok = parse_float(value)
        return number if ok else 0.0
    return float(value) if isinstance(value, int) else float(to_int(value))


def parse_int(text: str, base: int) -> tuple[int, bool]:
    """Return the integer in ``text`` and whether all is well with it, as ``strconv.ParseInt`` for 64 bits.

    A number that is too large gives the nearest integer and False, a text that is no integer 0 and False. Base 0 takes
    ``0x``, ``0o``, ``0b``, a leading 0 for octal numbers, and underscores.
    """
    digits = text[1:] if text[:1] in ("-", "+") else text
    if base == 0:
        if "_" in digits and not _underscores_fit(digits):
            return 0, False
        base, digits = _based(digits)
        digits = digits.replace("_", "")
        if not digits and text[-1:] == "0":
            return 0, True
    size = _digits_at_start(digits, base)
    significant = digits[:size].lstrip("0")
    number = int(significant or "0", base) if len(significant) <= 64 else 1 << 64
    # A number that is too large is noticed before a fault in the characters after it.
    if not digits or (size < len(digits) and number < 1 << 64):
        return 0, False
    if text[0] == "-":
        number = -number
    if MIN_INT <= number <= MAX_INT:
        return number, True
    return (MIN_INT if number < 0 else MAX_INT), False


def _digits_at_start(text: str, base: int) -> int:
    allowed = _DIGITS[:base]
    return next((at for at, char in enumerate(text) if char > "\x7f" or char.lower() not in allowed), len(text))


def _based(digits: str) -> tuple[int, str]:
    if digits[:1] != "0":
        return 10, digits
    base = _BASES.get(digits[1:2].lower())
    if base is not None and len(digits) >= 3:
        return base, digits[2:]
    return 8, digits[1:]


def _underscores_fit(digits: str) -> bool:
    """Return whether each underscore is between digits, the mark of a base counting as one."""
    seen = "^"
    at = 0
    hexadecimal = False
    if digits[:1] == "0" and digits[1:2].lower() in _BASES:
        at, seen, hexadecimal = 2, "0", digits[1] in "xX"
    for char in digits[at:].lower():
        if "0" <= char <= "9" or (hexadecimal and "a" <= char <= "f"):
            seen = "0"
        elif char == "_":
            if seen != "0":
                return False
            seen = "_"
        elif seen == "_":
            return False
        else:
            seen = "!"
    return seen != "_"


def parse_float(text: str) -> tuple[float, bool]:
    """Return the float in ``text`` and whether all is well with it, as ``strconv.ParseFloat`` for 64 bits."""
    body = text[1:] if text[:1] in ("-", "+") else text
    sign = -1.0 if text[:1] == "-" else 1.0
    lower = body.lower() if body.isascii() else ""
    if lower in ("inf", "infinity"):
        return sign * float("inf"), True
    if lower == "nan" and body == text:
        return float("nan"), True
    if "_" in lower and not _underscores_fit(lower):
        return 0.0, False
    lower = lower.replace("_", "")
    hexadecimal = lower.startswith("0x") and "p" in lower
    allowed = "0123456789abcdefxp.+-" if hexadecimal else "0123456789e.+-"
    if not lower or any(char not in allowed for char in lower) or lower[0] in "+-" or len(lower) > 100000:
        return 0.0, False
    try:
        number = float.fromhex(lower) if hexadecimal else float(lower)
    except OverflowError:
        return sign * float("inf"), False
    except ValueError:
        return 0.0, False
    return sign * number, number != float("inf")
