# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of values, which only mypy reads, have the fields that are declared."""

from __future__ import annotations

import ast

import pytest
from ccm.model.common import common_properties
from ccm.model.sending import receiving
from ccm.resources.types import TYPE_NAMES, resource_type

from tests.unit.layout import PACKAGE, nodes

VALUES = PACKAGE / "model/values.py"
TYPES = {
    "string": "str",
    "boolean": "bool",
    "integer": "int",
    "number_or_template": "int | None",
    "strings": "list[str]",
    "string_map": "dict[str, str]",
    "data": "Data",
}


def fields_of(name):
    """Return the fields of a TypedDict with their types."""
    (found,) = (node for node in nodes(VALUES) if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.target.id: ast.unparse(node.annotation) for node in found.body if isinstance(node, ast.AnnAssign)}


def type_of(field):
    # A value of these kinds is None when it is not given; the default is used for those that have one.
    if field.kind == "object":
        return f"{field.name.capitalize()} | None"
    return TYPES[field.kind] + (" | None" if field.nullable else "")


@pytest.mark.parametrize(
    ("name", "property"), [("HealthCheck", "health_checks"), ("Registration", "register_when_stable")]
)
def test_the_fields_of_a_structured_property(name, property):
    (declared,) = (prop for prop in common_properties() if prop.name == property)
    assert fields_of(name) == {field.name: type_of(field) for field in declared.fields}


def test_meta_has_the_fields_of_all_types():
    declared = {}
    for each in TYPE_NAMES:
        (meta,) = (prop for prop in resource_type(each).properties if prop.name == "meta")
        declared.update({field.name: type_of(field) for field in meta.fields})
    assert fields_of("Meta") == declared


def test_send_has_its_declared_field_and_what_the_engine_notes():
    (meta,) = (prop for prop in common_properties() if prop.name == "meta")
    (send,) = (field for field in meta.fields if field.name == "send")
    noted = receiving(["content"], ["secret"])
    assert fields_of("Send") == {**{field.name: type_of(field) for field in send.fields}, "received": "Received"}
    assert set(fields_of("Send")) == set(noted)
    assert set(fields_of("Received")) == set(noted["received"])
