# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers for ``printf``."""

from __future__ import annotations

import math
from math import copysign, frexp

from . import printf_texts
from .fmt import float_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .printf_flags import Flags

_FORMS = {"d": "d", "v": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES = {"b": "0b", "x": "0x", "X": "0X"}
_CHARACTERS = {"c": printf_texts.character, "q": printf_texts.quoted_character, "U": printf_texts.code_point}


def integer(flags: Flags, value: int, unsigned: bool, verb: str) -> str | None:
    """Return an integer as a verb prints it; None for verbs that do not fit."""
    if verb in _CHARACTERS:
        return _CHARACTERS[verb](flags, value)
    if verb not in _FORMS:
        return None
    sharp = flags.sharp
    if verb == "v" and flags.go_syntax and unsigned:
        verb, sharp = "x", True
    sign = "-" if value < 0 else "+" if flags.plus else " " if flags.space else ""
    if flags.precision == 0 and value == 0:
        return " " * (flags.width or 0)
    digits = format(abs(value), _FORMS[verb])
    least = flags.precision or 0
    if flags.precision is None and flags.zero and not flags.minus and flags.width is not None:
        least = flags.width - len(sign)
    digits = digits.rjust(least, "0")
    if sharp:
        digits = _PREFIXES.get(verb, "0" if verb in "oO" and digits[0] != "0" else "") + digits
    if verb == "O":
        digits = "0o" + digits
    return flags.pad(sign + digits, zero=False)


def complex_(flags: Flags, value: complex, verb: str) -> str | None:
    """Return a complex number as a verb prints it; None for verbs that do not fit."""
    real = floating(flags, value.real, verb)
    if real is None:
        return None
    had_plus, flags.plus = flags.plus, True
    imaginary = floating(flags, value.imag, verb)
    flags.plus = had_plus
    return f"({real}{imaginary}i)"


def floating(flags: Flags, value: float, verb: str) -> str | None:
    """Return a float as a verb prints it; None for verbs that do not fit."""
    if verb not in "vbgGxXfFeE":
        return None
    form = {"v": "g", "F": "f"}.get(verb, verb)
    precision = flags.precision
    if precision is None and form in "feE":
        precision = 6
    shown = _digits(value, form, precision)
    if shown[0] not in "+-":
        shown = "+" + shown
    if flags.space and shown[0] == "+" and not flags.plus:
        shown = " " + shown[1:]
    if value - value != 0:
        is_signless = math.isnan(value) and not flags.space and not flags.plus
        return flags.pad(shown[1:] if is_signless else shown, zero=False)
    if flags.sharp and form != "b":
        shown = _pointed(shown, form, precision)
    if not flags.plus and shown[0] == "+":
        return flags.pad(shown[1:])
    if flags.zero and not flags.minus:
        return shown[0] + shown[1:].rjust((flags.width or 0) - 1, "0")
    return flags.pad(shown)


def _digits(value: float, form: str, precision: int | None) -> str:
    """Return a float in one of Go's forms; no precision asks for the fewest digits that identify it."""
    if value - value != 0:
        return float_text(value)
    if form == "b":
        return _binary(value)
    if form in "xX":
        return _hexadecimal(value, form, precision)
    if precision is None:
        shown = float_text(value)
        return shown.upper() if form == "G" else shown
    return format(value, f".{precision}{form}")


def _pointed(shown: str, form: str, precision: int | None) -> str:
    """Return a float with its point, and with the zeros that ``#`` keeps."""
    digits = 0
    if form in "gGx":
        digits = 6 if precision is None else precision
    mark = next((at for at, char in enumerate(shown) if char in ("pP" if form in "xX" else "eEpP")), len(shown))
    head, tail = shown[:mark], shown[mark:]
    seen = False
    for char in head[1:]:
        if char != "." and (seen or char != "0"):
            seen = True
            digits -= 1
    if "." not in head:
        digits -= head[1:] == "0"
        head += "."
    return head + "0" * max(digits, 0) + tail


def _parts(value: float) -> tuple[str, int, int]:
    """Return sign, mantissa and exponent: ``value`` is mantissa * 2**exponent, the mantissa being as Go keeps it."""
    sign = "-" if copysign(1.0, value) < 0 else ""
    fraction, exponent = frexp(abs(value))
    if fraction == 0:
        return sign, 0, -1074
    mantissa, exponent = int(fraction * (1 << 53)), exponent - 53
    if exponent < -1074:
        mantissa >>= -1074 - exponent
        exponent = -1074
    return sign, mantissa, exponent


def _binary(value: float) -> str:
    sign, mantissa, exponent = _parts(value)
    return f"{sign}{mantissa}p{exponent:+d}"


def _hexadecimal(value: float, form: str, precision: int | None) -> str:
    sign, mantissa, exponent = _parts(value)
    if mantissa == 0:
        exponent = 0
    else:
        shift = 53 - mantissa.bit_length()
        mantissa <<= shift
        exponent += 52 - shift
    if precision is not None and precision < 13:
        mantissa = _rounded(mantissa, 4 * (13 - precision))
        if mantissa.bit_length() > 53:
            mantissa >>= 1
            exponent += 1
    digits = f"{mantissa & ((1 << 52) - 1):013x}"
    digits = digits.rstrip("0") if precision is None else digits.ljust(precision, "0")[:precision]
    point = "." if digits else ""
    shown = f"{sign}0x{mantissa >> 52}{point}{digits}p{exponent:+03d}"
    return shown.upper() if form == "X" else shown


def _rounded(mantissa: int, bits: int) -> int:
    """Return a mantissa whose lowest ``bits`` are rounded away, halves to the even side."""
    unit = 1 << bits
    rest = mantissa & (unit - 1)
    mantissa -= rest
    if rest * 2 > unit or (rest * 2 == unit and mantissa & unit):
        mantissa += unit
    return mantissa
