# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""When two values are equal: as the left one sees the right one, which must be convertible to its type."""

from __future__ import annotations

from .errors import JetError
from .numbers import FLOAT, INT, number_kind, to_float, to_int, to_uint
from .values import MISSING, HiddenBool, NilList, NilMap, is_true, type_of, unboxed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def equal(left: Any, right: Any) -> bool:
    """Return whether ``left == right`` in Jet: ``8080 == 8080.0``, never ``1 == "1"``. Raises JetError."""
    left, right = unboxed(left), unboxed(right)
    kind = left.__class__
    if (kind is str or kind is int or kind is bool) and right.__class__ is kind:
        return left == right
    if left is None or left is MISSING or right is None or right is MISSING:
        return (left is None or left is MISSING) and (right is None or right is MISSING)
    number = number_kind(left)
    if number:
        if not number_kind(right):
            return False
        if number is INT:
            return int(left) == to_int(right)
        return float(left) == to_float(right) if number is FLOAT else int(left) == to_uint(right)
    if isinstance(left, str):
        return isinstance(right, str) and left == right
    if isinstance(left, (bool, HiddenBool)):
        return isinstance(right, (bool, HiddenBool)) and is_true(left) == is_true(right)
    if isinstance(left, (list, tuple, bytes)):
        return _equal_lists(left, right)
    if hasattr(left, "keys"):
        return _equal_maps(left, right)
    return left is right


def _equal_lists(left: Any, right: Any) -> bool:
    if isinstance(left, bytes) and isinstance(right, str):
        raise JetError("bytes cannot be compared with a text")
    if type_of(left) != type_of(right) or isinstance(left, NilList) != isinstance(right, NilList):
        return False
    return len(left) == len(right) and (left is right or all(equal(*pair) for pair in zip(left, right)))


def _equal_maps(left: Any, right: Any) -> bool:
    if type_of(left) != type_of(right) or isinstance(left, NilMap) != isinstance(right, NilMap):
        return False
    if len(left) != len(right) or left is right:
        return left is right
    return all(key in right and equal(left[key], right[key]) for key in left)
