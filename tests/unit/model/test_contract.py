# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every resource type follows the contract: properties, verbs and states are as declared."""

from __future__ import annotations

import inspect

import pytest
from ccm.model.property import Property
from ccm.model.provider import Provider
from ccm.model.resource import Properties
from ccm.model.state import State
from ccm.resources.types import TYPE_NAMES, resource_type

from tests.unit.layout import entry_of

# What the code gets of a property, by its kind: every kind that a property of a type can have (model/decode.py).
KINDS = {
    "string": "str",
    "mode": "str",
    "boolean": "bool",
    "integer": "int",
    "strings": "list[str]",
    "integers": "list[int]",
    "string_map": "dict[str, str]",
    "string_maps": "list[dict[str, str]]",
    "data": "Data",
}
TYPED = [resource_type(name) for name in TYPE_NAMES]


@pytest.mark.parametrize("type", TYPED, ids=TYPE_NAMES)
def test_properties_have_their_declared_types(type):
    declared = {prop.name: annotation_of(prop) for prop in (*type.own_properties, *type.undo_properties)}
    assert issubclass(type.properties_class, Properties)
    place = f"annotations of {type.properties_class.__name__} in resources/{type.name}/type.py"
    # Types that download something share a class for the properties of that.
    known = {name: of for each in type.properties_class.__mro__ for name, of in inspect.get_annotations(each).items()}
    assert {name: known.get(name) for name in declared} == declared, place
    assert inspect.get_annotations(type.properties_class).keys() <= declared.keys(), place


def annotation_of(prop):
    known = entry_of(KINDS, prop.kind, f"KINDS in tests/unit/model/test_contract.py, for the property {prop.name}")
    words = " | str" if prop.kind == "boolean" and prop.choices else ""
    return known + words + (" | None" if prop.nullable else "")


def test_an_unknown_kind_of_property_is_named():
    with pytest.raises(AssertionError, match=r"nothing is known of 'colour': add it to KINDS in .* property tint"):
        annotation_of(Property("tint", "colour"))


@pytest.mark.parametrize("type", TYPED, ids=TYPE_NAMES)
def test_every_provider_has_a_method_for_each_verb(type):
    for name in type.provider_names:
        provider = type.provider(name)
        assert issubclass(provider, Provider)
        assert not provider.__abstractmethods__
        missing = [verb for verb in type.verbs if not callable(getattr(provider, verb, None))]
        assert missing == [], f"{name} has no method for these verbs of the type {type.name}"
        assert set(getattr(provider, "batch_verbs", ())) <= set(type.verbs), f"batch_verbs of {name}"


@pytest.mark.parametrize("type", TYPED, ids=TYPE_NAMES)
def test_states_are_named_after_their_type(type):
    states = [found for found in State.__subclasses__() if found.__module__ == type.__class__.__module__]
    assert [found.type for found in states] == [type.name], f"one State in resources/{type.name}/type.py, with its type"
