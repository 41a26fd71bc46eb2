# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sorting by expr-lang's order: numbers with numbers, texts with texts; equal elements keep their order."""

from __future__ import annotations

from operator import ne

from ..go.values import Fault, FixedList, NilList, is_number, type_name
from .errors import Failure
from .operators import less

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Lists up to this length are sorted by insertion, so that a mismatch is met between the same two elements as in Go.
_SHORT = 12


def permutation(keys: list[Any], descending: bool) -> list[int]:
    """Return the indexes of ``keys`` in sorted order. Raises Fault for keys that cannot be compared."""
    if all(map(is_number, keys)) or all(isinstance(key, str) for key in keys):
        # NaN alone is unequal to itself.
        if not any(map(ne, keys, keys)):
            return sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
    elif len({type_name(key) for key in keys}) == 1 and getattr(keys[0], "ORDERED", False):
        return sorted(range(len(keys)), key=lambda index: keys[index].ns, reverse=descending)
    elif len(keys) > _SHORT:
        _refuse(keys)
    return _inserted(keys, descending)


def _inserted(keys: list[Any], descending: bool) -> list[int]:
    order: list[int] = []
    for index in range(len(keys)):
        at = len(order)
        while at and _before(keys[index], keys[order[at - 1]], descending):
            at -= 1
        order.insert(at, index)
    return order


def _before(one: Any, other: Any, descending: bool) -> bool:
    try:
        return less(other, one, 0) if descending else less(one, other, 0)
    except Failure as failure:
        raise Fault(failure.message) from None


def _refuse(keys: list[Any]) -> None:
    """Raise for the first key that does not compare with the one before it."""
    for one, other in zip(keys[1:], keys):
        _before(one, other, False)


def _sort(value: Any, order: Any = "asc") -> list[Any]:
    sortable = isinstance(value, (list, tuple)) and not isinstance(value, FixedList)
    items = list(value) if sortable else NilList()
    if not isinstance(order, str):
        raise Fault(f"sort order argument must be a string (got {type_name(order)})")
    if order not in ("asc", "desc"):
        raise Fault(f"invalid order {order}, expected asc or desc")
    return [items[index] for index in permutation(items, order == "desc")] if items else items


FUNCTIONS = {"sort": _sort}
