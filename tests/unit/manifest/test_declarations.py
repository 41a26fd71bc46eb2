# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Declarations with values of the wrong type are refused with a message that names resource and property."""

from __future__ import annotations

import pytest
from ccm.manifest.declarations import read_declarations
from ccm.model.errors import InvalidResource
from ccm.resources.types import resource_type


@pytest.mark.parametrize(
    "value", [[{"/tmp/x": {"contents": "x"}}], {"name": "/tmp/x", "contents": "x"}, [{"/tmp/x": {"content": []}}]]
)
def test_an_error_of_a_property_names_its_resource(value: object) -> None:
    with pytest.raises(InvalidResource) as refused:
        read_declarations(resource_type("file"), value)
    assert refused.value.resource == "file#/tmp/x"
    assert refused.value.property.startswith("content")
