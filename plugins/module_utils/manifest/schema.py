# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a manifest, made from the declarations of the resource types."""

from __future__ import annotations

from ..model.decode import named_properties
from ..model.property import NEVER
from .declarations import DEFAULTS
from .engine_settings import ENGINE
from .registry import TYPE_NAMES, resource_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.property import Property
    from ..model.resource import ResourceType

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SCALAR = ["string", "number", "boolean", "null"]
_NOT_GIVEN = {"enum": ["", None]}
_EXPRESSION = r"\{\{|\$\{"
_MODE = r"^(0o|0O)?0*[0-7]{3}$"
_LIMIT = 2**63


def manifest_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of a whole manifest as it is written, for editors and other checkers.

    It accepts whatever our validation accepts, but for mistakes in `defaults` that no resource of the list takes over.
    What it cannot know it lets pass: the outcome of expressions, and the rules that a type checks in code.
    `tests/unit/manifest/test_schema.py` lists them.
    """
    types = {name: _required_type(name) for name in TYPE_NAMES}
    return {
        "$schema": DRAFT,
        "title": "CCM manifest",
        "type": "object",
        "additionalProperties": False,
        "required": ["ccm"],
        "properties": {
            "data": {"description": "Data for expressions, by name."},
            "hierarchy": {
                "type": "object",
                "description": "Which overrides are laid over the data, and how.",
                "additionalProperties": False,
                "properties": {
                    "order": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Entries of overrides, the most special first, with expressions over Facts.",
                    },
                    "merge": {
                        "enum": ["first", "deep"],
                        "description": "first: the first entry that is found; deep: all of them, maps merged.",
                        "default": "first",
                    },
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
            **{f"{name}_properties": _object_schema(named_properties(type), type) for name, type in types.items()},
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
            "engine": _structure_schema(ENGINE),
            "resources": {
                "type": ["array", "null"],
                "description": "What is managed, in the order in which it is managed.",
                "items": {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {name: {"$ref": f"#/$defs/{name}_resources"} for name in TYPE_NAMES},
                },
            },
        },
        "oneOf": [
            {
                "required": ["resources"],
                "properties": {
                    "resources": {"type": "array", "minItems": 1},
                    "resources_jet_file": _NOT_GIVEN,
                },
            },
            {
                "required": ["resources_jet_file"],
                "properties": {
                    "resources": {"enum": [[], None]},
                    "resources_jet_file": {"not": _NOT_GIVEN},
                },
            },
        ],
    }


def _resources_schema(type: ResourceType) -> dict[str, Any]:
    properties = {"$ref": f"#/$defs/{type.name}_properties"}
    several: dict[str, Any] = {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"minLength": 1},
            "additionalProperties": {"anyOf": [properties, {"type": "null"}]},
        },
    }
    if not type.default_ensure:
        several["anyOf"] = [
            {"contains": {"required": [DEFAULTS]}},
            {"items": {"additionalProperties": _given("ensure")}},
        ]
    needed = ("name",) if type.default_ensure else ("name", "ensure")
    return {
        "anyOf": [several, {"allOf": [properties, _given(*needed)]}],
        "description": f"One {type.name} resource, or a list of them by name; {DEFAULTS} holds for the whole list.",
    }


def _given(*names: str) -> dict[str, Any]:
    """An object in which these properties are there and not empty."""
    return {"type": "object", "required": list(names), "properties": {name: {"not": _NOT_GIVEN} for name in names}}


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
        return {"anyOf": [text, {"type": "integer", "minimum": 0, "maximum": 777}, {"type": "null"}]}
    if kind == "boolean":
        return {"type": ["boolean", "null"]}
    if kind == "integer":
        return _integer_schema(prop)
    if kind == "number_or_template":
        return {"anyOf": [{"type": "integer", **_range(prop)}, {"type": "string", "pattern": _EXPRESSION}]}
    if kind == "strings":
        return {"type": ["array", "null"], "items": _text_schema(prop)}
    if kind == "integers":
        return {"type": ["array", "null"], "items": _integer_schema(prop)}
    if kind == "string_map":
        return {"type": ["object", "null"], "additionalProperties": {"type": _SCALAR}}
    if kind == "string_maps":
        pair = {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": {"type": _SCALAR}}
        return {"type": ["array", "null"], "items": pair}
    if kind == "data":
        return {"type": ["object", "null"]}
    if kind in ("object", "objects"):
        return _structure_schema(prop)
    return _text_schema(prop)


def _integer_schema(prop: Property) -> dict[str, Any]:
    """Whole numbers, also as text; a fraction is cut off. What is cut to 0 is not given, unless it has to be."""
    number: dict[str, Any] = {"type": "number", "exclusiveMinimum": -_LIMIT - 1, "exclusiveMaximum": _LIMIT}
    text = {"type": "string", "pattern": "^[+-]?[0-9]{1,19}$"}
    if prop.minimum is None:
        return {"anyOf": [number, text, {"type": "null"}]}
    number.update(_range(prop))
    if prop.required:
        return {"anyOf": [number, text]}
    nothing = {"type": "number", "exclusiveMinimum": -1, "exclusiveMaximum": 1}
    text["pattern"] = "^([+]?[0-9]{1,19}|-0{1,18})$"
    return {"anyOf": [number, text, nothing, {"type": "null"}]}


def _range(prop: Property) -> dict[str, int]:
    limits = (("minimum", prop.minimum), ("maximum", prop.maximum))
    return {name: limit for name, limit in limits if limit is not None}


def _text_schema(prop: Property) -> dict[str, Any]:
    if not prop.pattern:
        return {"type": _SCALAR}
    if prop.when == NEVER:
        return {"type": "string", "pattern": prop.pattern}
    return {"type": "string", "anyOf": [{"pattern": prop.pattern}, {"pattern": _EXPRESSION}]}


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
