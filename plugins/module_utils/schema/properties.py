# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON schemas (draft 2020-12) of the written values of properties, made from their declarations."""

from __future__ import annotations

import re

from ..manifest.declarations import DEFAULTS
from ..model.decode import named_properties
from ..model.errors import InvalidResource
from ..model.property import ABSOLUTE, NEVER, CutInteger
from ..model.resource import resource_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

    #: A JSON schema, or a part of one.
    Schema = Dict[str, Any]

    from ..model.property import Property
    from ..model.resource import ResourceType

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SCALAR = ["string", "number", "boolean", "null"]
NOT_GIVEN = {"enum": ["", None]}
_EXPRESSION = r"\{\{|\$\{"
_MODE = r"^(0o|0O)?0*[0-7]{3,4}$"
_ABSOLUTE = {"type": "string", "anyOf": [{"pattern": ABSOLUTE}, {"pattern": _EXPRESSION}]}
_LIMIT = 2**63
# Valid values of properties of these names in every type that has them.
_SUITABLE = {"url": "http://h/x.zip", "source": "s", "owner": "root", "group": "root", "mode": "0644"}


class PropertySchemas:
    """Schemas for one front end: with `strict` for manifests, with the checks of strict.py, else for requests."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict

    def of_type(self, type: ResourceType) -> Schema:
        """Return a mapping with properties of a type."""
        return self._of_fields(named_properties(type), type)

    def of_structure(self, prop: Property) -> Schema:
        """Return the value of a property that has fields: `object` or `objects`."""
        if not prop.fields:
            return {"type": ["object", "null"], "maxProperties": 0}
        inner = self._of_fields({field.name: field for field in prop.fields})
        required = [field.name for field in prop.fields if field.required and self._strict]
        if required:
            inner["required"] = required
        if prop.kind == "objects":
            return {"type": ["array", "null"], "items": inner}
        return {"anyOf": [inner, {"type": "null"}]}

    def _of_fields(self, named: dict[str, Property], type: ResourceType | None = None) -> Schema:
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: self._of_value(prop, type) for name, prop in named.items()},
        }

    def _of_value(self, prop: Property, type: ResourceType | None) -> Schema:
        schema = self._of_kind(prop)
        if type is not None and prop.name == "ensure":
            schema = self._of_ensure(type, schema)
        elif type is not None and prop.name == "provider":
            schema = _one_of(type.provider_names)
        elif prop.choices and prop.kind != "boolean":
            schema = _one_of(prop.choices, resolved=prop.when != NEVER)
        if prop.help:
            schema["description"] = prop.help
        if prop.default is not None:
            schema["default"] = prop.default
        return schema

    def _of_ensure(self, type: ResourceType, schema: Schema) -> Schema:
        """Return the state of a type's resources, `schema` being the schema of a text."""
        if type.ensure_choices:
            is_free = not self._strict and _takes_any_ensure(type)
            schema = {**schema, "examples": [*type.ensure_choices]} if is_free else _one_of(type.ensure_choices)
        if not type.takes_empty_ensure:
            schema["not"] = NOT_GIVEN
        schema["default"] = type.default_ensure
        return schema

    def _of_kind(self, prop: Property) -> Schema:
        kind = prop.kind
        if kind == "mode":
            text = {"type": "string", "anyOf": [{"pattern": _MODE}, {"pattern": _EXPRESSION}, {"maxLength": 0}]}
            return {"anyOf": [text, {"type": "integer", "minimum": 0, "maximum": 7777}, {"type": "null"}]}
        if kind == "boolean":
            return {"enum": [True, False, *prop.choices, None]} if prop.choices else {"type": ["boolean", "null"]}
        if kind == "integer":
            return self._integer(prop)
        if kind == "number_or_template":
            return self._number_or_template(prop)
        if kind == "strings":
            return {"type": ["array", "null"], "items": self._text(prop)}
        if kind == "integers":
            return {"type": ["array", "null"], "items": self._integer(prop)}
        if kind == "string_map":
            return {"type": ["object", "null"], "additionalProperties": {"type": SCALAR}}
        if kind == "string_maps":
            one = {"minProperties": 1, "maxProperties": 1} if self._strict else {}
            pair = {"type": "object", **one, "additionalProperties": {"type": SCALAR}}
            return {"type": ["array", "null"], "items": pair}
        if kind == "data":
            return {"type": ["object", "null"]}
        if kind in ("object", "objects"):
            return self.of_structure(prop)
        return self._text(prop)

    def _integer(self, prop: Property) -> Schema:
        """Return whole numbers, also as text. A result of 0 means not given, unless required."""
        kind = "number" if isinstance(prop, CutInteger) else "integer"
        number: Schema = {"type": kind, "exclusiveMinimum": -_LIMIT - 1, "exclusiveMaximum": _LIMIT}
        text = {"type": "string", "pattern": "^[+-]?[0-9]{1,19}$"}
        if prop.minimum is None or not self._strict:
            return {"anyOf": [number, text, {"type": "null"}]}
        number.update(_range(prop))
        if prop.required:
            return {"anyOf": [number, text]}
        nothing = {"type": kind, "exclusiveMinimum": -1, "exclusiveMaximum": 1}
        text["pattern"] = "^([+]?[0-9]{1,19}|-0{1,18})$"
        return {"anyOf": [number, text, nothing, {"type": "null"}]}

    def _number_or_template(self, prop: Property) -> Schema:
        choices: list[Schema] = [
            {"type": "integer", **_range(prop)},
            {"type": "string", "pattern": _EXPRESSION},
        ]
        return {"anyOf": choices if self._strict else [*choices, {"type": "null"}]}

    def _text(self, prop: Property) -> Schema:
        if prop.pattern and prop.kind == "string":
            return _checked_text(prop)
        if not (prop.pattern and self._strict):
            return {"type": SCALAR}
        if prop.when == NEVER:
            return {"type": "string", "pattern": prop.pattern}
        return {"type": "string", "anyOf": [{"pattern": prop.pattern}, {"pattern": _EXPRESSION}]}


def one_or_several(type: ResourceType, properties: Schema, entries: Schema | None = None) -> Schema:
    """Return the schema of a declaration of resources of a type, whose properties have the schema `properties`.

    One mapping, or a list by name.

    `entries` is a further schema for a list.
    """
    or_null = {"anyOf": [properties, {"type": "null"}]}
    several: Schema = {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"anyOf": [_ABSOLUTE, {"const": DEFAULTS}]}
            if _has_path_as_name(type)
            else {"minLength": 1},
            "additionalProperties": or_null,
            "properties": {DEFAULTS: or_null},
        },
        **(entries or {}),
    }
    if not type.takes_empty_ensure:
        # The defaults do not hold for an entry that is null.
        give_ensure = {"properties": {DEFAULTS: {"type": "object", "required": ["ensure"]}}, "required": [DEFAULTS]}
        not_null = {"properties": {DEFAULTS: True}, "additionalProperties": {"type": "object"}}
        several.update({"if": {"contains": give_ensure}, "then": {"items": not_null}})
    given: Schema = {"type": "object", "required": ["name"], "properties": {"name": {"not": NOT_GIVEN}}}
    if _has_path_as_name(type):
        given["properties"]["name"] = _ABSOLUTE
    return {
        "anyOf": [several, {"allOf": [properties, given]}],
        "description": f"One {type.name} resource, or a list of them by name; {DEFAULTS} holds for the whole list.",
    }


def _one_of(choices: tuple[str, ...], *, resolved: bool = True) -> Schema:
    known = {"enum": [*choices, "", None]}
    return {"anyOf": [known, {"type": "string", "pattern": _EXPRESSION}]} if resolved else known


def _checked_text(prop: Property) -> Schema:
    """Return what a type checks itself, in every front end: a text of a pattern; of numbers, 0 may be one too."""
    patterns = [prop.pattern] if prop.when == NEVER else [prop.pattern, _EXPRESSION]
    text = {"type": "string", "anyOf": [*({"pattern": pattern} for pattern in patterns), {"maxLength": 0}]}
    numbers: list[Schema] = [{"const": 0}] if re.search(prop.pattern, "0") else []
    if re.search(prop.pattern, "1"):
        numbers.append({"type": "integer", "minimum": 1})
    return {"anyOf": [text, *numbers, {"type": "null"}]}


def _takes_any_ensure(type: ResourceType) -> bool:
    """Return whether only manifests are limited to the choices of a type."""
    return _refused(type, "/x.zip" if _has_path_as_name(type) else "x", "?") != "ensure"


def _has_path_as_name(type: ResourceType) -> bool:
    """Return whether a type accepts only absolute names."""
    return _refused(type, "x.zip", (*type.ensure_choices, "present")[0]) == "name"


def _refused(type: ResourceType, name: str, ensure: str) -> str:
    """Return the property that a type's validation refuses when all but name and ensure are right; "" for none."""
    known = {prop.name for prop in type.properties}
    given = {**_SUITABLE, "name": name, "ensure": ensure}
    try:
        resource = resource_of(type, {name: value for name, value in given.items() if name in known})
        type.validate(resource.properties)
    except InvalidResource as error:
        return error.property
    return ""


def _range(prop: Property) -> dict[str, int]:
    limits = (("minimum", prop.minimum), ("maximum", prop.maximum))
    return {name: limit for name, limit in limits if limit is not None}
