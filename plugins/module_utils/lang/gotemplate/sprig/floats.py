# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers with a point: arithmetic on their decimal digits, extremes, rounding."""

from __future__ import annotations

import math
from math import ceil, floor, fmod, ldexp

from ...go.fmt import float_text, shortest
from ..function import CallError, Function
from .numbers import to_float

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Tuple

    #: Digits and the power of ten they are worth: (125, -1) is 12.5.
    Decimal = Tuple[int, int]

#: Digits after the point that a quotient has.
_PRECISION = 16
_INFINITE = float("inf")


def _decimal(value: Any) -> Decimal:
    number = to_float(value)
    if number - number != 0:
        raise CallError("Cannot create a Decimal from " + float_text(number))
    sign, digits, exponent = shortest(number)
    return int(sign + digits), exponent - len(digits) + 1


def _float(number: Decimal) -> float:
    digits, exponent = number
    try:
        return float(digits * 10**exponent) if exponent >= 0 else digits / 10**-exponent
    except OverflowError:
        return -_INFINITE if digits < 0 else _INFINITE


def _sum(left: Decimal, right: Decimal) -> Decimal:
    exponent = min(left[1], right[1])
    return left[0] * 10 ** (left[1] - exponent) + right[0] * 10 ** (right[1] - exponent), exponent


def _difference(left: Decimal, right: Decimal) -> Decimal:
    return _sum(left, (-right[0], right[1]))


def _product(left: Decimal, right: Decimal) -> Decimal:
    return left[0] * right[0], left[1] + right[1]


def _quotient(left: Decimal, right: Decimal) -> Decimal:
    """Return the quotient to 16 places, half rounded away from zero. Raises CallError for a division by zero."""
    if right[0] == 0:
        raise CallError("decimal division by 0")
    shift = left[1] - right[1] + _PRECISION
    dividend = abs(left[0]) * 10 ** max(shift, 0)
    divisor = abs(right[0]) * 10 ** max(-shift, 0)
    size = (2 * dividend + divisor) // (2 * divisor)
    return (-size if (left[0] < 0) != (right[0] < 0) else size), -_PRECISION


def _folded(combine: Callable[[Decimal, Decimal], Decimal], first: Any, others: Any) -> float:
    total = _decimal(first)
    for other in others:
        total = combine(total, _decimal(other))
    return _float(total)


def _arithmetic(combine: Callable[[Decimal, Decimal], Decimal]) -> Function:
    return Function(lambda first, *others: _folded(combine, first, others), "any", "...any")


def _largest(first: Any, *others: Any) -> float:
    return _best([to_float(value) for value in (first, *others)], _INFINITE, max)


def _smallest(first: Any, *others: Any) -> float:
    return _best([to_float(value) for value in (first, *others)], -_INFINITE, min)


def _best(numbers: list[float], winner: float, choose: Callable[[float, float], float]) -> float:
    """Return the extreme of ``numbers``, from left to right: ``winner`` beats NaN, which beats the rest."""
    best = numbers[0]
    for number in numbers[1:]:
        if winner in (best, number):
            best = winner
        elif math.isnan(best) or math.isnan(number):
            best = float("nan")
        elif best == number == 0:
            # The sign of zero: -0.0 is below 0.0.
            negative = str(best)[0] == "-", str(number)[0] == "-"
            best = -0.0 if (all(negative) if winner > 0 else any(negative)) else 0.0
        else:
            best = choose(best, number)
    return best


def _floor(value: Any) -> float:
    return _whole(to_float(value), floor)


def _ceil(value: Any) -> float:
    return _whole(to_float(value), ceil)


def _whole(number: float, rounded: Callable[[float], int]) -> float:
    """Return a float rounded; zero, NaN and infinities are themselves, a number rounded to zero keeps its sign."""
    if number - number != 0 or number == 0:
        return number
    result = float(rounded(number))
    return -0.0 if result == 0 and number < 0 else result


def _round(value: Any, places: int, *options: float) -> float:
    """Return a number rounded to ``places``: up when the rest is at least the option (0.5), else down."""
    power = _power_of_ten(places)
    digit = power * to_float(value)
    beyond = float("nan") if digit - digit != 0 else fmod(digit, 1.0)
    rounded = _whole(digit, ceil if beyond >= (options[0] if options else 0.5) else floor)
    if power == 0:
        return rounded * _INFINITE if rounded else float("nan")
    return rounded / power


def _power_of_ten(exponent: int) -> float:
    """Return 10 to the power of ``exponent`` as Go's ``math.Pow`` works it out: not always the nearest float."""
    count = abs(exponent)
    if count > 400:
        return _INFINITE if exponent > 0 else 0.0
    result, result_exponent = 1.0, 0
    factor, factor_exponent = 0.625, 4
    while count:
        if count & 1:
            result *= factor
            result_exponent += factor_exponent
        factor *= factor
        factor_exponent *= 2
        if factor < 0.5:
            factor += factor
            factor_exponent -= 1
        count >>= 1
    if exponent < 0:
        result, result_exponent = 1 / result, -result_exponent
    try:
        return ldexp(result, result_exponent)
    except OverflowError:
        return _INFINITE


FUNCTIONS = {
    "add1f": Function(lambda value: _folded(_sum, value, (1,)), "any"),
    "addf": Function(lambda *values: _folded(_sum, 0.0, values), "...any"),
    "subf": _arithmetic(_difference),
    "mulf": _arithmetic(_product),
    "divf": _arithmetic(_quotient),
    "maxf": Function(_largest, "any", "...any"),
    "minf": Function(_smallest, "any", "...any"),
    "floor": Function(_floor, "any"),
    "ceil": Function(_ceil, "any"),
    "round": Function(_round, "any", "int", "...float64"),
}
