# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Code of operators that may need one side only, or have a short way for the usual types, and of ``#``."""

from __future__ import annotations

from ..go.kinds import IntList
from ..go.regexp.errors import RegexpError
from ..go.values import MAX_INT, MIN_INT, conversion, is_nil
from . import operators
from .errors import Failure
from .values import NO_ELEMENT, not_bool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List

    Frame = List[Any]
    Code = Callable[[Frame], Any]


def combined(operator: str, left: Code, right: Code, at: int) -> Code:
    """Return the code of ``left operator right``."""
    special = _SPECIAL.get(operator)
    if special is not None:
        return special(left, right, at)
    function = _FUNCTIONS[operator]
    return lambda frame: function(left(frame), right(frame), at)


def element_code(slot: int, at: int) -> Code:
    """Return the code of ``#`` for a closure whose element is in ``slot``."""

    def code(frame: Frame) -> Any:
        value = frame[slot]
        if value is NO_ELEMENT:
            operators.element(value, at)
        return value

    return code


def matches_constant(text: Code, pattern: str, at: int) -> Code:
    """Return the code of ``text matches pattern`` for a pattern that is known. Raises Failure for a malformed one."""
    search = operators.compiled(pattern, at).search

    def matches(frame: Frame) -> bool:
        value = text(frame)
        if is_nil(value):
            return False
        try:
            return bool(search(value if isinstance(value, str) else operators.subject(value, at)))
        except RegexpError as error:
            raise Failure(str(error), at) from None

    return matches


def _and(left: Code, right: Code, at: int) -> Code:
    def both(frame: Frame) -> Any:
        value = left(frame)
        if value is True:
            return right(frame)
        if value is False:
            return False
        raise not_bool(value, at)

    return both


def _or(left: Code, right: Code, at: int) -> Code:
    def either(frame: Frame) -> Any:
        value = left(frame)
        if value is False:
            return right(frame)
        if value is True:
            return True
        raise not_bool(value, at)

    return either


def _coalesce(left: Code, right: Code, at: int) -> Code:
    def coalesce(frame: Frame) -> Any:
        value = left(frame)
        return right(frame) if is_nil(value) else value

    return coalesce


def _equal(left: Code, right: Code, at: int) -> Code:
    compare = operators.equal_operands

    def equals(frame: Frame) -> bool:
        one, other = left(frame), right(frame)
        if one.__class__ is str and other.__class__ is str:
            return one == other
        return compare(one, other, at)

    return equals


#: The types that ``==`` and ``!=`` insist on where both operands are known to be of one, by their name.
EQUALS: dict[str, type] = {"int": int, "string": str}


def equal_of_kind(left: Code, right: Code, kind: str, operator: str, at: int) -> Code:
    """Return the code of ``left == right`` or ``left != right`` for two operands of one kind of ``EQUALS``.

    Nil instead of one of them fails, as ``find(1..5, # > 9) == 1`` does.
    """
    wanted = EQUALS[kind]
    is_negated = operator == "!="

    def equals(frame: Frame) -> bool:
        one, other = left(frame), right(frame)
        for value in (one, other):
            if value.__class__ is not wanted:
                raise Failure(conversion(value, kind).message, at)
        return bool(one == other) is not is_negated

    return equals


def _unequal(left: Code, right: Code, at: int) -> Code:
    compare = operators.equal_operands
    return lambda frame: not compare(left(frame), right(frame), at)


def _add(left: Code, right: Code, at: int) -> Code:
    add = operators.add

    def added(frame: Frame) -> Any:
        one, other = left(frame), right(frame)
        if one.__class__ is int and other.__class__ is int:
            total = one + other
            if MIN_INT <= total <= MAX_INT:
                return total
        return add(one, other, at)

    return added


def _range(left: Code, right: Code, at: int) -> Code:
    span = operators.span
    return lambda frame: IntList(span(left(frame), right(frame), frame, at))


def in_range(needle: Code, first: Code, last: Code, at: int) -> Code:
    """Return the code of ``needle in first..last``, which makes no list; ``at`` is the place of the range."""
    span, in_span = operators.span, operators.in_span

    def contained(frame: Frame) -> bool:
        value = needle(frame)
        return in_span(value, span(first(frame), last(frame), frame, at))

    return contained


_SPECIAL: dict[str, Callable[[Code, Code, int], Code]] = {
    "and": _and,
    "&&": _and,
    "or": _or,
    "||": _or,
    "??": _coalesce,
    "==": _equal,
    "!=": _unequal,
    "+": _add,
    "..": _range,
}

_FUNCTIONS: dict[str, Callable[[Any, Any, int], Any]] = {
    "-": operators.subtract,
    "*": operators.multiply,
    "/": operators.divide,
    "%": operators.modulo,
    "**": operators.power,
    "^": operators.power,
    "<": operators.less,
    ">": operators.more,
    "<=": operators.ordering("<="),
    ">=": operators.ordering(">="),
    "in": operators.contained,
    "matches": operators.matches,
    "contains": operators.text_test("__contains__"),
    "startsWith": operators.text_test("startswith"),
    "endsWith": operators.text_test("endswith"),
}
