# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Powers of floats to the last bit of Go's ``math.Pow`` on amd64, for every C library of this machine gives."""

from __future__ import annotations

from math import copysign, factorial, frexp, isnan, ldexp, sqrt

#: ln 2 in two parts: the first has zeros at its end, so that small multiples of it are exact.
_LN2_LOG = (float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33"))
_LN2_EXP = (float.fromhex("0x1.62e42fefa3p-1"), float.fromhex("0x1.3de6af278ece6p-42"))
_LOG2_E = 1.4426950408889634
#: The polynomial by which fdlibm approximates the logarithm between sqrt(1/2) and sqrt(2); odd and even powers.
_LOG_ODD = (1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
_LOG_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
#: The Taylor series of (exp(x) - 1) / x, highest power first.
_EXP = tuple(1 / factorial(power) for power in range(8, 0, -1))


def float_power(base: float, exponent: float) -> float:
    """Return ``base ** exponent``, with Go's special cases: no error, but NaN and infinities."""
    if exponent == 0 or base == 1:
        return 1.0
    if exponent == 1:
        return base
    if isnan(base) or isnan(exponent):
        return float("nan")
    odd = exponent % 2 == 1
    if base == 0:
        if exponent > 0:
            return base if odd else 0.0
        return float("-inf") if odd and copysign(1, base) < 0 else float("inf")
    if exponent - exponent != 0:
        if base == -1:
            return 1.0
        return 0.0 if (abs(base) < 1) == (exponent > 0) else float("inf")
    if base - base != 0:
        if base > 0:
            return base if exponent > 0 else 0.0
        size = float("inf") if exponent > 0 else 0.0
        return -size if odd else size
    if abs(exponent) == 0.5 and base > 0:
        return sqrt(base) if exponent > 0 else 1 / sqrt(base)
    return _finite(base, exponent)


def _finite(base: float, exponent: float) -> float:
    """Return a power of which neither side is a special case: by squaring, and by logarithm for the fraction."""
    whole = int(abs(exponent))
    fraction = abs(exponent) - whole
    if fraction and base < 0:
        return float("nan")
    if abs(exponent) >= 1 << 63:
        if base == -1:
            return 1.0
        return 0.0 if (abs(base) < 1) == (exponent > 0) else float("inf")
    result, power_of_two = 1.0, 0
    if fraction:
        if fraction > 0.5:
            fraction -= 1
            whole += 1
        result = _exp(fraction * _log(base))
    mantissa, shift = frexp(base)
    while whole:
        if abs(shift) > 1 << 12:
            # Far beyond what a float holds, in one direction or the other.
            power_of_two += shift
            break
        if whole & 1:
            result *= mantissa
            power_of_two += shift
        mantissa *= mantissa
        shift <<= 1
        if mantissa < 0.5:
            mantissa += mantissa
            shift -= 1
        whole >>= 1
    if exponent < 0:
        result, power_of_two = 1 / result, -power_of_two
    try:
        return ldexp(result, power_of_two)
    except OverflowError:
        return float("-inf") if result < 0 else float("inf")


def _log(value: float) -> float:
    """Return the natural logarithm of a positive finite number."""
    mantissa, exponent = frexp(value)
    if mantissa < 0.7071067811865476:
        mantissa *= 2
        exponent -= 1
    rest = mantissa - 1
    slope = rest / (2 + rest)
    square = slope * slope
    fourth = square * square
    odd = even = 0.0
    for factor in _LOG_ODD:
        odd = odd * fourth + factor
    for factor in _LOG_EVEN:
        even = even * fourth + factor
    half = 0.5 * rest * rest
    tail = slope * (half + (square * odd + fourth * even)) + exponent * _LN2_LOG[1]
    return exponent * _LN2_LOG[0] - ((half - tail) - rest)


def _exp(value: float) -> float:
    """Return e to the power of a number between -400 and 400."""
    exponent = round(value * _LOG2_E)
    for part in _LN2_EXP:
        value = _fused(-float(exponent), part, value)
    value *= 0.0625
    series = _EXP[0]
    for factor in _EXP[1:]:
        series = _fused(series, value, factor)
    value *= series
    for _halving in range(3):
        value *= value + 2
    return ldexp(_fused(value, value + 2, 1.0), exponent)


def _fused(one: float, other: float, summand: float) -> float:
    """Return ``one * other + summand``, rounded once."""
    above, below = one.as_integer_ratio()
    other_above, other_below = other.as_integer_ratio()
    summand_above, summand_below = summand.as_integer_ratio()
    below *= other_below
    return (above * other_above * summand_below + summand_above * below) / (below * summand_below)
