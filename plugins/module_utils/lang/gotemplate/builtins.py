# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions that every template has."""

from __future__ import annotations

from ..go.fmt import sprint
from ..go.kinds import IntList, ListList, StringList, is_true, plain, type_name
from ..go.printf import sprintf
from ..go.values import AnyMap, StringMap, Uint8, byte_length, decoded, encoded
from . import comparing, escaping
from .function import CallError, Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence


#: Nil that is an element of a list or map, for `len`, which distinguishes it from nil that is nowhere.
NIL_ELEMENT = object()


def _length(item: Any) -> int:
    if item.__class__ is str:
        return byte_length(item)
    if item is NIL_ELEMENT:
        raise CallError("len of nil pointer")
    if item is None:
        raise CallError("reflect: call of reflect.Value.Type on zero Value")
    if isinstance(item, (str, list, dict, tuple, bytes)) or hasattr(item, "keys"):
        return len(encoded(item)) if isinstance(item, str) else len(item)
    raise CallError("len of type " + _pointed_to(item))


def _pointed_to(item: Any) -> str:
    """Return the type of an object, without that it is a pointer."""
    return type_name(item).lstrip("*")


def _offset(index: Any, most: int) -> int:
    """Return ``index`` as a place in what has ``most`` elements (the place behind the last one included)."""
    if index is None:
        raise CallError("cannot index slice/array with nil")
    kind, number = plain(index)
    if kind not in ("int", "uint"):
        raise CallError("cannot index slice/array with type " + type_name(index))
    if not 0 <= number <= most:
        raise CallError(f"index out of range: {number}")
    return int(number)


def _index(item: Any, *indexes: Any) -> Any:
    if item is None:
        raise CallError("index of untyped nil")
    for index in indexes:
        item = _element(item, index)
    return item


def _element(item: Any, index: Any) -> Any:
    if item is None:
        raise CallError("index of nil pointer")
    if hasattr(item, "keys"):
        return _entry(item, index)
    if isinstance(item, (str, bytes)):
        data = encoded(item) if isinstance(item, str) else item
        return Uint8(_at(data, index))
    if isinstance(item, (list, tuple)):
        return _at(item, index)
    raise CallError("can't index item of type " + _pointed_to(item))


def _at(items: Sequence[Any], index: Any) -> Any:
    place = _offset(index, len(items))
    if place == len(items):
        raise CallError("reflect: " + ("string" if isinstance(items, bytes) else "slice") + " index out of range")
    return items[place]


def _entry(item: Any, key: Any) -> Any:
    if isinstance(item, AnyMap):
        return item.find(key)
    if key is None:
        raise CallError("value is nil; should be of type string")
    if not isinstance(key, str):
        raise CallError(f"value has type {type_name(key)}; should be string")
    return item.get(key, "" if isinstance(item, StringMap) else None)


def _slice(item: Any, *indexes: Any) -> Any:
    if item is None:
        raise CallError("slice of untyped nil")
    if len(indexes) > 3:
        raise CallError(f"too many slice indexes: {len(indexes)}")
    is_text = isinstance(item, str)
    if is_text and len(indexes) == 3:
        raise CallError("cannot 3-index slice a string")
    if not isinstance(item, (str, bytes, list, tuple)):
        raise CallError("can't slice item of type " + type_name(item))
    data: Any = encoded(item) if isinstance(item, str) else item
    places = [0, len(data)]
    for number, index in enumerate(indexes):
        places[number : number + 1] = [_offset(index, len(data))]
    for first, second in zip(places, places[1:]):
        if first > second:
            raise CallError(f"invalid slice index: {first} > {second}")
    part = data[places[0] : places[1]]
    if isinstance(data, bytes):
        return decoded(part) if is_text else part
    return item.__class__(part) if isinstance(item, (StringList, IntList, ListList)) else list(part)


def _not(value: Any) -> bool:
    return not is_true(value)


def _print(*values: Any) -> str:
    return escaping.spaced(values)


def _printf(layout: str, *values: Any) -> str:
    return sprintf(layout, values)


def _println(*values: Any) -> str:
    return " ".join(map(sprint, values)) + "\n"


def _call(source: str, value: Any, *arguments: Any) -> Any:
    """No value of a template is a function; ``source`` is how the template writes this one, "" if it came by pipe."""
    if value is None:
        raise CallError("call of nil")
    source = source or (value if isinstance(value, str) else f"<{type_name(value)} Value>")
    raise CallError(f"non-function {source} of type {type_name(value)}")


def _last(*values: Any) -> Any:
    return values[-1]


#: The compiler knows these: the first two stop early, the third is called with the source of its first argument, the
#: fourth with what holds nil.
AND = Function(_last, "any", "...any")
OR = Function(_last, "any", "...any")
CALL = Function(_call, "any", "...any")
LEN = Function(_length, "any")

BUILTINS = {
    "and": AND,
    "call": CALL,
    "eq": Function(comparing.equal, "any", "...any"),
    "ge": Function(comparing.at_least, "any", "any"),
    "gt": Function(comparing.greater, "any", "any"),
    "html": Function(escaping.html, "...any"),
    "index": Function(_index, "any", "...any"),
    "js": Function(escaping.javascript, "...any"),
    "le": Function(comparing.at_most, "any", "any"),
    "len": LEN,
    "lt": Function(comparing.less, "any", "any"),
    "ne": Function(comparing.unequal, "any", "any"),
    "not": Function(_not, "any"),
    "or": OR,
    "print": Function(_print, "...any"),
    "printf": Function(_printf, "string", "...any"),
    "println": Function(_println, "...any"),
    "slice": Function(_slice, "any", "...any"),
    "urlquery": Function(escaping.urlquery, "...any"),
}
