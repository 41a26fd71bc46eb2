# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What plain YAML scalars mean in the dialect of manifests (behaviour.md 15.7): numbers, booleans, null, text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Scalar = Union[None, bool, int, float, str]

_WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    ".inf": float("inf"),
    ".Inf": float("inf"),
    ".INF": float("inf"),
    "-.inf": float("-inf"),
    "-.Inf": float("-inf"),
    "-.INF": float("-inf"),
    ".nan": float("nan"),
    ".NaN": float("nan"),
    ".NAN": float("nan"),
}
_FLOAT = r"[-+]?(?=\.?[0-9])[0-9]*\.[0-9]*(?:[eE][-+]?[0-9]+)?\Z"
_BASES = {"0x": (16, "0123456789abcdefABCDEF", 16), "0o": (8, "01234567", 22), "0b": (2, "01", 64)}
_MOST = (1 << 64) - 1
_LEAST = -(1 << 63)


def plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar.

    Integers: decimal, ``0o17``, ``017`` (octal), ``0x1f``, ``0b1``, with ``_`` anywhere but in front; those beyond 64
    bits are text. Floats need a point (``1e3`` is text). Only ``true`` and ``false`` are booleans; dates, ``yes`` and
    ``12:30`` are text.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "0123456789+-.":
        return text
    found = number(text)
    return text if found is None else found


def number(text: str) -> int | float | None:
    """Return the number that a plain scalar means, or None when it is none."""
    if text.isdigit() and text.isascii() and text[0] != "0" and len(text) < 19:
        return int(text)
    points = text.count(".")
    if points > 1 or text.startswith("_"):
        return None
    negative = text.startswith("-")
    digits = text[1:] if text.startswith("+") else text
    digits = (digits[1:] if digits.startswith("-") else digits).replace("_", "")
    base = _BASES.get(digits[:2])
    if base is not None:
        return _integer(digits[2:], negative, base)
    if points:
        return _float(digits, negative)
    if len(digits) > 1 and digits[0] == "0":
        return _integer(digits, negative, _BASES["0o"])
    return _integer(digits, negative, (10, "0123456789", 20))


def _integer(digits: str, negative: bool, base: tuple[int, str, int]) -> int | None:
    radix, allowed, longest = base
    if not digits or digits.strip(allowed):
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > longest:
        return None
    value = int(digits, radix)
    if negative:
        value = -value
    return value if _LEAST <= value <= _MOST else None


def _float(digits: str, negative: bool) -> float | None:
    import re

    if not re.match(_FLOAT, digits) or (negative and digits[0] in "-+"):
        return None
    value = float(digits)
    if value - value != 0:
        return None
    return -value if negative else value
