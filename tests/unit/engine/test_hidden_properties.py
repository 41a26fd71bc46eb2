# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that have a sensitive value of another resource are shown nowhere."""

from __future__ import annotations

import pytest
from ccm.engine.hidden_properties import hiding
from ccm.model.event import Event
from ccm.model.property import CutInteger
from ccm.model.resource import Resource, complete
from ccm.model.sending import is_sensitive, received
from ccm.resources.types import resource_type

EXEC = resource_type("exec")


def resource(**given):
    return Resource(EXEC, EXEC.made(complete(EXEC, {"name": "ls", **given})))


def test_only_the_named_properties_are_secret():
    before = resource(command="canary", cwd="/x")
    found = hiding(before, ["command"], ["canary"])
    assert [prop.name for prop in found.declared if prop.secret] == ["command"]
    assert [prop.name for prop in before.declared if prop.secret] == []
    assert [prop.name for prop in found.declared] == [prop.name for prop in EXEC.properties]
    assert found.properties.command == "canary"


def test_events_show_neither_the_value_nor_what_is_sent():
    found = hiding(resource(command="canary"), ["command"], ["canary", "b"])
    event = Event("exec", "ls", "")
    event.resource = found
    assert event.as_dict()["properties"]["command"] == "REDACTED"
    assert is_sensitive(found.properties)
    assert received(found.properties) == (["command"], ["b", "canary"])


def test_what_meta_says_else_stays():
    (meta,) = (prop for prop in EXEC.properties if prop.name == "meta")
    given = {**{field.name: field.default_value() for field in meta.fields}, "retry": 3}
    assert hiding(resource(meta=given), ["cwd"]).properties.meta["retry"] == 3
    assert hiding(resource(), ["cwd"]).properties.meta["autoedge"] is True


@pytest.mark.parametrize("name", ["returns", "environment"])
def test_a_hidden_property_keeps_its_class_and_all_else(name):
    (before,) = (prop for prop in EXEC.properties if prop.name == name)
    (after,) = (prop for prop in hiding(resource(), [name]).declared if prop.name == name)
    assert after.__class__ is before.__class__
    assert isinstance(after, CutInteger) == (name == "returns")
    assert {**vars(after), "secret": False} == vars(before)
