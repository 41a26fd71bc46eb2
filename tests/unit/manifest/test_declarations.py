# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Declarations with values of the wrong type are refused with a message that names resource and property."""

from __future__ import annotations

import pytest
from ccm.manifest.declarations import read_declarations
from ccm.model.errors import InvalidResource
from ccm.resources.types import resource_type


@pytest.mark.parametrize("text", ["++5", "+-5", "²", "+", "", "5.0", "9" * 30])
def test_text_that_is_not_an_integer_is_refused(text: str) -> None:
    with pytest.raises(InvalidResource, match=r"returns\.1 must be an integer, not text"):
        read_declarations(resource_type("exec"), [{"/bin/true": {"returns": [text]}}])


@pytest.mark.parametrize(("text", "number"), [("5", 5), ("+5", 5), ("-5", -5)])
def test_text_of_an_integer_is_accepted(text: str, number: int) -> None:
    [declaration] = read_declarations(resource_type("exec"), [{"/bin/true": {"returns": [text]}}])
    assert declaration.resource.properties.returns == [number]


def test_a_fraction_of_what_the_original_knows_is_cut_off() -> None:
    given = {"returns": [1.5], "health_checks": [{"command": "a", "tries": 2.5}]}
    [declaration] = read_declarations(resource_type("exec"), [{"/bin/true": given}])
    properties = declaration.resource.properties
    assert (properties.returns, properties.health_checks[0]["tries"]) == ([1], 2)


@pytest.mark.parametrize(
    "value", [[{"/tmp/x": {"contents": "x"}}], {"name": "/tmp/x", "contents": "x"}, [{"/tmp/x": {"content": []}}]]
)
def test_an_error_of_a_property_names_its_resource(value: object) -> None:
    with pytest.raises(InvalidResource) as refused:
        read_declarations(resource_type("file"), value)
    assert refused.value.resource == "file#/tmp/x"
    assert refused.value.property.startswith("content")
