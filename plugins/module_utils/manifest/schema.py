# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a manifest, made from the declarations of the resource types."""

from __future__ import annotations

from ..model.property import NEVER
from .declarations import DEFAULTS
from .registry import TYPE_NAMES, resource_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.property import Property
    from ..model.resource import ResourceType

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID = "https://choria-cm.dev/schemas/ccm/v1/manifest.json"
_SCALAR = ["string", "number", "boolean", "null"]
_EXPRESSION = r"\{\{|\$\{"
_MODE = r"^(0o|0O)?0*[0-7]{3}$"


def manifest_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of a whole manifest, for editors and for checking documents as they are written."""
    types = {name: _required_type(name) for name in TYPE_NAMES}
    return {
        "$schema": DRAFT,
        "$id": SCHEMA_ID,
        "title": "CCM manifest",
        "type": "object",
        "additionalProperties": False,
        "required": ["ccm"],
        "properties": {
            "data": {"type": ["object", "null"], "description": "Data for expressions."},
            "hierarchy": {
                "type": "object",
                "description": "Which overrides are laid over the data, and how.",
                "properties": {
                    "order": {"type": "array", "items": {"type": "string"}},
                    "merge": {"description": "first or deep"},
                },
                "required": ["order"],
            },
            "overrides": {
                "type": ["object", "null"],
                "additionalProperties": {"type": ["object", "null"]},
                "description": "Data by entry of the hierarchy.",
            },
            "ccm": _ccm_schema(),
        },
        "$defs": {
            **{f"{name}_properties": _object_schema(type.named, type) for name, type in types.items()},
            **{f"{name}_resources": _resources_schema(type) for name, type in types.items()},
        },
    }


def _required_type(name: str) -> ResourceType:
    type = resource_type(name)
    if type is None:
        raise LookupError(name)
    return type


def _ccm_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "pre_message": {"type": _SCALAR, "description": "Shown before the run."},
            "post_message": {"type": _SCALAR, "description": "Shown after a run without failures."},
            "fail_on_error": {"type": ["boolean", "null"], "description": "Whether the first failure ends the run."},
            "resources_jet_file": {"type": _SCALAR, "description": "A Jet template that renders the resources."},
            "engine": {"type": ["object", "null"], "maxProperties": 0},
            "resources": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {name: {"$ref": f"#/$defs/{name}_resources"} for name in TYPE_NAMES},
                },
            },
        },
        "oneOf": [{"required": ["resources"]}, {"required": ["resources_jet_file"]}],
    }


def _resources_schema(type: ResourceType) -> dict[str, Any]:
    properties = {"$ref": f"#/$defs/{type.name}_properties"}
    entry = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": {"anyOf": [properties, {"type": "null"}]},
    }
    return {
        "anyOf": [
            {"type": "array", "minItems": 1, "items": entry},
            {"allOf": [properties, {"required": ["name"]}]},
        ],
        "description": f"One {type.name} resource, or a list of them by name; {DEFAULTS} holds for the whole list.",
    }


def _object_schema(named: dict[str, Property], type: ResourceType | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _value_schema(prop, type) for name, prop in named.items()},
    }


def _value_schema(prop: Property, type: ResourceType | None) -> dict[str, Any]:
    schema = _kind_schema(prop)
    if type is not None and prop.name == "ensure" and type.ensure_choices:
        schema = _one_of(type.ensure_choices)
    elif prop.choices:
        schema = _one_of(prop.choices)
    if prop.help:
        schema["description"] = prop.help
    if prop.default is not None:
        schema["default"] = prop.default
    return schema


def _one_of(choices: tuple[str, ...]) -> dict[str, Any]:
    return {"anyOf": [{"enum": [*choices, "", None]}, {"type": "string", "pattern": _EXPRESSION}]}


def _kind_schema(prop: Property) -> dict[str, Any]:
    kind = prop.kind
    if kind == "mode":
        text = {"type": "string", "anyOf": [{"pattern": _MODE}, {"pattern": _EXPRESSION}, {"maxLength": 0}]}
        return {"anyOf": [text, {"type": "integer", "minimum": 0}, {"type": "null"}]}
    if kind == "boolean":
        return {"type": ["boolean", "null"]}
    if kind == "integer":
        whole: dict[str, Any] = {"type": ["number", "null"]}
        if prop.minimum is not None:
            whole["anyOf"] = [{"minimum": prop.minimum}, {"const": 0}, {"type": "null"}]
        return {"anyOf": [whole, {"type": "string", "pattern": "^[+-]?[0-9]+$"}]}
    if kind == "number_or_template":
        return {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": _EXPRESSION}]}
    if kind == "strings":
        return {"type": ["array", "null"], "items": _text_schema(prop)}
    if kind == "integers":
        return {"type": ["array", "null"], "items": {"type": ["number", "string", "null"]}}
    if kind in ("string_map", "string_maps"):
        mapping: dict[str, Any] = {"type": ["object", "null"], "additionalProperties": {"type": _SCALAR}}
        return mapping if kind == "string_map" else {"type": ["array", "null"], "items": {**mapping, "maxProperties": 1, "minProperties": 1}}
    if kind == "data":
        return {"type": ["object", "null"]}
    if kind in ("object", "objects"):
        return _structure_schema(prop)
    return {"type": _SCALAR}


def _text_schema(prop: Property) -> dict[str, Any]:
    if not prop.pattern:
        return {"type": _SCALAR}
    patterns = [{"pattern": prop.pattern}]
    if prop.when != NEVER:
        patterns.append({"pattern": _EXPRESSION})
    return {"type": "string", "anyOf": patterns}


def _structure_schema(prop: Property) -> dict[str, Any]:
    if not prop.fields:
        return {"type": ["object", "null"], "maxProperties": 0}
    inner = _object_schema({field.name: field for field in prop.fields})
    required = [field.name for field in prop.fields if field.required]
    if required:
        inner["required"] = required
    if prop.kind == "objects":
        return {"type": ["array", "null"], "items": inner}
    return {"anyOf": [inner, {"type": "null"}]}
