# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations on constants, done once when the expression is compiled."""

from __future__ import annotations

from ..go.values import wrapped
from .errors import Failure
from .kinds import BOOL, FLOAT, INT, LIST, STRING, UNKNOWN
from .nodes import Array, Binary, Builtin, Literal, Node, Predicate, Unary
from .operators import divide, power
from .values import MAX_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KINDS = {bool: BOOL, int: INT, float: FLOAT, str: STRING, list: LIST}
_NUMBERS = (int, float)


def fold(node: Node, changes: list[bool]) -> Node:
    """Return what ``node`` comes to, or ``node`` itself; adds to ``changes`` when it is another. Raises Failure."""
    if isinstance(node, Binary):
        result = _binary(node)
    elif isinstance(node, Unary):
        result = _unary(node)
    elif isinstance(node, Array):
        result = _array(node)
    elif isinstance(node, Builtin):
        result = _filters(node)
    else:
        return node
    if result is not node:
        changes.append(True)
    return result


def _constant(node: Node, value: Any) -> Node:
    literal = Literal(node.at, value)
    literal.kind = _KINDS.get(type(value), UNKNOWN)
    return literal


def _unary(node: Unary) -> Node:
    operand = node.node
    if not isinstance(operand, Literal):
        return node
    value = operand.value
    if type(value) in _NUMBERS:
        if node.operator == "-":
            return _constant(node, -value if isinstance(value, float) else wrapped(-value))
        if node.operator == "+":
            return _constant(node, value)
    elif isinstance(value, bool) and node.operator in ("!", "not"):
        return _constant(node, not value)
    return node


def _array(node: Array) -> Node:
    if not node.nodes:
        return node
    values = []
    for part in node.nodes:
        if not isinstance(part, Literal) or type(part.value) not in (int, float, str, bool):
            return node
        values.append(part.value)
    return _constant(node, values)


def _binary(node: Binary) -> Node:
    if node.operator in ("and", "&&", "or", "||"):
        return _logical(node)
    left, right = node.left, node.right
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return node
    one, other = left.value, right.value
    if node.operator == "==":
        if type(one) is type(other) and type(one) in (int, str, bool):
            return _constant(node, one == other)
        return node
    if isinstance(one, str) and isinstance(other, str) and node.operator == "+":
        return _constant(node, one + other) if len(one) + len(other) <= MAX_TEXT else node
    if type(one) not in _NUMBERS or type(other) not in _NUMBERS:
        return node
    value = _arithmetic(node, one, other)
    return node if value is None else _constant(node, value)


def _arithmetic(node: Binary, one: Any, other: Any) -> Any:
    operator = node.operator
    whole = isinstance(one, int) and isinstance(other, int)
    if operator in ("+", "-", "*"):
        if not whole:
            one, other = float(one), float(other)
        value = one + other if operator == "+" else one - other if operator == "-" else one * other
        return wrapped(value) if whole else value
    if operator == "/":
        return divide(one, other, node.at)
    if operator in ("**", "^"):
        return power(one, other, node.at)
    if operator == "%" and whole:
        if other == 0:
            raise Failure("integer divide by zero", node.at)
        rest = abs(one) % abs(other)
        return -rest if one < 0 else rest
    return None


def _logical(node: Binary) -> Node:
    #: The constant that leaves the decision to the other side.
    neutral = node.operator in ("and", "&&")
    sides = (node.left, node.right)
    for side, other in (sides, sides[::-1]):
        if isinstance(side, Literal) and side.value is neutral:
            other.at = node.at
            other.kind = node.kind
            return other
    for side in sides:
        if isinstance(side, Literal) and side.value is (not neutral):
            return _constant(node, not neutral)
    return node


def _filters(node: Builtin) -> Node:
    """``filter(filter(xs, p), q)`` is ``filter(xs, p && q)``."""
    if node.name != "filter":
        return node
    inner, closure = node.arguments
    if not isinstance(inner, Builtin) or inner.name != "filter" or not isinstance(closure, Predicate):
        return node
    source, first = inner.arguments
    if not isinstance(first, Predicate):
        return node
    both = Builtin(node.at, "filter", [source, Predicate(0, Binary(0, "&&", first.node, closure.node))])
    both.kind = node.kind
    return both
