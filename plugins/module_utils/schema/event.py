# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of events, made from the declarations of the resource types and of the fields of their states."""

from __future__ import annotations

from ..model import protocols
from ..resources.descriptions import description
from ..resources.types import TYPE_NAMES, required_type
from .properties import DRAFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.property import Property
    from .properties import Schema

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_TIME = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z$",
}
_KINDS: Schema = {
    "mode": {"type": "string", "pattern": "^[0-7]{4}$"},
    "boolean": {"type": "boolean"},
    "integer": {"type": "integer"},
    "number_or_template": {"type": ["integer", "string", "null"]},
    "strings": _TEXTS,
    "integers": {"type": "array", "items": {"type": "integer"}},
    "string_map": {"type": "object", "additionalProperties": _TEXT},
    "string_maps": {"type": "array", "items": {"type": "object", "additionalProperties": _TEXT}},
    "data": {"type": "object"},
}
_FLAG = {"type": "boolean"}
_EVENT_ID = {
    "type": "string",
    "pattern": "^[0-9A-Za-z]{27}$",
    "description": "A KSUID: ids sort as events came.",
    "examples": ["38GxNBYqPbLDnVCFNyD9YzFWvLn"],
}
_DURATION = {
    "type": "integer",
    "minimum": 0,
    "description": "How long it took, in nanoseconds.",
    "examples": [1234567],
}
_IN_YAML = {"type": "string", "description": "How long it took, like 2.041791ms."}


def event_schema(names: Sequence[str] = TYPE_NAMES) -> Schema:
    """Return the schema (draft 2020-12) of a session's files: the event of a resource, or the start of a run.

    `names` are the names of the types.
    """
    return {
        "$schema": DRAFT,
        "title": "CCM event",
        "if": {"properties": {"protocol": {"const": protocols.SESSION_START}}, "required": ["protocol"]},
        "then": {"$ref": "#/$defs/start"},
        "else": {"$ref": "#/$defs/event"},
        "$defs": {"start": _start(), **event_definitions(names)},
    }


def event_definitions(names: Sequence[str] = TYPE_NAMES) -> Schema:
    """Return the schemas of the parts of an event, by name.

    `event` is the schema of events, `event_in_yaml` the schema of answers in YAML.
    """
    definitions = {"event": _event(names, in_yaml=False), "event_in_yaml": _event(names, in_yaml=True)}
    for name in names:
        definitions[f"{name}_shown"] = _shown(required_type(name).properties)
        definitions[f"{name}_state"] = _shown(description(name).state_fields, _common_state(name))
        nested = {"commonresourcestate": _closed(_common_state(name), _required_of(_common_state(name)))}
        definitions[f"{name}_state_in_yaml"] = _as_in_yaml(_shown(description(name).state_fields, nested), name)
    return definitions


def _as_in_yaml(schema: Schema, name: str) -> Schema:
    """Return the schema of a state in YAML: numbers that JSON leaves out are null, and unset times left out."""
    for prop in description(name).state_fields:
        shown = schema["properties"][prop.name]
        if prop.kind == "integer" and not prop.required:
            shown["type"] = ["integer", "null"]
        elif "mtime" in shown.get("required", ()):
            shown["required"].remove("mtime")
    return schema


def _start() -> Schema:
    began = {**_TIME, "description": "When the run began."}
    fields = {"protocol": {"const": protocols.SESSION_START}, "event_id": _EVENT_ID, "timestamp": began}
    return _closed(fields, list(fields))


def _event(names: Sequence[str], *, in_yaml: bool) -> Schema:
    output = "output" if in_yaml else "Output"
    check = {"status": {"enum": [0, 1, 2, 3]}, "tries": {"type": "integer", "minimum": 1}, output: _TEXT}
    properties = {
        "protocol": {"const": protocols.EVENT, "description": "What it is, and its version."},
        "event_id": _EVENT_ID,
        "timestamp": {
            **_TIME,
            "description": "When the work began.",
            "examples": ["2026-01-31T12:00:00.123456789Z"],
        },
        "type": {"enum": [*names], "description": "The type of the resource."},
        "provider": {**_TEXT, "description": "The provider that managed the resource; empty when none was chosen."},
        "name": {**_TEXT, "description": "The name of the resource."},
        "alias": {**_TEXT, "description": "Its other name."},
        "requested_ensure": {**_TEXT, "description": "The state that was asked for."},
        "final_ensure": {
            **_TEXT,
            "description": "The state afterwards, in noop the state before; empty when it failed or was skipped.",
        },
        "duration": _IN_YAML if in_yaml else _DURATION,
        "properties": {"type": "object", "description": "The properties that are not empty, secrets hidden."},
        "status": {"type": ["object", "null"], "description": "The state afterwards; null when it is not known."},
        "noop_message": {**_TEXT, "description": "What would have been done."},
        "health_check": {
            "type": "array",
            "items": _closed(check, list(check)),
            "description": "The results of the health checks, without their names.",
        },
        "health_check_only": {"const": True, "description": "Whether only health checks were to run."},
        "error": {**_TEXTS, "description": "What went wrong."},
        "changed": {**_FLAG, "description": "Whether something was changed, or would be."},
        "refreshed": {**_FLAG, "description": "Whether the change of another resource made it act."},
        "failed": {**_FLAG, "description": "Whether it failed."},
        "skipped": {**_FLAG, "description": "Whether it was not managed, because of control or of a requirement."},
        "noop": {**_FLAG, "description": "Whether nothing was to be changed, as in check mode of Ansible."},
        "unmet_requirements": {**_TEXTS, "description": "References whose resources failed or were held back."},
        "error_position": {**_TEXT, "description": "The place of the error in a document: file, line and column."},
    }
    sometimes = ("alias", "noop_message", "health_check", "health_check_only", "error_position")
    schema = _closed(properties, [name for name in properties if name not in sometimes])
    schema["allOf"] = [_of_type(name, "_in_yaml" if in_yaml else "") for name in names]
    return schema


def _of_type(name: str, form: str) -> Schema:
    state = {"anyOf": [{"$ref": f"#/$defs/{name}_state{form}"}, {"type": "null"}]}
    return {
        "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
        "then": {"properties": {"properties": {"$ref": f"#/$defs/{name}_shown"}, "status": state}},
    }


def _common_state(type_name: str) -> Schema:
    return {
        "timestamp": {**_TIME, "description": "When it was seen."},
        "protocol": {"const": f"io.choria.ccm.v1.resource.{type_name}.state"},
        "type": {"const": type_name},
        "name": _TEXT,
        "ensure": _TEXT,
        "changed": _FLAG,
        "refreshed": _FLAG,
        "stable": _FLAG,
        "noop": _FLAG,
        "noop_message": _TEXT,
    }


def _required_of(common: Schema) -> list[str]:
    return [name for name in common if name != "noop_message"]


def _shown(declared: tuple[Property, ...], common: Schema | None = None) -> Schema:
    """Return a mapping of declared values as events show them, in addition to the values of `common`."""
    common = common or {}
    required = [*_required_of(common), *(prop.name for prop in declared if prop.required)]
    return _closed({**common, **{prop.name: _value(prop) for prop in declared}}, required)


def _value(prop: Property) -> Schema:
    if prop.kind in ("object", "objects"):
        schema = _shown(prop.fields)
        if prop.kind == "objects":
            schema = {"type": "array", "items": schema}
    else:
        schema = {**_KINDS.get(prop.kind, _TEXT)}
        if prop.kind == "boolean" and prop.choices:
            schema = {"enum": [True, False, *prop.choices]}
    if prop.help:
        schema["description"] = prop.help
    return schema


def _closed(properties: Schema, required: list[str]) -> Schema:
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    if required:
        schema["required"] = required
    return schema
