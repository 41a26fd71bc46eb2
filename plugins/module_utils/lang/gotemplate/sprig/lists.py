# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions on lists. None changes the list it is given; a list of any type may be one of anything afterwards."""

from __future__ import annotations

from ...go.kinds import IntList, ListList, StringList, is_true, kind_name
from ...go.values import NilList, Uint8
from ..function import CallError, Function
from .numbers import to_int
from .reflection import deep_equal, mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Sequence

_NO_VALUE = "runtime error: invalid memory address or nil pointer dereference"


def _items(value: Any, purpose: str) -> Sequence[Any]:
    """Return the entries of a list. Raises CallError, made of ``purpose`` and the kind, for another value."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, bytes):
        return [Uint8(byte) for byte in value]
    if value is None:
        raise CallError(_NO_VALUE)
    raise CallError(purpose + kind_name(value))


def _append(value: Any, item: Any) -> list[Any]:
    return [*_items(value, "Cannot push on type "), item]


def _prepend(value: Any, item: Any) -> list[Any]:
    return [item, *_items(value, "Cannot prepend on type ")]


def _first(value: Any) -> Any:
    items = _items(value, "Cannot find first on type ")
    return items[0] if items else None


def _last(value: Any) -> Any:
    items = _items(value, "Cannot find last on type ")
    return items[-1] if items else None


def _rest(value: Any) -> list[Any]:
    items = _items(value, "Cannot find rest on type ")
    return list(items[1:]) if items else NilList()


def _initial(value: Any) -> list[Any]:
    items = _items(value, "Cannot find initial on type ")
    return list(items[:-1]) if items else NilList()


def _reverse(value: Any) -> list[Any]:
    return list(_items(value, "Cannot find reverse on type ")[::-1])


def _compact(value: Any) -> list[Any]:
    return [item for item in _items(value, "Cannot compact on type ") if is_true(item)]


def _uniq(value: Any) -> list[Any]:
    kept: list[Any] = []
    marks = set()
    unmarked: list[Any] = []
    for item in _items(value, "Cannot find uniq on type "):
        mark = mark_of(item)
        if mark is None:
            if _holds(unmarked, item):
                continue
            unmarked.append(item)
        elif mark in marks:
            continue
        else:
            marks.add(mark)
        kept.append(item)
    return kept


def _holds(items: Sequence[Any], wanted: Any) -> bool:
    return any(deep_equal(wanted, item) for item in items)


def _without(value: Any, *omitted: Any) -> list[Any]:
    return [item for item in _items(value, "Cannot find without on type ") if not _holds(omitted, item)]


def _has(wanted: Any, value: Any) -> bool:
    return value is not None and _holds(_items(value, "Cannot find has on type "), wanted)


def _slice(value: Any, *bounds: Any) -> Any:
    """Return the entries between two bounds (the whole list without) as a list of the same type; nil for none."""
    items = _items(value, "list should be type of slice or array but ")
    if not items:
        return None
    start = to_int(bounds[0]) if bounds else 0
    end = to_int(bounds[1]) if len(bounds) > 1 else len(items)
    if not 0 <= start <= end <= len(items):
        raise CallError("reflect.Value.Slice: slice index out of bounds")
    return value[start:end] if isinstance(value, bytes) else like(value, items[start:end])


def like(value: Any, items: Iterable[Any]) -> list[Any]:
    """Return ``items`` as a list of the Go type that ``value`` has."""
    kind = next((kind for kind in (NilList, StringList, IntList, ListList) if isinstance(value, kind)), list)
    return kind(items)


def _concat(*values: Any) -> list[Any]:
    joined: list[Any] = []
    for value in values:
        if not isinstance(value, (list, tuple, bytes)) and value is not None:
            raise CallError(f"Cannot concat type {kind_name(value)} as list")
        joined.extend(_items(value, ""))
    return joined or NilList()


def _chunk(size: int, value: Any) -> ListList:
    """Return a list cut into lists of ``size`` entries, the last one perhaps shorter."""
    items = _items(value, "Cannot chunk type ")
    if size <= 0:
        return _odd_chunks(size, items)
    return ListList(list(items[at : at + size]) for at in range(0, len(items), size))


def _odd_chunks(size: int, items: Sequence[Any]) -> ListList:
    """Return what comes of a size that is none.

    Nothing, one chunk of a single entry, or the failure of Go's runtime.
    """
    if size:
        count = (len(items) - 1) // size + 1
        if count == 0:
            return ListList()
        if count == 1 and len(items) == 1 and size < -1:
            return ListList([list(items)])
    raise CallError("runtime error: makeslice: len out of range")


_TUPLE = Function(lambda *values: list(values), "...any")
_APPEND = Function(_append, "any", "any")
_PREPEND = Function(_prepend, "any", "any")
_FIRST = Function(_first, "any")
_LAST = Function(_last, "any")
_REST = Function(_rest, "any")
_INITIAL = Function(_initial, "any")
_REVERSE = Function(_reverse, "any")
_COMPACT = Function(_compact, "any")
_UNIQ = Function(_uniq, "any")
_WITHOUT = Function(_without, "any", "...any")
_HAS = Function(_has, "any", "any")
_SLICE = Function(_slice, "any", "...any")
_CHUNK = Function(_chunk, "int", "any")

FUNCTIONS = {
    "list": _TUPLE,
    "tuple": _TUPLE,
    "append": _APPEND,
    "push": _APPEND,
    "mustAppend": _APPEND,
    "mustPush": _APPEND,
    "prepend": _PREPEND,
    "mustPrepend": _PREPEND,
    "first": _FIRST,
    "mustFirst": _FIRST,
    "last": _LAST,
    "mustLast": _LAST,
    "rest": _REST,
    "mustRest": _REST,
    "initial": _INITIAL,
    "mustInitial": _INITIAL,
    "reverse": _REVERSE,
    "mustReverse": _REVERSE,
    "compact": _COMPACT,
    "mustCompact": _COMPACT,
    "uniq": _UNIQ,
    "mustUniq": _UNIQ,
    "without": _WITHOUT,
    "mustWithout": _WITHOUT,
    "has": _HAS,
    "mustHas": _HAS,
    "slice": _SLICE,
    "mustSlice": _SLICE,
    "concat": Function(_concat, "...any"),
    "chunk": _CHUNK,
    "mustChunk": _CHUNK,
}
