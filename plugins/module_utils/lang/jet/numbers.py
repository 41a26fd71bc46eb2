# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jet's arithmetic and comparisons: the left operand decides of what kind the result is."""

from __future__ import annotations

import math
import re

from ..go.quoting import quote
from ..go.values import decoded, truncated, wrapped
from .errors import JetError
from .values import MAX_INT, MISSING, Boxed, Integers, Uint8, Uint64, check_size, text_of, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

INT, UINT, FLOAT, NONE = "int", "uint", "float", ""
_SPAN = 1 << 64


#: Marks the text of the left operand in the reason of an OperandFault.
LEFT = "\0"
#: What to do about an entry whose type Jet does not look at.
ADVICE = ": name the entry to use it, as in range i, v := list"


class OperandFault(Exception):
    """An operand that does not fit: on which side (``left``, ``right`` or ``whole``), and why."""

    def __init__(self, side: str, reason: str) -> None:
        super().__init__(side, reason)
        self.side = side
        self.reason = reason


def number_kind(value: Any) -> str:
    """Return INT, UINT or FLOAT for numbers, NONE for other values."""
    kind = value.__class__
    if kind is float:
        return FLOAT
    if kind is int:
        return INT if value <= MAX_INT else UINT
    if kind is bool or kind is str:
        return NONE
    if isinstance(value, (Uint64, Uint8)):
        return UINT
    if isinstance(value, int):
        return NONE if isinstance(value, bool) else INT
    return FLOAT if isinstance(value, float) else NONE


def to_int(value: Any) -> int:
    """Return a value as Jet makes an ``int64`` of it: texts are read, true is 0. Raises JetError."""
    kind = number_kind(value)
    if kind is INT:
        return int(value)
    if kind is FLOAT:
        return truncated(value)
    if kind is UINT:
        return wrapped(int(value))
    if isinstance(value, str):
        return _whole(value, "ParseInt", -MAX_INT - 1, MAX_INT)
    return int(_other(value, "int64"))


def to_uint(value: Any) -> int:
    """Return a value as Jet makes a ``uint64`` of it. Raises JetError."""
    kind = number_kind(value)
    if kind is UINT:
        return int(value)
    if kind is INT:
        return int(value) % _SPAN
    if kind is FLOAT:
        return int(value) if 0 <= value < _SPAN else truncated(value) % _SPAN
    if isinstance(value, str):
        return _whole(value, "ParseUint", 0, _SPAN - 1)
    return int(_other(value, "uint64"))


def to_float(value: Any) -> float:
    """Return a value as Jet makes a ``float64`` of it. Raises JetError."""
    kind = value.__class__
    if kind is float:
        return value
    if number_kind(value):
        return float(value)
    if isinstance(value, str):
        if not _is_float(value):
            raise _invalid("ParseFloat", value)
        number = float(value)
        if number - number != 0 and value.lstrip("+-")[0] in "0123456789.":
            raise JetError(f"strconv.ParseFloat: parsing {_quoted(value)}: value out of range")
        return number
    return float(_other(value, "float64"))


def _is_float(text: str) -> bool:
    form = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)\Z"
    return bool(re.match(form, text, re.IGNORECASE))


def _whole(text: str, function: str, least: int, most: int) -> int:
    digits = text[1:] if least and text[:1] in ("+", "-") else text
    if not digits.isascii() or not digits.isdigit():
        raise _invalid(function, text)
    if len(text) > 400 or not least <= int(text) <= most:
        raise JetError(f"strconv.{function}: parsing {_quoted(text)}: value out of range")
    return int(text)


def _invalid(function: str, text: str) -> JetError:
    return JetError(f"strconv.{function}: parsing {_quoted(text)}: invalid syntax")


def _quoted(text: str) -> str:
    return quote(text)


def _other(value: Any, wanted: str) -> int:
    if value is MISSING:
        raise JetError(f"invalid value can't be converted to {wanted}")
    if value.__class__ is bool:
        return 0 if value else 1
    advice = ADVICE if value.__class__ is Boxed else ""
    raise JetError(f'type: "{type_of(value)}" can\'t be converted to {wanted}{advice}')


def add(left: Any, right: Any) -> Any:
    """Return ``left + right``. Raises OperandFault and JetError."""
    kind = left.__class__
    if (kind is float or kind is int) and right.__class__ is kind:
        return left + right if kind is float else wrapped(left + right)
    return _additive("+", left, right)


def subtract(left: Any, right: Any) -> Any:
    """Return ``left - right``. Raises OperandFault and JetError."""
    kind = left.__class__
    if (kind is float or kind is int) and right.__class__ is kind:
        return left - right if kind is float else wrapped(left - right)
    return _additive("-", left, right)


def _additive(symbol: str, left: Any, right: Any) -> Any:
    for side, value in (("left", left), ("right", right)):
        if value is MISSING:
            raise OperandFault("whole", f"{side} side of additive expression is invalid value")
    kind = number_kind(left)
    if isinstance(left, str):
        if symbol == "-":
            raise OperandFault("right", "minus signal is not allowed with strings")
        return concatenated(left, right)
    if not kind:
        reason = f"additive expression: left side {LEFT} ({type_of(left)}) is not a numeric value"
        if left.__class__ is Boxed:
            reason += ADVICE
        raise OperandFault("left", reason)
    number, other = _promoted(kind, left, right)
    return _limited(kind, other, number + other if symbol == "+" else number - other)


def concatenated(left: str, right: Any) -> str:
    """Return a text with a value behind it, as Go's ``fmt.Sprint`` prints that; bytes are text. Raises JetError."""
    text = decoded(right) if right.__class__ is bytes else text_of(right)
    if right.__class__ is Integers:
        text = "&" + text
    check_size(len(left) + len(text))
    return left + text


def _promoted(kind: str, left: Any, right: Any) -> tuple[Any, Any]:
    """Return both operands as numbers to calculate with."""
    if kind is FLOAT:
        return float(left), to_float(right)
    if number_kind(right) is FLOAT:
        return float(left), float(right)
    return int(left), (to_int if kind is INT else to_uint)(right)


def _limited(kind: str, other: Any, result: Any) -> Any:
    """Return a result in the width that Go has for it."""
    if kind is FLOAT or other.__class__ is float:
        return result
    return wrapped(result) if kind is INT else Uint64(result % _SPAN)


def _multiplicand(value: Any) -> str:
    kind = number_kind(value)
    if not kind:
        raise OperandFault("left", "a non numeric value in multiplicative expression")
    return kind


def multiply(left: Any, right: Any) -> Any:
    """Return ``left * right``. Raises OperandFault and JetError."""
    kind = _multiplicand(left)
    number, other = _promoted(kind, left, right)
    return _limited(kind, other, number * other)


def divide(left: Any, right: Any) -> Any:
    """Return ``left / right``; integers are cut off. Raises OperandFault and JetError."""
    if right is MISSING:
        raise JetError("right side of division is invalid value")
    if right is None or right is False or (number_kind(right) and not right) or right == "":
        raise OperandFault("left", "division by zero")
    kind = _multiplicand(left)
    number, other = _promoted(kind, left, right)
    if not other:
        if other.__class__ is int:
            raise OperandFault("left", "division by zero")
        return float("nan") if not number or math.isnan(number) else float("inf") * (1 if number > 0 else -1)
    if other.__class__ is float:
        return number / other
    return _limited(kind, other, _quotient(number, other))


def _quotient(number: int, other: int) -> int:
    return number // other if (number < 0) == (other < 0) else -(-number // other)


def modulo(left: Any, right: Any) -> Any:
    """Return the rest of the division of whole numbers, with the sign of ``left``. Raises OperandFault and JetError."""
    kind = _multiplicand(left)
    number = int(left) if kind is UINT else to_int(left)
    other = (to_uint if kind is UINT else to_int)(right)
    if not other:
        raise OperandFault("left", "division by zero")
    rest = number - other * _quotient(number, other)
    return Uint64(rest) if kind is UINT else rest


def negate(value: Any) -> Any:
    """Return ``-value``. Raises OperandFault."""
    kind = _signed(value, "-")
    return -float(value) if kind is FLOAT else wrapped(-int(value))


def affirm(value: Any) -> Any:
    """Return ``+value``. Raises OperandFault."""
    _signed(value, "+")
    return value


def _signed(value: Any, symbol: str) -> str:
    if value is MISSING:
        raise OperandFault("whole", "right side of additive expression is invalid value")
    kind = number_kind(value)
    if not kind:
        raise OperandFault("whole", f"{symbol} needs a number, not a value of type {type_of(value)}")
    return kind


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        kind = number_kind(left)
        if not kind:
            raise OperandFault("left", "a non numeric value in numeric comparative expression")
        return compare(*_promoted(kind, left, right))

    return compared


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": modulo,
    "<": _comparison(lambda left, right: left < right),
    "<=": _comparison(lambda left, right: left <= right),
    ">": _comparison(lambda left, right: left > right),
    ">=": _comparison(lambda left, right: left >= right),
}
