# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions in properties: resolution, and names of fields in errors."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.manifest.templating import resolve_properties
from ccm.model.errors import TemplateError
from ccm.model.resource import Resource, complete
from ccm.resources.types import resource_type


def scaffold(**given):
    type = resource_type("scaffold")
    values = {"name": "/t", "ensure": "present", "source": "s", "engine": "go", **given}
    return Resource(type, type.made(complete(type, values)))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"source": "{{ 1 + }}"}, "Source"),
        ({"data": {"a": "{{ 1 + }}"}}, "Data[a]"),
        ({"data": {"{{ 1 + }}": 1}}, "Data key {{ 1 + }}"),
        ({"data": {"a": ["x", "{{ 1 + }}"]}}, "Data[a][1]"),
        ({"data": {"a": {"b": "{{ 1 + }}"}}}, "Data[a][b]"),
        ({"data": {"a": [{"b": "{{ 1 + }}"}]}}, "Data[a][0][b]"),
        ({"post": [{"*.go": "{{ 1 + }}"}]}, "Post[0][*.go]"),
    ],
)
def test_errors_name_the_field(given, field):
    with pytest.raises(TemplateError) as caught:
        resolve_properties(scaffold(**given), Environment({}, {}, {}))
    assert str(caught.value).startswith(f"resolving field {field}: expr compile error for '1 +'")


def test_resolution_returns_a_new_resource():
    given = scaffold(data={"{{ 'k' }}": ["{{ Data.x }}", {"deep": "{{ 1 + 1 }}"}], "gone": "{{ nil }}", "null": None})
    resolved = resolve_properties(given, Environment({}, {"x": [1]}, {}))
    assert resolved.properties.data == {"k": [[1], {"deep": 2}], "null": None}
    assert given.properties.data["gone"] == "{{ nil }}"
