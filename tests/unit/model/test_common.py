# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common properties: their rules hold for every type, and name the property at fault."""

from __future__ import annotations

import pytest
from ccm.model.common import common_properties
from ccm.model.errors import InvalidResource
from ccm.model.property import Property
from ccm.model.resource import complete
from ccm.resources.types import TYPE_NAMES, resource_type

TYPED = [resource_type(name) for name in TYPE_NAMES]
# All that each type requires; the value of `ensure` is its default.
GIVEN = {
    "archive": {"url": "http://h/a.tgz", "owner": "root", "group": "root"},
    "file": {"owner": "root", "group": "root", "mode": "0644"},
    "scaffold": {"source": "/s"},
}
ENTRY = {"cluster": "c", "service": "s", "protocol": "tcp", "address": "h", "port": 80, "priority": 1, "ttl": None}


def refused(type, **given):
    values = complete(type, {"name": "/x.tgz", **GIVEN.get(type.name, {}), **given})
    with pytest.raises(InvalidResource) as error:
        type.validate(type.made(values))
    return error.value


@pytest.mark.parametrize("type", TYPED, ids=TYPE_NAMES)
@pytest.mark.parametrize(
    ("given", "message", "property", "advice"),
    [
        ({"name": ""}, "name is required", "name", ""),
        ({"require": ["file#/a", "/b"]}, "invalid require properties", "require", "write TYPE#NAME in place of /b"),
        (
            {"register_when_stable": [ENTRY, {**ENTRY, "priority": 256}]},
            "invalid resource: registration is invalid: priority '256' must be between 1 and 255",
            "register_when_stable.priority",
            "",
        ),
    ],
)
def test_what_a_type_does_not_accept(type, given, message, property, advice):
    error = refused(type, **given)
    assert (error.message, error.property, error.advice) == (message, property, advice)


@pytest.mark.parametrize("type", TYPED, ids=TYPE_NAMES)
def test_a_missing_state_is_named_with_the_states_to_choose_from(type):
    values = {**complete(type, {"name": "/x.tgz", **GIVEN.get(type.name, {})}), "ensure": ""}
    with pytest.raises(InvalidResource) as error:
        type.validate(type.made(values))
    choices = f"one of {', '.join(type.ensure_choices)}" if type.ensure_choices else ""
    assert (error.value.message, error.value.property, error.value.advice) == ("ensure is required", "ensure", choices)


def test_a_wrong_requirement_is_the_value_of_the_error():
    assert refused(resource_type("exec"), require=["exec#a", "b"]).value == "b"


@pytest.mark.parametrize(("reversible", "more"), [(False, ["tint"]), (True, ["reverse", "tint"])])
def test_meta_has_the_fields_of_the_type_last(reversible, more):
    def fields(*given):
        (meta,) = (prop for prop in common_properties(*given) if prop.name == "meta")
        return [field.name for field in meta.fields]

    assert fields((Property("tint"),), reversible) == fields() + more


@pytest.mark.parametrize("type", TYPED, ids=TYPE_NAMES)
def test_every_type_has_the_common_properties(type):
    names = [prop.name for prop in type.properties]
    assert names[:4] == ["name", "alias", "ensure", "provider"]
    assert names[4:9] == ["health_checks", "require", "control", "register_when_stable", "meta"]
