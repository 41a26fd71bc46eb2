# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""``eq``, ``ne``, ``lt``, ``le``, ``gt``, ``ge``: values of one kind are compared, others are refused."""

from __future__ import annotations

from ..go.kinds import kind_name, plain, type_name
from ..go.printf import verbose
from ..go.values import NilList, NilMap
from .function import CallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIMPLE = (int, str, bool, float)
_UNORDERED = "invalid type for comparison"


def equal(first: Any, *others: Any) -> bool:
    """Return whether ``first`` equals one of ``others``. Raises CallError for what cannot be compared."""
    if not others:
        raise CallError("missing argument for comparison")
    return any(_are_equal(first, other) for other in others)


def _are_equal(first: Any, second: Any) -> bool:
    if first.__class__ is second.__class__ and first.__class__ in _SIMPLE:
        return bool(first == second)
    (kind, left), (other, right) = plain(first), plain(second)
    if kind != other:
        if {kind, other} == {"int", "uint"}:
            return bool(left == right)
        if first is None or second is None:
            return False
        raise _incompatible(first, second)
    if kind:
        return bool(left == right)
    return _are_same(first, second)


def _are_same(first: Any, second: Any) -> bool:
    """Return whether two values are equal that are neither numbers nor texts."""
    if kind_name(first) != kind_name(second) and first is not None and second is not None:
        left, right = verbose(first, "s"), verbose(second)
        raise CallError(f"non-comparable types {left}: {type_name(first)}, {type_name(second)}: {right}")
    if _is_nil(first) or _is_nil(second):
        return _is_nil(first) and _is_nil(second)
    if kind_name(second) in ("slice", "map"):
        raise CallError(f"non-comparable type {verbose(second, 's')}: {type_name(second)}")
    return bool(first == second)


def _is_nil(value: Any) -> bool:
    return value is None or isinstance(value, (NilList, NilMap))


def _incompatible(first: Any, second: Any) -> CallError:
    return CallError(f"incompatible types for comparison: {type_name(first)} and {type_name(second)}")


def unequal(first: Any, second: Any) -> bool:
    """Return whether two values differ. Raises CallError for what cannot be compared."""
    return not equal(first, second)


def less(first: Any, second: Any) -> bool:
    """Return whether ``first`` comes before ``second``. Raises CallError for what has no order."""
    if first.__class__ is second.__class__ and first.__class__ in (int, str):
        return bool(first < second)
    (kind, left), (other, right) = plain(first), plain(second)
    if not kind or not other:
        raise CallError(_UNORDERED)
    if kind != other and {kind, other} != {"int", "uint"}:
        raise _incompatible(first, second)
    if kind in ("bool", "complex"):
        raise CallError(_UNORDERED)
    return bool(left < right)


def at_most(first: Any, second: Any) -> bool:
    """Return whether ``first`` does not come after ``second``. Raises CallError for what has no order."""
    return less(first, second) or equal(first, second)


def greater(first: Any, second: Any) -> bool:
    """Return whether ``first`` comes after ``second``. Raises CallError for what has no order."""
    return not at_most(first, second)


def at_least(first: Any, second: Any) -> bool:
    """Return whether ``first`` does not come before ``second``. Raises CallError for what has no order."""
    return not less(first, second)
