# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rewrites of the checked tree. They are part of the language: they decide which errors an expression can still meet.

``x and false`` never looks at ``x``, ``filter(xs, p)[0]`` stops at the first, ``sum([a, b])`` adds like ``a + b``.
"""

from __future__ import annotations

from ..go.values import wrapped
from .folding import fold
from .kinds import INT
from .nodes import (
    Array,
    Binary,
    Builtin,
    Call,
    Chain,
    Conditional,
    Let,
    Literal,
    Map,
    Member,
    Node,
    Pointer,
    Predicate,
    Sequence,
    Slice,
    Unary,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Rule = Callable[[Node], Node]

#: Attributes that hold nodes, by class.
_CHILDREN: dict[type, tuple[str, ...]] = {
    Unary: ("node",),
    Binary: ("left", "right"),
    Chain: ("node",),
    Member: ("node", "property"),
    Slice: ("node", "first", "last"),
    Call: ("callee", "arguments"),
    Builtin: ("arguments",),
    Predicate: ("node",),
    Let: ("value", "node"),
    Sequence: ("nodes",),
    Conditional: ("condition", "then", "otherwise"),
    Array: ("nodes",),
    Map: ("pairs",),
}
_MAX_ROUNDS = 1000


def optimize(node: Node) -> Node:
    """Return the tree that is to be evaluated. Raises Failure for a division by zero among constants."""
    features: set[str] = set()
    _survey(node, features)
    if "in" in features:
        node = walk(node, _in_list)
    if "constant" in features:
        for _round in range(_MAX_ROUNDS):
            node, is_changed = _folded(node)
            if not is_changed:
                break
    if "in" in features:
        node = walk(node, _in_range)
    if "closure" in features:
        for rule in _RULES:
            node = walk(node, rule)
    return node


def _folded(node: Node) -> tuple[Node, bool]:
    """Return the tree with its constant parts worked out once, and whether there were any."""
    changes: list[bool] = []
    return walk(node, lambda part: fold(part, changes)), bool(changes)


def _survey(node: Node, features: set[str]) -> None:
    """Note what occurs in the tree, so that most rewrites can be left out."""
    if isinstance(node, Literal):
        features.add("constant")
    elif isinstance(node, Binary) and node.operator == "in":
        features.add("in")
    elif isinstance(node, Builtin):
        features.update(("closure", "constant"))
    for child in _children(node):
        _survey(child, features)


def _children(node: Node) -> list[Node]:
    found: list[Node] = []
    for attribute in _CHILDREN.get(type(node), ()):
        child = getattr(node, attribute)
        if isinstance(child, Node):
            found.append(child)
        elif attribute == "pairs":
            found.extend(part for pair in child for part in pair)
        elif child is not None:
            found.extend(child)
    return found


def walk(node: Node, rule: Rule) -> Node:
    """Return ``node`` with ``rule`` applied to all below it, then to itself."""
    for attribute in _CHILDREN.get(type(node), ()):
        child = getattr(node, attribute)
        if isinstance(child, Node):
            setattr(node, attribute, walk(child, rule))
        elif attribute == "pairs":
            child[:] = [(walk(key, rule), walk(value, rule)) for key, value in child]
        elif child is not None:
            child[:] = [walk(part, rule) for part in child]
    return rule(node)


def replaced(old: Node, new: Node) -> Node:
    """Return ``new`` in the place of ``old``, with its kind."""
    new.at = old.at
    new.kind = old.kind
    return new


def _in_list(node: Node) -> Node:
    """Make a set of a list of constants on the right of ``in``."""
    if isinstance(node, Binary) and node.operator == "in" and isinstance(node.right, Array) and node.right.nodes:
        values = [part.value for part in node.right.nodes if isinstance(part, Literal)]
        if len(values) == len(node.right.nodes) and all(isinstance(value, str) for value in values):
            node.right = Literal(0, frozenset(values))
    return node


def _in_range(node: Node) -> Node:
    """``n in 1..9`` compares an integer with the ends, which costs no memory."""
    if not isinstance(node, Binary) or node.operator != "in" or node.left.kind.sort != "int":
        return node
    span = node.right
    if not isinstance(span, Binary) or span.operator != "..":
        return node
    if _constant_int(span.left) is None or _constant_int(span.right) is None:
        return node
    least, most = Binary(0, ">=", node.left, span.left), Binary(0, "<=", node.left, span.right)
    return replaced(node, Binary(node.at, "and", least, most))


def _filter_map(node: Node) -> Node:
    """``map(filter(xs, p), m)`` in one go."""
    if not isinstance(node, Builtin) or node.name != "map":
        return node
    source, closure = node.arguments
    if not isinstance(source, Builtin) or source.name != "filter" or source.mapped is not None:
        return node
    if not isinstance(closure, Predicate) or _mentions_index(closure):
        return node
    found = Builtin(node.at, "filter", source.arguments)
    found.mapped = closure.node
    return replaced(node, found)


def _mentions_index(node: Node) -> bool:
    if isinstance(node, Pointer):
        return node.name == "index"
    return any(map(_mentions_index, _children(node)))


def _filter_len(node: Node) -> Node:
    """``len(filter(xs, p))`` only counts."""
    if isinstance(node, Builtin) and node.name == "len" and len(node.arguments) == 1:
        source = node.arguments[0]
        if isinstance(source, Builtin) and source.name == "filter":
            return replaced(node, Builtin(node.at, "count", source.arguments))
    return node


def _filter_edge(index: int, edge: str, finder: str) -> Rule:
    """``filter(xs, p)[0]`` and ``first(filter(xs, p))`` look no further than they must; likewise from the end."""

    def rule(node: Node) -> Node:
        source: Node | None = None
        if isinstance(node, Member) and not node.optional and isinstance(node.property, Literal):
            if node.property.value.__class__ is int and node.property.value == index:
                source = node.node
        elif isinstance(node, Builtin) and node.name == edge and len(node.arguments) == 1:
            source = node.arguments[0]
        if not isinstance(source, Builtin) or source.name != "filter":
            return node
        found = Builtin(node.at, finder, source.arguments)
        found.mapped = source.mapped
        found.strict = isinstance(node, Member)
        return replaced(node, found)

    return rule


_COMBINED = {
    ("all", "and"): "and",
    ("all", "&&"): "&&",
    ("any", "or"): "or",
    ("any", "||"): "||",
    ("none", "and"): "or",
    ("none", "&&"): "||",
}


def _combine(node: Node) -> Node:
    """``all(xs, p) and all(xs, q)`` runs over ``xs`` once."""
    if not isinstance(node, Binary):
        return node
    left, right = node.left, node.right
    if not isinstance(left, Builtin) or not isinstance(right, Builtin) or left.name != right.name:
        return node
    operator = _COMBINED.get((left.name, node.operator))
    if operator is None or not _alike(left.arguments[0], right.arguments[0]):
        return node
    one, other = left.arguments[1], right.arguments[1]
    if not isinstance(one, Predicate) or not isinstance(other, Predicate):
        return node
    both = Predicate(0, _combine(Binary(0, operator, one.node, other.node)))
    return replaced(node, Builtin(node.at, left.name, [left.arguments[0], both]))


def _alike(left: Node, right: Node) -> bool:
    """Return whether two trees say the same."""
    if type(left) is not type(right):
        return False
    names = [name for name in type(left).__slots__ if name not in ("at", "kind", "signature", "method", "mapped")]
    for name in names:
        one, other = getattr(left, name), getattr(right, name)
        if not isinstance(one, (Node, list)) and (type(one) is not type(other) or one != other):
            return False
    ours, theirs = _children(left), _children(right)
    return len(ours) == len(theirs) and all(map(_alike, ours, theirs))


def _sum_range(node: Node) -> Node:
    """Replace sums over a range of constants, which need no loop (and no memory)."""
    if not isinstance(node, Builtin) or node.name not in ("sum", "reduce"):
        return node
    bounds = _constant_range(node.arguments[0])
    if bounds is None:
        return node
    low, high = bounds
    count = wrapped(high - low + 1)
    doubled = wrapped(count * wrapped(low + high))
    total: int | None = -(-doubled // 2) if doubled < 0 else doubled // 2
    if node.name == "sum":
        if len(node.arguments) == 2:
            total = _sum_closure(node.arguments[1], total or 0, count)
    else:
        start = _constant_int(node.arguments[2]) if len(node.arguments) == 3 else 0
        total = None if start is None or not _adds_up(node.arguments[1]) else (total or 0) + start
    if total is None:
        return node
    literal = Literal(node.at, wrapped(total))
    literal.kind = INT
    return literal


def _constant_int(node: Node) -> int | None:
    return node.value if isinstance(node, Literal) and node.value.__class__ is int else None


def _constant_range(node: Node) -> tuple[int, int] | None:
    if not isinstance(node, Binary) or node.operator != "..":
        return None
    low, high = _constant_int(node.left), _constant_int(node.right)
    return None if low is None or high is None or high < low else (low, high)


def _adds_up(node: Node) -> bool:
    """Return whether a closure is ``# + #acc`` or ``#acc + #``."""
    if not isinstance(node, Predicate) or not isinstance(node.node, Binary) or node.node.operator != "+":
        return False
    names = [part.name if isinstance(part, Pointer) else "?" for part in (node.node.left, node.node.right)]
    return sorted(names) == ["", "acc"]


def _sum_closure(closure: Node, total: int, count: int) -> int | None:
    """Return the sum of ``#``, ``# * k``, ``# + k`` or ``# - k`` over a range with this total and count."""
    body = closure.node if isinstance(closure, Predicate) else closure
    if isinstance(body, Pointer):
        return None if body.name else total
    if not isinstance(body, Binary):
        return None
    left_is_item = isinstance(body.left, Pointer) and not body.left.name
    constant = _constant_int(body.right if left_is_item else body.left)
    if constant is None:
        return None
    if not left_is_item and (not isinstance(body.right, Pointer) or body.right.name):
        return None
    if body.operator == "*":
        return constant * total
    if body.operator == "+":
        return total + count * constant
    if body.operator == "-":
        return total - count * constant if left_is_item else count * constant - total
    return None


def _sum_list(node: Node) -> Node:
    """``sum([a, b, c])`` is ``a + (b + c)``."""
    if isinstance(node, Builtin) and node.name == "sum" and len(node.arguments) == 1:
        source = node.arguments[0]
        if isinstance(source, Array) and len(source.nodes) >= 2:
            result = source.nodes[-1]
            for part in reversed(source.nodes[:-1]):
                result = Binary(0, "+", part, result)
            return replaced(node, result)
    return node


def _sum_map(node: Node) -> Node:
    """``sum(map(xs, m))`` is ``sum(xs, m)``."""
    if isinstance(node, Builtin) and node.name == "sum" and len(node.arguments) == 1:
        source = node.arguments[0]
        if isinstance(source, Builtin) and source.name == "map":
            return replaced(node, Builtin(node.at, "sum", list(source.arguments)))
    return node


def _count_enough(node: Node) -> Node:
    """Comparisons of a count with a constant stop counting when the answer is known."""
    if not isinstance(node, Binary) or not isinstance(node.left, Builtin) or node.left.name != "count":
        return node
    limit = _constant_int(node.right)
    if limit is None or len(node.left.arguments) != 2:
        return node
    if (node.operator, limit) in ((">", 0), (">=", 1)):
        return replaced(node, Builtin(node.at, "any", node.left.arguments))
    threshold = {">": limit + 1, ">=": limit, "<": limit, "<=": limit + 1}.get(node.operator, 0)
    if limit >= 0 and threshold > 1:
        node.left.threshold = threshold
    return node


_RULES: tuple[Rule, ...] = (
    _filter_map,
    _filter_len,
    _filter_edge(-1, "last", "findLast"),
    _filter_edge(0, "first", "find"),
    _combine,
    _sum_range,
    _sum_list,
    _sum_map,
    _count_enough,
)
