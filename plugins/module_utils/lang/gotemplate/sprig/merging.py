# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Merging maps into one as mergo does it, which Sprig uses: the target's values stay, or the later ones win."""

from __future__ import annotations

from ...go.kinds import is_true, kind_name, type_name
from ...go.values import NilMap, StringMap
from ..function import CallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

_NOT_SAME = "src and dst must be of same type"


def merge(target: dict[str, Any], sources: Sequence[dict[str, Any]], overwrite: bool) -> dict[str, Any]:
    """Merge ``sources`` one after the other into ``target`` and return it.

    Maps are merged level by level. A value of the target stays unless it is empty (nil, false, zero, nothing in it) or
    ``overwrite`` is set; nil in a source counts only then. Values taken over are shared, not copied. Raises CallError
    where Go's types do not fit.
    """
    try:
        for source in sources:
            _merge_map(target, source, overwrite)
    except RecursionError:
        raise CallError("maps are nested too deeply to be merged") from None
    return target


def _merge_map(target: dict[str, Any], source: dict[str, Any], overwrite: bool) -> None:
    for key in list(source):
        value = source[key]
        there = target.get(key)
        if value is None:
            if overwrite:
                target[key] = None
            continue
        if kind_name(value) in ("map", "struct", "ptr"):
            _merge_value(there, value, overwrite)
        if is_true(there) and not overwrite:
            continue
        if isinstance(value, dict) and isinstance(there, dict) and there:
            continue
        if isinstance(target, StringMap) and type_name(source) != type_name(target):
            raise CallError("reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string")
        target[key] = value


def _merge_value(there: Any, value: Any, overwrite: bool) -> None:
    """Merge a map into a map; an object that is there already takes nothing but another object."""
    if isinstance(there, dict) and isinstance(value, dict):
        if not isinstance(there, NilMap):
            _merge_map(there, value, overwrite)
    elif there is not None and kind_name(there) == "ptr" and kind_name(value) != "ptr" and not overwrite:
        raise CallError(_NOT_SAME)
