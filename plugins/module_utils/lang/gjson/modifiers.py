# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions that a GJSON path applies with ``@`` (``@dig`` needs paths and lives in search.py)."""

from __future__ import annotations

from ..go import json as gojson
from .parsing import parse
from .pretty import pretty
from .result import MAX_TEXT, MISSING, GJSONError, Result, array, mapping, of
from .texts import trim, ugly, valid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


def apply(name: str, node: Result, argument: str) -> Result:
    """Return what the modifier ``name`` makes of ``node``; ``argument`` is the text after its colon."""
    return _MODIFIERS[name](node, argument)


def _pretty(node: Result, argument: str) -> Result:
    return parse(pretty(node, argument))


def _ugly(node: Result, argument: str) -> Result:
    return parse(ugly(node.raw))


def _this(node: Result, argument: str) -> Result:
    return node


def _reverse(node: Result, argument: str) -> Result:
    if node.kind == "array":
        return array(list(reversed(node.entries())))
    if node.kind == "object":
        return mapping(list(reversed(node.items())))
    return node


def _flatten(node: Result, argument: str) -> Result:
    if node.kind != "array":
        return node
    return parse(_flat(node, option(argument, "deep")))


def _flat(node: Result, deep: bool) -> str:
    parts = []
    for item in node.entries():
        text = item.raw
        if item.kind == "array":
            text = _inside(_flat(item, deep) if deep else text)
        text = text.strip()
        if text:
            parts.append(text)
    return "[" + ",".join(parts) + "]"


def _inside(text: str) -> str:
    return trim(text)[1:-1]


def _join(node: Result, argument: str) -> Result:
    if node.kind != "array":
        return node
    objects = [item for item in node.entries() if item.kind == "object"]
    if option(argument, "preserve"):
        return parse("{" + ",".join(_inside(item.raw) for item in objects) + "}")
    joined: dict[str, tuple[str, str, Result]] = {}
    for item in objects:
        for key, written, value in item.items():
            joined[key] = (key, joined[key][1] if key in joined else written, value)
    return mapping(list(joined.values()))


def _valid(node: Result, argument: str) -> Result:
    return node if valid(node.raw) else MISSING


def _keys(node: Result, argument: str) -> Result:
    if node.kind == "object":
        return array([Result("string", key, written) for key, written, _item in node.items()])
    if node.kind == "array":
        return array([of(None) for _item in node.entries()])
    return array([of(None)] if node.exists else [])


def _values(node: Result, argument: str) -> Result:
    if node.kind == "array":
        return node
    if node.kind == "object":
        return array([item for _key, _written, item in node.items()])
    return array([node] if node.exists else [])


def _tostr(node: Result, argument: str) -> Result:
    text = gojson.string(node.raw)
    if len(text) > MAX_TEXT:
        raise GJSONError("the result of the path is too large")
    return Result("string", node.raw, text)


def _fromstr(node: Result, argument: str) -> Result:
    return parse(node.string) if valid(node.raw) else MISSING


def _group(node: Result, argument: str) -> Result:
    if node.kind != "object":
        return MISSING
    rows: list[list[tuple[str, str, Result]]] = []
    for key, written, column in node.items():
        if column.kind != "array":
            continue
        for index, item in enumerate(column.entries()):
            if index == len(rows):
                rows.append([])
            rows[index].append((key, written, item))
    return array([mapping(row) for row in rows])


def option(argument: str, name: str) -> bool:
    """Return whether the last option ``name`` of an argument like ``{"deep":true}`` is on."""
    options = parse(argument)
    found = [item for key, _written, item in options.items() if key == name] if options.kind == "object" else []
    return bool(found) and found[-1].truth()


_MODIFIERS: dict[str, Callable[[Result, str], Result]] = {
    "pretty": _pretty,
    "ugly": _ugly,
    "reverse": _reverse,
    "this": _this,
    "flatten": _flatten,
    "join": _join,
    "valid": _valid,
    "keys": _keys,
    "values": _values,
    "tostr": _tostr,
    "fromstr": _fromstr,
    "group": _group,
}
