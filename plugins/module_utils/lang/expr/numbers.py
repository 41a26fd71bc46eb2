# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins on numbers, and ``len``."""

from __future__ import annotations

from math import copysign

from ..go.values import MIN_INT, Fault, Uint8, check_weight, is_number, type_name
from .errors import Failure
from .operators import less, more
from .values import Whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

#: How deep lists of numbers may be nested.
_MAX_DEPTH = 200


def _len(value: Any) -> int:
    if isinstance(value, (str, list, tuple, dict, bytes)) and not isinstance(value, Whole):
        return len(value)
    raise Fault(f"invalid argument for len (type {type_name(value)})")


def _abs(value: Any) -> Any:
    if not is_number(value):
        raise Fault(f"invalid argument for abs (type {type_name(value)})")
    if isinstance(value, float):
        return abs(value) if value else value
    return type(value)(abs(value)) if value != MIN_INT else value


def _rounding(name: str, whole: Callable[[float], float]) -> Callable[[Any], float]:
    def rounded(value: Any) -> float:
        if not is_number(value):
            raise Fault(f"invalid argument for {name} (type {type_name(value)})")
        if not isinstance(value, float):
            return float(value)
        if not -4503599627370496.0 < value < 4503599627370496.0:
            return value
        return copysign(whole(value), value)

    return rounded


def _ceil(value: float) -> float:
    return float(-int(-value // 1))


def _floor(value: float) -> float:
    return float(int(value // 1))


def _round(value: float) -> float:
    """Round half away from zero."""
    size = abs(value)
    lower = float(int(size))
    return lower + 1.0 if size - lower >= 0.5 else lower


def _extreme(name: str, worse: Callable[[Any, Any, int], bool]) -> Callable[..., Any]:
    def extreme(*arguments: Any) -> Any:
        check_weight(arguments)
        return _best(name, worse, arguments, 0)

    return extreme


def _best(name: str, worse: Callable[[Any, Any, int], bool], values: Any, depth: int) -> Any:
    """Return the best of ``values``, lists among them looked through; nil when there is none."""
    if depth > _MAX_DEPTH:
        raise Fault("recursion depth exceeded")
    best = None
    for value in values:
        if isinstance(value, (list, tuple, bytes)):
            items = map(Uint8, value) if isinstance(value, bytes) else value
            value = _best(name, worse, list(items), depth + 1)
            if value is None:
                continue
        elif not is_number(value) and (depth or type_name(value) != "time.Duration"):
            if depth == 0 and len(values) == 1:
                return value
            raise Fault(f"invalid argument for {name} (type {type_name(value)})")
        try:
            if best is None or worse(best, value, 0):
                best = value
        except Failure as failure:
            raise Fault(failure.message) from None
    return best


def _floats(name: str, values: Any, found: list[float], depth: int = 0) -> list[float]:
    if depth > _MAX_DEPTH:
        raise Fault("recursion depth exceeded")
    for value in values:
        if isinstance(value, (list, tuple, bytes)):
            _floats(name, value, found, depth + 1)
        elif is_number(value):
            found.append(float(value))
        elif type_name(value) == "time.Duration":
            found.append(float(value.ns))
        else:
            raise Fault(f"invalid argument for {name} (type {type_name(value)})")
    return found


def _mean(*arguments: Any) -> float:
    check_weight(arguments)
    found = _floats("mean", arguments, [])
    total = 0.0
    for value in found:
        total += value
    return total / len(found) if found else 0.0


def _median(*arguments: Any) -> float:
    check_weight(arguments)
    found = sorted(_floats("median", arguments, []))
    if not found:
        return 0.0
    middle = len(found) // 2
    if len(found) % 2:
        return found[middle]
    return (found[middle - 1] + found[middle]) / 2


FUNCTIONS = {
    "len": _len,
    "abs": _abs,
    "ceil": _rounding("ceil", _ceil),
    "floor": _rounding("floor", _floor),
    "round": _rounding("round", _round),
    "max": _extreme("max", less),
    "min": _extreme("min", more),
    "mean": _mean,
    "median": _median,
}
