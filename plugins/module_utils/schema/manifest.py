# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a manifest, made from the declarations of the resource types."""

from __future__ import annotations

from ..manifest.document import IGNORED_PREFIX
from ..manifest.engine_settings import ENGINE, GRAPH
from ..resources.types import TYPE_NAMES, required_type
from .properties import DRAFT, NOT_GIVEN, SCALAR, PropertySchemas, one_or_several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .properties import Schema

_WRITTEN = PropertySchemas(strict=True)


def manifest_schema(names: Sequence[str] = TYPE_NAMES) -> Schema:
    """Return the schema (draft 2020-12) of a whole manifest as it is written, for editors and other checkers.

    It accepts all that our validation accepts, except faults in `defaults` that every resource of the list overrides.
    It also accepts what it cannot check: the values of expressions, and the rules that a type checks in code.
    `tests/unit/schema/test_manifest.py` lists them. `names` are the names of the types.
    """
    types = {name: required_type(name) for name in names}
    return {
        "$schema": DRAFT,
        "title": "CCM manifest",
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {f"^{IGNORED_PREFIX}": {"description": "Ignored: a place for YAML anchors."}},
        "required": ["ccm"],
        "properties": {
            "data": {"description": "Has data for expressions, by name."},
            "hierarchy": {
                "type": "object",
                "description": "Says which overrides are laid over the data, and how.",
                "additionalProperties": False,
                "properties": {
                    "order": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Names entries of overrides, with expressions over Facts. With merge first the "
                        "first entry that exists is taken; with deep all are, and the last one wins.",
                    },
                    "merge": {
                        "enum": ["first", "deep"],
                        "description": "Says which entries are laid over the data: the first that exists, or all.",
                        "default": "first",
                    },
                },
                "required": ["order"],
            },
            "overrides": {
                "type": ["object", "null"],
                "additionalProperties": {"type": ["object", "null"]},
                "description": "Has the data of each entry of the hierarchy.",
            },
            "ccm": _ccm_schema(names),
        },
        "$defs": {
            **{f"{name}_properties": _WRITTEN.of_type(type) for name, type in types.items()},
            **{
                f"{name}_resources": one_or_several(type, {"$ref": f"#/$defs/{name}_properties"})
                for name, type in types.items()
            },
        },
    }


def _engine_schema() -> Schema:
    several = {"required": ["parallel"], "properties": {"parallel": {"not": NOT_GIVEN}}}
    graph = {"required": ["order"], "properties": {"order": {"const": GRAPH}}}
    return {**_WRITTEN.of_structure(ENGINE), "if": several, "then": graph}


def _ccm_schema(names: Sequence[str]) -> Schema:
    return {
        "type": "object",
        "description": "Has the resources, and what holds for the whole run.",
        "additionalProperties": False,
        "properties": {
            "pre_message": {"type": SCALAR, "description": "Is shown before the run."},
            "post_message": {"type": SCALAR, "description": "Is shown after a run without failures."},
            "fail_on_error": {"type": ["boolean", "null"], "description": "Ends the run at the first failure."},
            "resources_jet_file": {
                "type": SCALAR,
                "description": "Is the path of a Jet template that makes the list of resources.",
            },
            "engine": _engine_schema(),
            "resources": {
                "type": ["array", "null"],
                "description": "Lists what is managed, in the order in which it is managed.",
                "items": {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {name: {"$ref": f"#/$defs/{name}_resources"} for name in names},
                },
            },
        },
        "oneOf": [
            {
                "required": ["resources"],
                "properties": {
                    "resources": {"type": "array", "minItems": 1},
                    "resources_jet_file": NOT_GIVEN,
                },
            },
            {
                "required": ["resources_jet_file"],
                "properties": {
                    "resources": {"enum": [[], None]},
                    "resources_jet_file": {"not": NOT_GIVEN},
                },
            },
        ],
    }
