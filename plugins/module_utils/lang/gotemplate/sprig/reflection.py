# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which type a value has, and whether two values are the same in type and content."""

from __future__ import annotations

from ...go.kinds import kind_name, type_name
from ..function import Function
from .nothing import was_never_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def deep_equal(left: Any, right: Any) -> bool:
    """Return whether two values are of one type and equal through and through, as ``reflect.DeepEqual``.

    An ``int`` is no ``int64``, a list of nil no empty list, and NaN equals nothing.
    """
    if type_name(left) != type_name(right):
        return False
    if isinstance(left, dict):
        if left is right:
            return True
        if was_never_made(left) != was_never_made(right) or left.keys() != right.keys():
            return False
        return all(deep_equal(item, right[key]) for key, item in left.items())
    if isinstance(left, (list, tuple)):
        if left is right:
            return True
        if was_never_made(left) != was_never_made(right) or len(left) != len(right):
            return False
        return all(map(deep_equal, left, right))
    return bool(left == right)


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
