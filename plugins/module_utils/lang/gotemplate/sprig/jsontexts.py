# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON: from text and to text, compact, indented, or with ``<``, ``>`` and ``&`` as they are."""

from __future__ import annotations

from ...go.json import GoJSONError, marshal
from ...go.json_parsing import parse
from ...go.kinds import type_name
from ...go.values import AnyMap
from ..function import CallError, Function
from .nil import is_typed_nil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _must_from_json(text: str) -> Any:
    value, fault = parse(text)
    if fault:
        raise CallError(fault)
    return value


def _must_to_json(value: Any, indent: str | None = None, escape_html: bool = True) -> str:
    try:
        return marshal(_for_json(value), indent, escape_html=escape_html)
    except GoJSONError as error:
        raise CallError(str(error)) from None
    except RecursionError:
        raise CallError("json: value is nested too deeply") from None


def _for_json(value: Any) -> Any:
    """Return ``value`` with null for lists and maps that were never made."""
    if is_typed_nil(value):
        return None
    if isinstance(value, AnyMap):
        raise CallError("json: unsupported type: " + type_name(value))
    if isinstance(value, dict):
        return {key: _for_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_for_json(item) for item in value]
    if isinstance(value, complex):
        raise CallError("json: unsupported type: complex128")
    return value


def _to_json(value: Any, indent: str | None = None) -> str:
    try:
        return _must_to_json(value, indent)
    except CallError:
        return ""


_RAW = Function(lambda value: _must_to_json(value, None, False), "any")

FUNCTIONS = {
    "fromJson": Function(lambda text: parse(text)[0], "string"),
    "mustFromJson": Function(_must_from_json, "string"),
    "toJson": Function(_to_json, "any"),
    "mustToJson": Function(_must_to_json, "any"),
    "toPrettyJson": Function(lambda value: _to_json(value, "  "), "any"),
    "mustToPrettyJson": Function(lambda value: _must_to_json(value, "  "), "any"),
    "toRawJson": _RAW,
    "mustToRawJson": _RAW,
}
