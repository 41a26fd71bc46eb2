# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the checker asks of the arguments of builtins that have a rule of their own."""

from __future__ import annotations

from .errors import Failure
from .kinds import ANY, ANY_MAP, BOOL, FLOAT, GROUPS, INT, LIST, LOCATION, TIME, UNKNOWN, Kind, dereferenced, list_of
from .nodes import Builtin, Identifier, Literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .checker import Checker

_NUMERIC = ("int", "int64", "uint8", "float64")


def check_builtin(checker: Checker, node: Builtin) -> Kind | None:
    """Return the kind of a builtin's result; None where its signatures in the catalogue say everything."""
    rule = _RULES.get(node.name)
    return None if rule is None else rule(checker, node)


def _collection(checker: Checker, node: Builtin) -> Kind:
    source = node.arguments[0]
    kind = dereferenced(checker.check(source))
    if kind.sort != "slice" and not kind.unknown:
        raise Failure(f"builtin {node.name} takes only array (got {kind.name})", source.at)
    return kind


def _result(checker: Checker, node: Builtin, collection: Kind, **names: Kind) -> Kind:
    predicate = node.arguments[1]
    kind = checker.closure(collection, predicate, **names)
    if kind.nil:
        count = "two" if node.name == "reduce" else "one"
        raise Failure(f"predicate should has {count} input and one output param", predicate.at)
    return kind


def _truth(checker: Checker, node: Builtin) -> Kind:
    """Check a closure that must give a bool; return the kind of the collection."""
    collection = _collection(checker, node)
    kind = _result(checker, node, collection)
    if kind is not BOOL and not kind.unknown:
        raise Failure(f"predicate should return boolean (got {kind.name})", node.arguments[1].at)
    return collection


def _quantifier(checker: Checker, node: Builtin) -> Kind:
    _truth(checker, node)
    return BOOL


def _filter(checker: Checker, node: Builtin) -> Kind:
    collection = _truth(checker, node)
    return LIST if collection.unknown else list_of(collection.element or UNKNOWN)


def _map(checker: Checker, node: Builtin) -> Kind:
    return list_of(_result(checker, node, _collection(checker, node), index=INT))


def _count(checker: Checker, node: Builtin) -> Kind:
    if len(node.arguments) == 1:
        _collection(checker, node)
    else:
        _truth(checker, node)
    return INT


def _sum(checker: Checker, node: Builtin) -> Kind:
    collection = _collection(checker, node)
    if len(node.arguments) == 1:
        return UNKNOWN if collection.unknown else collection.element or UNKNOWN
    predicate = node.arguments[1]
    kind = checker.closure(collection, predicate)
    if kind.nil:
        reason = "cannot use func(interface {}) as argument (type func(interface {}) bool) to call sum "
        raise Failure(reason, predicate.at)
    return ANY if kind.unknown else kind


def _find(checker: Checker, node: Builtin) -> Kind:
    collection = _truth(checker, node)
    return UNKNOWN if collection.unknown else collection.element or UNKNOWN


def _position(checker: Checker, node: Builtin) -> Kind:
    _truth(checker, node)
    return INT


def _group_by(checker: Checker, node: Builtin) -> Kind:
    _result(checker, node, _collection(checker, node))
    return GROUPS


def _sort_by(checker: Checker, node: Builtin) -> Kind:
    collection = _collection(checker, node)
    predicate = node.arguments[1]
    kind = checker.closure(collection, predicate)
    if len(node.arguments) == 3:
        order = checker.check(node.arguments[2])
        if order.sort != "string" and not order.unknown:
            raise Failure(f"sortBy order argument must be a string (got {order.name})", node.arguments[2].at)
    if kind.nil:
        raise Failure("predicate should has one input and one output param", predicate.at)
    return collection


def _reduce(checker: Checker, node: Builtin) -> Kind:
    collection = _collection(checker, node)
    predicate = node.arguments[1]
    kind = checker.closure(collection, predicate, index=INT, acc=UNKNOWN)
    if len(node.arguments) == 3:
        checker.check(node.arguments[2])
    if kind.nil:
        raise Failure("predicate should has two input and one output param", predicate.at)
    return kind


def _get(checker: Checker, node: Builtin) -> Kind:
    if len(node.arguments) != 2:
        raise Failure(f"invalid number of arguments (expected 2, got {len(node.arguments)})", node.at)
    owner, property_ = node.arguments
    base, key = checker.check(owner), checker.check(property_)
    if isinstance(owner, Identifier) and owner.name == "$env":
        if isinstance(property_, Literal) and isinstance(property_.value, str):
            return checker.variables.get(property_.value, UNKNOWN)
        return UNKNOWN
    if base.unknown:
        return UNKNOWN
    if base.sort == "slice":
        if not key.integer and not key.unknown:
            raise Failure("non-integer slice index " + key.name, property_.at)
    elif base.sort == "map":
        if not key.unknown and not key.assignable_to(base.key or ANY):
            raise Failure(f"cannot use {key.name} to get an element from {base.name}", property_.at)
    else:
        raise Failure(f"type {base.name} does not support indexing", owner.at)
    return base.element or UNKNOWN


# Builtins whose arguments are looked at together


def _shown(kind: Kind) -> str:
    return "%!s(<nil>)" if kind.nil else kind.name


def _kinds(checker: Checker, node: Builtin) -> list[Kind]:
    return [ANY if kind.unknown else kind for kind in map(checker.check, node.arguments)]


def _one(checker: Checker, node: Builtin) -> Kind:
    kinds = _kinds(checker, node)
    if len(kinds) != 1:
        raise Failure(f"invalid number of arguments (expected 1, got {len(kinds)})", node.at)
    return kinds[0]


def _takes(sorts: tuple[str, ...], reason: str, result: Kind | None) -> Any:
    """Return a rule for one argument of these sorts (or not known); result None means the argument's own kind."""

    def rule(checker: Checker, node: Builtin) -> Kind:
        kind = _one(checker, node)
        if kind.sort != "interface" and kind.sort not in sorts:
            raise Failure(reason % _shown(kind), node.at)
        return kind if result is None else result

    return rule


def _edge(which: str) -> Any:
    def rule(checker: Checker, node: Builtin) -> Kind:
        kind = _one(checker, node)
        if kind.sort == "interface":
            return ANY
        if kind.sort != "slice":
            raise Failure(f"cannot get {which} element from {_shown(kind)}", node.at)
        # Only the Go type counts here: a list literal gives any value.
        return ANY if kind.name == LIST.name else kind.element or ANY

    return rule


def _aggregate(checker: Checker, node: Builtin) -> Kind:
    kinds = _kinds(checker, node)
    if not kinds:
        raise Failure("not enough arguments to call " + node.name, node.at)
    for kind in kinds:
        if kind.sort in ("interface", "slice"):
            return ANY
        if kind.sort not in _NUMERIC:
            raise Failure(f"invalid argument for {node.name} (type {_shown(kind)})", node.at)
    return kinds[0]


def _take(checker: Checker, node: Builtin) -> Kind:
    kinds = _kinds(checker, node)
    if len(kinds) != 2:
        raise Failure(f"invalid number of arguments (expected 2, got {len(kinds)})", node.at)
    if kinds[0].sort not in ("interface", "slice"):
        raise Failure("cannot take from " + _shown(kinds[0]), node.at)
    if kinds[1].sort not in ("interface", "int", "int64"):
        raise Failure(f"cannot take {_shown(kinds[1])} elements", node.at)
    # Again the Go type only.
    return LIST if kinds[0].name == LIST.name else kinds[0]


def _concat(checker: Checker, node: Builtin) -> Kind:
    kinds = _kinds(checker, node)
    if not kinds:
        raise Failure("invalid number of arguments (expected at least 1, got 0)", node.at)
    for kind in kinds:
        if kind.sort not in ("interface", "slice"):
            raise Failure("cannot concat " + _shown(kind), node.at)
    return LIST


def _now(checker: Checker, node: Builtin) -> Kind:
    kinds = _kinds(checker, node)
    if kinds and (len(kinds) > 1 or kinds[0] is not LOCATION):
        raise Failure(f"invalid number of arguments (expected 0, got {len(kinds)})", node.at)
    return TIME


def _date(checker: Checker, node: Builtin) -> Kind:
    kinds = _kinds(checker, node)
    if not kinds:
        raise Failure("invalid number of arguments (expected at least 1, got 0)", node.at)
    given = len(kinds) - 1 if kinds[0] is LOCATION else len(kinds)
    if given > 3:
        raise Failure(f"invalid number of arguments (expected at most 3, got {given})", node.at)
    return TIME


_RULES = {
    "all": _quantifier,
    "none": _quantifier,
    "any": _quantifier,
    "one": _quantifier,
    "filter": _filter,
    "map": _map,
    "count": _count,
    "sum": _sum,
    "find": _find,
    "findLast": _find,
    "findIndex": _position,
    "findLastIndex": _position,
    "groupBy": _group_by,
    "sortBy": _sort_by,
    "reduce": _reduce,
    "get": _get,
    "len": _takes(("map", "slice", "string"), "invalid argument for len (type %s)", INT),
    "abs": _takes(_NUMERIC, "invalid argument for abs (type %s)", None),
    "ceil": _takes(_NUMERIC, "invalid argument for ceil (type %s)", FLOAT),
    "floor": _takes(_NUMERIC, "invalid argument for floor (type %s)", FLOAT),
    "round": _takes(_NUMERIC, "invalid argument for round (type %s)", FLOAT),
    "int": _takes((*_NUMERIC, "string"), "invalid argument for int (type %s)", INT),
    "float": _takes((*_NUMERIC, "string"), "invalid argument for float (type %s)", FLOAT),
    "keys": _takes(("map",), "cannot get keys from %s", LIST),
    "values": _takes(("map",), "cannot get values from %s", LIST),
    "toPairs": _takes(("map",), "cannot transform %s to pairs", LIST),
    "fromPairs": _takes(("slice",), "cannot transform %s from pairs", ANY_MAP),
    "reverse": _takes(("slice",), "cannot reverse %s", LIST),
    "uniq": _takes(("slice",), "cannot uniq %s", LIST),
    "flatten": _takes(("slice",), "cannot flatten %s", LIST),
    "first": _edge("first"),
    "last": _edge("last"),
    "max": _aggregate,
    "min": _aggregate,
    "mean": _aggregate,
    "median": _aggregate,
    "take": _take,
    "concat": _concat,
    "now": _now,
    "date": _date,
}
