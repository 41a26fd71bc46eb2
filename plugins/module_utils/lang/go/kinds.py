# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go's values as Python values, for templates and their functions.

| Python | Go |
|---|---|
| None | nil |
| bool, str, bytes, float, complex | bool, string, []uint8, float64, complex128 |
| int | int |
| Int64, Int32, Uint8, Uint32, Uint64 (ints) | int64, int32, uint8, uint32, uint64 |
| list; StringList, IntList, ListList (lists) | []interface {}; []string, []int, [][]interface {} |
| dict; StringMap, AnyMap (dicts) | map[string]interface {}; map[string]string, map[interface {}]interface {} |
| NilList, NilMap | a list or map of nil |
| Time, Duration, Month, Weekday | the types of Go's package time |

Any other class is an object of Go. It says with class attributes what templates may see of it:

* ``GO_TYPE``: what ``%T`` calls it; ``GO_KIND``: its kind (``struct`` when not given, ``ptr`` for a name with ``*``);
* ``go_text()``: how it prints, and ``go_syntax()``: how it does with ``%#v``;
* ``GO_METHODS``: a mapping from names to ``Function``, whose ``call`` gets the object before its arguments;
* ``GO_FIELDS``: a mapping from the names of its fields to names of Python attributes.
"""

from __future__ import annotations

from .values import named_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Int32(int):
    """An integer that Go holds as ``int32`` (``rune``)."""

    GO_TYPE = "int32"
    __slots__ = ()


class Uint32(int):
    """An integer that Go holds as ``uint32``."""

    GO_TYPE = "uint32"
    __slots__ = ()


class Uint64(int):
    """An integer that Go holds as ``uint64``."""

    GO_TYPE = "uint64"
    __slots__ = ()


class StringList(list):
    """A list of texts, as ``splitList`` and ``keys`` make it."""

    GO_TYPE = "[]string"


class IntList(list):
    """A list of integers, as ``until`` makes it."""

    GO_TYPE = "[]int"


class ListList(list):
    """A list of lists, as ``chunk`` makes it."""

    GO_TYPE = "[][]interface {}"


#: The kinds of named types that are neither struct nor pointer.
_KINDS = {"time.Duration": "int64", "time.Month": "int", "time.Weekday": "int"}

#: Types whose kind is called as they are.
_PLAIN = {"bool", "int", "int32", "int64", "uint8", "uint32", "uint64", "float64", "complex128", "string"}


def type_name(value: Any) -> str:
    """Return what Go's ``%T`` calls ``value``."""
    name = named_type(value)
    return name or ("map[string]interface {}" if hasattr(value, "keys") else "interface {}")


def kind_name(value: Any) -> str:
    """Return the name of Go's ``reflect.Kind`` of ``value``: ``slice``, ``map``, ``ptr``, ``struct``, ``invalid`` …"""
    if value is None:
        return "invalid"
    name = type_name(value)
    if name in _PLAIN:
        return name
    if name.startswith("["):
        return "slice"
    if name.startswith("map["):
        return "map"
    if name.startswith("*"):
        return "ptr"
    return str(getattr(value, "GO_KIND", None) or _KINDS.get(name, "struct"))


def plain(value: Any) -> tuple[str, Any]:
    """Return the kind (bool, int, uint, float, complex, string, or "" for others) and the bare value of ``value``."""
    kind = kind_name(value)
    if kind in ("bool", "string"):
        return kind, value
    if kind.startswith("int"):
        return "int", _whole(value)
    if kind.startswith("uint"):
        return "uint", int(value)
    if kind.startswith("float"):
        return "float", float(value)
    return ("complex", value) if kind.startswith("complex") else ("", value)


def _whole(value: Any) -> int:
    """Return the number of an integer, also of a time's span, month or day of the week."""
    return int(value.ns if hasattr(value, "ns") else value.__index__())


def is_true(value: Any) -> bool:
    """Return whether ``value`` counts as true in ``if``: anything but nil, false, zero and empty values."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, list, dict, tuple, complex)):
        return bool(value)
    if hasattr(value, "keys"):
        return len(value) > 0
    kind, bare = plain(value)
    return bool(bare) if kind else True


def element_type(container: Any) -> str:
    """Return what Go calls the elements of a list or map: ``interface {}`` for elements of any type."""
    name = type_name(container)
    return name[name.index("]") + 1 :] if "]" in name else name
