# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values as text the way Go prints them: ``fmt.Sprint`` (``%v``)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping

#: Deepest nesting that is rendered; beyond it (or on a cycle) GoFormatError is raised.
MAX_DEPTH = 400


class GoFormatError(Exception):
    """A value that cannot be rendered: nested too deeply, or of a kind that Go's formatting does not know."""


def sprint(value: Any) -> str:
    """Return ``value`` as Go's ``fmt.Sprint`` shows it.

    Knows None, bool, int, float, complex, str, bytes, lists and tuples, mappings, and objects with a method
    ``go_text()`` (durations, times). Raises GoFormatError for values nested deeper than MAX_DEPTH. Rule:
    vectors/NOTES.md "Value rendering".
    """
    if value.__class__ is str:
        return value
    out: list[str] = []
    try:
        _render(value, out, 0)
    except RecursionError:
        raise GoFormatError("value is nested too deeply to be shown") from None
    return "".join(out)


def _render(value: Any, out: list[str], depth: int) -> None:
    if isinstance(value, str):
        out.append(value)
    elif value is None:
        out.append("<nil>")
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    elif isinstance(value, int):
        out.append(integer(value))
    elif isinstance(value, float):
        out.append(float_text(value))
    elif hasattr(value, "go_text"):
        out.append(value.go_text())
    elif depth >= MAX_DEPTH:
        raise GoFormatError("value is nested too deeply to be shown")
    elif hasattr(value, "keys"):
        _render_map(value, out, depth + 1)
    elif hasattr(value, "__iter__"):
        _render_list(value, out, depth + 1)
    elif isinstance(value, complex):
        imaginary = float_text(value.imag)
        sign = "" if imaginary[0] in "+-" else "+"
        out.append(f"({float_text(value.real)}{sign}{imaginary}i)")
    else:
        raise GoFormatError("cannot show a value of type " + type(value).__name__)


def _render_list(values: Iterable[Any], out: list[str], depth: int) -> None:
    out.append("[")
    separator = False
    for value in values:
        if separator:
            out.append(" ")
        separator = True
        _render(value, out, depth)
    out.append("]")


def _render_map(values: Mapping[Any, Any], out: list[str], depth: int) -> None:
    out.append("map[")
    separator = False
    for key in sorted_keys(values):
        if separator:
            out.append(" ")
        separator = True
        _render(key, out, depth)
        out.append(":")
        _render(values[key], out, depth)
    out.append("]")


def sorted_keys(values: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of ``values`` in the order in which Go prints a map.

    Nil first, then strings, integers, floats (NaN lowest), booleans; other kinds last, by their text.
    """
    keys = list(values)
    try:
        if all(isinstance(key, str) for key in keys):
            return sorted(keys)
        return sorted(keys, key=_rank)
    except TypeError:
        return sorted(keys, key=str)


def _rank(key: Any) -> tuple[int, Any]:
    if key is None:
        return (0, 0)
    if isinstance(key, str):
        return (1, key)
    if isinstance(key, bool):
        return (5, key)
    if isinstance(key, int):
        return (2, key)
    if isinstance(key, float):
        return (3, 0.0) if str(key) == "nan" else (4, key)
    return (6, sprint(key))


def integer(value: int) -> str:
    """Return the decimal digits of ``value``; GoFormatError where Python refuses (thousands of digits)."""
    try:
        return int.__repr__(value)
    except ValueError:
        raise GoFormatError("number has too many digits to be shown") from None


def shortest(value: float) -> tuple[str, str, int]:
    """Return sign (``-`` or nothing), the fewest digits that say a finite float, and its decimal exponent.

    ``("-", "125", 1)`` means -12.5 = -1.25 * 10**1; zero gives digits ``0`` and exponent 0.
    """
    text = float.__repr__(value)
    sign = ""
    if text[0] == "-":
        sign, text = "-", text[1:]
    mantissa, _letter, exponent_text = text.partition("e")
    exponent = int(exponent_text) if exponent_text else 0
    whole, _point, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign, "0", 0
    leading = len(whole + fraction) - len(digits)
    return sign, digits.rstrip("0"), len(whole) - 1 - leading + exponent


def float_text(value: float) -> str:
    """Return a float as Go's ``%v``: shortest digits, exponent form (``1e+06``) below 1e-04 and from 1e+06 on.

    NaN is ``NaN``, infinities are ``+Inf`` and ``-Inf``. Rule: vectors/NOTES.md "Value rendering".
    """
    if value - value != 0:
        return "+Inf" if value > 0 else "-Inf" if value < 0 else "NaN"
    sign, digits, exponent = shortest(value)
    if -4 <= exponent < 6:
        return sign + positional(digits, exponent)
    return sign + scientific(digits, exponent)


def float_plain(value: float) -> str:
    """Return a float with shortest digits and never an exponent, as Jet prints (Go's ``f`` format)."""
    if -1e15 < value < 1e15:
        whole = int(value)
        if whole == value and whole:
            return str(whole)
    if value - value != 0:
        return float_text(value)
    sign, digits, exponent = shortest(value)
    return sign + positional(digits, exponent)


def positional(digits: str, exponent: int) -> str:
    """Return ``digits`` (first digit worth ``10**exponent``) written without exponent: ``1234.5``, ``0.00012``."""
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return digits[: exponent + 1] + "." + digits[exponent + 1 :]


def scientific(digits: str, exponent: int) -> str:
    """Return ``digits`` (first digit worth ``10**exponent``) written ``d.dde+NN``, two exponent digits at least."""
    mantissa = digits if len(digits) == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{exponent:+03d}"
