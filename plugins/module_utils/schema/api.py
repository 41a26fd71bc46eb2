# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas of requests and answers of `ccm ensure api pipe` (behaviour.md 20)."""

from __future__ import annotations

from ..manifest.declarations import DEFAULTS
from ..model.protocols import ENSURE_REQUEST, ENSURE_RESPONSE
from ..resources.types import TYPE_NAMES, required_type
from .event import event_definitions
from .properties import DRAFT, PropertySchemas, one_or_several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .properties import Schema

_ASKED = PropertySchemas(strict=False)
_ONE_NAME = {"contains": {"not": {"required": [DEFAULTS]}}, "minContains": 1, "maxContains": 1, "maxItems": 2}


def request_schema() -> Schema:
    """Return the schema (draft 2020-12) of a request, as JSON or YAML.

    It accepts all valid requests, and also what it cannot check: the values of expressions, and the rules that a type
    checks in code. The patterns of a manifest do not apply to a request.
    """
    types = {name: required_type(name) for name in TYPE_NAMES}
    return {
        "$schema": DRAFT,
        "title": "CCM ensure request",
        "description": "One resource to manage, for ccm ensure api pipe.",
        "type": "object",
        "additionalProperties": False,
        "required": ["protocol", "type", "properties"],
        "properties": {
            "protocol": {"const": ENSURE_REQUEST},
            "type": {"enum": [*TYPE_NAMES], "description": "The type of the resource."},
            "properties": {"description": "What is wanted of it: a mapping with its name, or a list with one name."},
        },
        "allOf": [
            {
                "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
                "then": {"properties": {"properties": {"$ref": f"#/$defs/{name}_resource"}}},
            }
            for name in TYPE_NAMES
        ],
        "$defs": {
            **{f"{name}_properties": _ASKED.of_type(type) for name, type in types.items()},
            **{
                f"{name}_resource": one_or_several(type, {"$ref": f"#/$defs/{name}_properties"}, _ONE_NAME)
                for name, type in types.items()
            },
        },
    }


def response_schema() -> Schema:
    """Return the schema (draft 2020-12) of an answer.

    An error, an event, or both when an event could not be recorded.
    """
    return {
        "$schema": DRAFT,
        "title": "CCM ensure response",
        "description": "What became of a request: an event, or why there is none.",
        "type": "object",
        "additionalProperties": False,
        "required": ["protocol"],
        "properties": {
            "protocol": {"const": ENSURE_RESPONSE},
            "error": {"type": "string", "minLength": 1, "description": "Why nothing was done, or not recorded."},
            "state": {
                "anyOf": [{"$ref": "#/$defs/event"}, {"$ref": "#/$defs/event_in_yaml"}],
                "description": "The event; in YAML it has names of its own.",
            },
        },
        "anyOf": [{"required": ["error"]}, {"required": ["state"]}],
        "$defs": event_definitions(),
    }
