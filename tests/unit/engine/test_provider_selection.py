# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""For a type with a default provider the engine does not compare providers; a comparison would choose the same."""

from __future__ import annotations

import pytest
from ccm.engine.context import Context
from ccm.engine.provider_selection import choose_provider
from ccm.model.resource import Properties, Resource, complete, resource_of
from ccm.resources.types import TYPE_NAMES, resource_type

from tests.unit.engine.lamp_type import LampType

TYPES = [found for found in map(resource_type, TYPE_NAMES) if found is not None and found.default_provider]


def test_some_types_have_a_default_provider():
    assert {"exec", "file"} <= {type.name for type in TYPES}


@pytest.mark.parametrize("type", TYPES, ids=lambda type: type.name)
def test_the_default_provider_is_the_provider_that_is_chosen(type):
    resource = Resource(type, Properties(complete(type, {"name": "/x"})))
    assert type.default_provider in type.provider_names
    assert choose_provider(resource, Context()).name == type.default_provider


def test_the_default_provider_is_looked_up_once_in_a_run():
    asked = []

    class Asked(LampType):
        default_provider = "bulb"

        def provider(self, name):
            asked.append(name)
            return super().provider(name)

    context, type = Context(), Asked()
    hall, attic, neon = (
        resource_of(type, {"name": name, "provider": provider})
        for name, provider in (("hall", ""), ("attic", "bulb"), ("sign", "neon"))
    )
    provider = context.provider_of(hall)
    assert context.provider_of(attic) is provider
    assert asked == ["bulb"]
    assert context.provider_of(neon).name == "neon"
    other = context.changed(noop=True).provider_of(hall)
    assert (type.provider("bulb"), other is provider) == (other.__class__, False)
