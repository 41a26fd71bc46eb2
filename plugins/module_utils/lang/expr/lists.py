# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins on lists and maps."""

from __future__ import annotations

from ..go.fmt import GoFormatError, sprint
from ..go.printf import verbose
from ..go.values import (
    AnyMap,
    Fault,
    FixedList,
    NilList,
    StringMap,
    check_weight,
    encoded,
    is_integer,
    is_nil,
    is_number,
    plain_key,
    to_int,
    to_text,
    type_name,
)
from .errors import Failure
from .operators import equal, fetch
from .values import Pair, Pairs, Whole, kind_name, part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable

_MAX_DEPTH = 200


def _list(value: Any, verb: str, ending: str = "") -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, (tuple, bytes)):
        return list(value)
    raise Fault(f"cannot {verb} {kind_name(value)}{ending}")


def _map(value: Any, verb: str, ending: str = "") -> dict[Any, Any]:
    if isinstance(value, dict) and not isinstance(value, Whole):
        return value
    raise Fault(f"cannot {verb} {kind_name(value)}{ending}")


def _shown(value: Any) -> str:
    try:
        check_weight(value)
        return sprint(value)
    except GoFormatError as error:
        raise Fault(str(error)) from None


def _edge(index: int) -> Any:
    def edge(value: Any) -> Any:
        try:
            return fetch(value, index, 0)
        except (Failure, Fault):
            return None

    return edge


def _get(owner: Any, key: Any) -> Any:
    if owner is None:
        return None
    if isinstance(owner, (list, tuple, str, bytes)):
        items = encoded(owner) if isinstance(owner, str) else owner
        index = to_int(key)
        if -len(items) <= index < len(items):
            return _fetched(owner, index)
        return None
    if isinstance(owner, Whole):
        return owner.get(to_text(key))
    if isinstance(owner, dict):
        if isinstance(owner, StringMap) and (key is None or isinstance(key, str)):
            return owner.get(key or "")
        found = _fetched(owner, key)
        return None if is_nil(found) else found
    try:
        return fetch(owner, key, 0)
    except Failure:
        return None


def _fetched(owner: Any, key: Any) -> Any:
    try:
        return fetch(owner, key, 0)
    except Failure as failure:
        raise Fault(failure.message) from None


def _take(value: Any, count: Any) -> list[Any]:
    items = _list(value, "take from")
    if type_name(count) == "time.Duration":
        count = count.ns
    if not is_integer(count):
        raise Fault(f"cannot take {kind_name(count)} elements")
    if count < 0:
        raise Fault("reflect.Value.Slice: slice index out of bounds")
    return part_of(items, items[: int(count)])


def _keys(value: Any) -> list[Any]:
    return [plain_key(key) for key in _map(value, "get keys from")]


def _values(value: Any) -> list[Any]:
    mapping = _map(value, "get values from")
    return [mapping[key] for key in mapping]


def _to_pairs(value: Any) -> list[Any]:
    mapping = _map(value, "transform", " to pairs")
    return Pairs(Pair((plain_key(key), mapping[key])) for key in mapping)


def _from_pairs(value: Any) -> AnyMap:
    if not isinstance(value, (list, tuple)):
        raise Fault(
            "cannot transform %s from pairs" % ("<invalid reflect.Value>" if value is None else verbose(value, "s"))
        )
    result = AnyMap()
    for pair in value:
        if not isinstance(pair, (list, tuple)):
            raise Fault("invalid pair " + _shown(pair))
        if len(pair) != 2:
            raise Fault("invalid pair length " + _shown(pair))
        result.put(pair[0], pair[1])
    return result


def _reverse(value: Any) -> list[Any]:
    return _list(value, "reverse")[::-1]


def _uniq(value: Any) -> list[Any]:
    found: list[Any] = []
    marks: set[Any] = set()
    others: list[Any] = []
    for item in _list(value, "uniq"):
        mark = _mark(item)
        if mark is None:
            if any(equal(item, other) for other in others):
                continue
            check_weight(item)
            others.append(item)
        elif mark in marks:
            continue
        else:
            marks.add(mark)
        found.append(item)
    return found


def _mark(item: Any) -> Any:
    """Return something hashable that only equal items share; None for items that have to be compared one by one."""
    kind = type(item)
    if kind is str:
        return item
    if kind is bool:
        return (item,)
    if is_number(item) and -9007199254740992 < item < 9007199254740992:
        return float(item)
    if isinstance(item, list) and item and not isinstance(item, FixedList):
        check_weight(item)
        marks = tuple(map(_mark, item))
        return None if None in marks else ("list", marks)
    return None


def _concat(*values: Any) -> list[Any]:
    result: list[Any] = []
    for value in values:
        result.extend(_list(value, "concat"))
    return result or NilList()


def _flatten(value: Any) -> list[Any]:
    items = _list(value, "flatten")
    check_weight(items)
    result: list[Any] = []
    _flatten_into(items, result, 0)
    return result


def _flatten_into(items: Iterable[Any], result: list[Any], depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise Fault("recursion depth exceeded")
    for item in items:
        if isinstance(item, (list, tuple)):
            _flatten_into(item, result, depth + 1)
        else:
            result.append(item)


FUNCTIONS = {
    "first": _edge(0),
    "last": _edge(-1),
    "get": _get,
    "take": _take,
    "keys": _keys,
    "values": _values,
    "toPairs": _to_pairs,
    "fromPairs": _from_pairs,
    "reverse": _reverse,
    "uniq": _uniq,
    "concat": _concat,
    "flatten": _flatten,
}
