# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions on maps. ``set``, ``unset`` and the merging ones change the map they are given, as in the original.

What Go gives in no order (``keys``, ``values``) comes in the order of the keys.
"""

from __future__ import annotations

from ...go.fmt import sorted_keys
from ...go.kinds import StringList, type_name
from ...go.values import AnyMap, NilMap, StringMap, conversion
from ..function import CallError, Function
from .lists import like
from .merging import merge
from .texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

    Map = Dict[str, Any]


def _dict(*pairs: Any) -> Map:
    """Return the map of keys and values given in turn; a last key without value has an empty text."""
    values = [*pairs[1::2], ""]
    return {text_of(key): value for key, value in zip(pairs[::2], values)}


def _set(target: Map, key: str, value: Any) -> Map:
    if isinstance(target, NilMap):
        raise CallError("assignment to entry in nil map")
    target[key] = value
    return target


def _unset(target: Map, key: str) -> Map:
    target.pop(key, None)
    return target


def _omit(source: Map, *keys: str) -> Map:
    return {key: value for key, value in source.items() if key not in keys}


def _dig(*arguments: Any) -> Any:
    """Return what lies under a path of keys, the default where one is missing: ``dig KEY... DEFAULT MAP``."""
    if len(arguments) < 3:
        raise CallError("dig needs at least three arguments")
    *keys, default, found = arguments
    _check(found, "map[string]interface {}")
    for key in keys:
        _check(key, "string")
    for number, key in enumerate(keys):
        if number:
            _check(found, "map[string]interface {}")
        if key not in found:
            return default
        found = found[key]
    return found


def _check(value: Any, wanted: str) -> None:
    if value is None or type_name(value) != wanted:
        raise CallError(conversion(value, wanted).message)


def _deep_copy(value: Any) -> Any:
    """Return a copy that shares no map and no list with ``value``."""
    if value is None:
        raise CallError("reflect: call of reflect.Value.Type on zero Value")
    try:
        return _copied(value)
    except RecursionError:
        raise CallError("value is nested too deeply to be copied") from None


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        made = next((kind for kind in (NilMap, StringMap, AnyMap) if isinstance(value, kind)), dict)
        return made((key, _copied(item)) for key, item in value.items())
    return like(value, map(_copied, value)) if isinstance(value, (list, tuple)) else value


_DEEP_COPY = Function(_deep_copy, "any")
_MERGE = Function(lambda target, *sources: merge(target, sources, False), "map[string]any", "...map[string]any")
_OVERWRITE = Function(lambda target, *sources: merge(target, sources, True), "map[string]any", "...map[string]any")


def _silent(must: Function) -> Function:
    """Return the form of a merging function that gives an empty text where the other one fails."""

    def merged(*maps: Any) -> Any:
        try:
            return must.call(*maps)
        except CallError:
            return ""

    return Function(merged, "map[string]any", "...map[string]any")


FUNCTIONS = {
    "dict": Function(_dict, "...any"),
    "get": Function(lambda source, key: source.get(key, ""), "map[string]any", "string"),
    "set": Function(_set, "map[string]any", "string", "any"),
    "unset": Function(_unset, "map[string]any", "string"),
    "hasKey": Function(lambda source, key: key in source, "map[string]any", "string"),
    "pluck": Function(
        lambda key, *sources: [source[key] for source in sources if key in source], "string", "...map[string]any"
    ),
    "keys": Function(
        lambda *sources: StringList(key for source in sources for key in sorted_keys(source)), "...map[string]any"
    ),
    "values": Function(lambda source: [source[key] for key in sorted_keys(source)], "map[string]any"),
    "pick": Function(
        lambda source, *keys: {key: source[key] for key in keys if key in source}, "map[string]any", "...string"
    ),
    "omit": Function(_omit, "map[string]any", "...string"),
    "dig": Function(_dig, "...any"),
    "merge": _silent(_MERGE),
    "mustMerge": _MERGE,
    "mergeOverwrite": _silent(_OVERWRITE),
    "mustMergeOverwrite": _OVERWRITE,
    "deepCopy": _DEEP_COPY,
    "mustDeepCopy": _DEEP_COPY,
}
