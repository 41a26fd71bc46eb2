# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which type a value has, and whether two values are the same in type and content."""

from __future__ import annotations

from math import isnan

from ...go.kinds import kind_name, type_name
from ..function import Function
from .nil import is_typed_nil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The largest number of values in a marked value.
_MOST_MARKED = 10_000


def deep_equal(left: Any, right: Any) -> bool:
    """Return whether two values are of one type and equal through and through, as ``reflect.DeepEqual``.

    An ``int`` is no ``int64``, a list of nil no empty list, and NaN equals nothing.
    """
    if type_name(left) != type_name(right):
        return False
    if isinstance(left, dict):
        if left is right:
            return True
        if is_typed_nil(left) != is_typed_nil(right) or left.keys() != right.keys():
            return False
        return all(deep_equal(item, right[key]) for key, item in left.items())
    if isinstance(left, (list, tuple)):
        if left is right:
            return True
        if is_typed_nil(left) != is_typed_nil(right) or len(left) != len(right):
            return False
        return all(map(deep_equal, left, right))
    return bool(left == right)


def mark_of(value: Any) -> Any:
    """Return something hashable that two values share when they are ``deep_equal``, and only then.

    None for values that have to be compared: NaN is in them, or they are very large or deep.
    """
    try:
        return _mark(value, [_MOST_MARKED])
    except (_NoMark, TypeError, RecursionError):
        return None


class _NoMark(Exception):
    """A value that must be compared."""


def _mark(value: Any, left: list[int]) -> Any:
    """Return the mark of a value; ``left`` counts how many values may still be looked at."""
    left[0] -= 1
    if left[0] < 0 or (isinstance(value, float) and isnan(value)):
        raise _NoMark
    if isinstance(value, dict):
        items: Any = frozenset((key, _mark(item, left)) for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        items = tuple(_mark(item, left) for item in value)
    else:
        return type_name(value), value
    return type_name(value), is_typed_nil(value), items


def _is_like(wanted: str, value: Any) -> bool:
    return type_name(value) in (wanted, "*" + wanted)


FUNCTIONS = {
    "typeOf": Function(type_name, "any"),
    "typeIs": Function(lambda wanted, value: type_name(value) == wanted, "string", "any"),
    "typeIsLike": Function(_is_like, "string", "any"),
    "kindOf": Function(kind_name, "any"),
    "kindIs": Function(lambda wanted, value: kind_name(value) == wanted, "string", "any"),
    "deepEqual": Function(deep_equal, "any", "any"),
}
