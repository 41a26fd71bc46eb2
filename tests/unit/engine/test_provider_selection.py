# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""For a type with a default provider the engine does not compare providers; a comparison would choose the same."""

from __future__ import annotations

import pytest
from ccm.engine.context import Context
from ccm.engine.provider_selection import choose_provider
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.types import TYPE_NAMES, resource_type

TYPES = [found for found in map(resource_type, TYPE_NAMES) if found is not None and found.default_provider]


def test_some_types_have_a_default_provider():
    assert {"exec", "file"} <= {type.name for type in TYPES}


@pytest.mark.parametrize("type", TYPES, ids=lambda type: type.name)
def test_the_default_provider_is_the_provider_that_is_chosen(type):
    resource = Resource(type, Properties(complete(type, {"name": "/x"})))
    assert type.default_provider in type.provider_names
    assert choose_provider(resource, Context()).name == type.default_provider
