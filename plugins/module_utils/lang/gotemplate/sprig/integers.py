# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole numbers: conversions, arithmetic in 64 bits that wraps around, ranges."""

from __future__ import annotations

from ...go.kinds import IntList
from ...go.values import Int64, wrapped
from ..function import CallError, Function
from .numbers import parse_int, to_float, to_int
from .texts import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Longest range that is made.
MAX_RANGE = 1 << 21


def _int64(number: int) -> Int64:
    return Int64(wrapped(number))


def _octal(value: Any) -> Int64:
    """Return the number whose octal digits ``value`` shows; 0 when there is none."""
    number, ok = parse_int(shown(value), 8)
    return Int64(number if ok else 0)


def _product(first: Any, *others: Any) -> Int64:
    product = to_int(first)
    for other in others:
        product = wrapped(product * to_int(other))
    return Int64(product)


def _divided(left: Any, right: Any) -> tuple[int, int]:
    """Return quotient, cut towards zero, and remainder. Raises CallError for a division by zero."""
    dividend, divisor = to_int(left), to_int(right)
    if divisor == 0:
        raise CallError("runtime error: integer divide by zero")
    quotient = abs(dividend) // abs(divisor)
    if (dividend < 0) != (divisor < 0):
        quotient = -quotient
    return quotient, dividend - quotient * divisor


def _range(start: int, stop: int, step: int) -> IntList:
    """Return the numbers from ``start`` to before ``stop``; none when ``step`` leads away from it."""
    if (step >= 0) if stop < start else (step <= 0):
        return IntList()
    numbers = range(start, stop, step)
    if len(numbers) > MAX_RANGE:
        raise CallError(f"a range of {len(numbers)} numbers is too long: {MAX_RANGE} are the most")
    return IntList(numbers)


def _until(count: int) -> IntList:
    return _range(0, count, -1 if count < 0 else 1)


def _seq(*numbers: int) -> str:
    """Return the numbers of a range with both its ends, blanks between them: ``seq LAST``, ``FIRST [STEP] LAST``."""
    if not 1 <= len(numbers) <= 3:
        return ""
    first = numbers[0] if len(numbers) > 1 else 1
    last = numbers[-1]
    beyond = -1 if last < first else 1
    step = numbers[1] if len(numbers) == 3 else beyond
    if len(numbers) == 3 and beyond < 0 and step > 0:
        return ""
    return " ".join(map(str, _range(first, wrapped(last + beyond), step)))


def _largest(first: Any, *others: Any) -> Int64:
    return Int64(max(map(to_int, (first, *others))))


def _smallest(first: Any, *others: Any) -> Int64:
    return Int64(min(map(to_int, (first, *others))))


_LARGEST = Function(_largest, "any", "...any")

FUNCTIONS = {
    "atoi": Function(lambda text: parse_int(text, 10)[0], "string"),
    "int64": Function(lambda value: Int64(to_int(value)), "any"),
    "int": Function(to_int, "any"),
    "float64": Function(to_float, "any"),
    "toDecimal": Function(_octal, "any"),
    "add1": Function(lambda value: _int64(to_int(value) + 1), "any"),
    "add": Function(lambda *values: _int64(sum(map(to_int, values))), "...any"),
    "sub": Function(lambda left, right: _int64(to_int(left) - to_int(right)), "any", "any"),
    "mul": Function(_product, "any", "...any"),
    "div": Function(lambda left, right: _int64(_divided(left, right)[0]), "any", "any"),
    "mod": Function(lambda left, right: _int64(_divided(left, right)[1]), "any", "any"),
    "biggest": _LARGEST,
    "max": _LARGEST,
    "min": Function(_smallest, "any", "...any"),
    "until": Function(_until, "int"),
    "untilStep": Function(_range, "int", "int", "int"),
    "seq": Function(_seq, "...int"),
}
