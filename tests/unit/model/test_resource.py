# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A resource and its type: properties, the order of checks, places of errors."""

from __future__ import annotations

import pytest
from ccm.model.errors import InvalidResource, Position
from ccm.model.facets import Relations
from ccm.model.property import Property
from ccm.model.resource import BASIC_PROPERTIES, Properties, Resource, ResourceType, complete, resource_of
from ccm.resources.types import resource_type

from tests.unit.engine.lamp_type import LAMP, LampType, lamp

FILE, EXEC = resource_type("file"), resource_type("exec")


class Dimmable(LampType):
    """A lamp with a level, and with a rule for it."""

    own_properties = (*LampType.own_properties, Property("level", "integer", default=5))
    takes_empty_ensure = False

    def validate_own(self, properties):
        if properties.level > 10:
            raise InvalidResource("too bright", property="level")


def test_a_type_without_a_decision_cannot_be_made():
    class Undecided(ResourceType):
        name = "undecided"

    with pytest.raises(TypeError, match=r"abstract methods '?decide'?, '?shortfall"):
        Undecided()


@pytest.mark.parametrize(("content", "answer"), [("x", True), (None, False)])
def test_content_determines_the_state_of_a_file(content, answer):
    given = {"name": "/x", "content": content, "owner": "root", "group": "root", "mode": "0644"}
    properties = Properties(complete(FILE, given))
    assert FILE.determines(properties) is answer
    for name in ("owner", "group", "mode"):
        assert FILE.determines(Properties(complete(FILE, {**given, name: None}))) is False


@pytest.mark.parametrize("answer", [True, False])
def test_the_relations_of_a_type_say_what_determines_its_state(answer):
    class Said(Relations):
        def determines(self, properties):
            return answer and properties.name == "hall"

    class Related(LampType):
        relations = Said()

    properties = Properties(complete(LAMP, {"name": "hall"}))
    assert Related().determines(properties) is answer
    assert not LAMP.determines(properties)


def test_the_properties_of_a_type_are_in_the_order_of_events():
    type = Dimmable()
    names = [prop.name for prop in type.properties]
    assert names[:4] == [prop.name for prop in BASIC_PROPERTIES] == ["name", "alias", "ensure", "provider"]
    assert names[-2:] == ["subscribe", "level"]
    assert [prop.name for prop in type.basic_properties] == [*names[:4], "subscribe", "level"]


@pytest.mark.parametrize(("type", "may"), [(EXEC, True), (FILE, False)])
def test_names_of_some_types_are_commands(type, may):
    assert type.properties[0].may_hold_secrets is may
    resource = Resource(type, Properties(complete(type, {"name": "/x --password=canary"})))
    assert ("canary" in resource.shown_name, "canary" in resource.reference) == (not may, not may)
    assert resource.reference == f"{type.name}#{resource.shown_name}"


def test_common_rules_come_before_those_of_the_type():
    type = Dimmable()
    for given, property in (({"require": ["x"]}, "require"), ({}, "level")):
        with pytest.raises(InvalidResource) as refused:
            type.validate(type.made(complete(type, {"name": "hall", "level": 11, **given})))
        assert refused.value.property == property


@pytest.mark.parametrize(
    ("type", "given", "ensure"),
    [
        (LAMP, {}, "on"),
        (LAMP, {"ensure": ""}, "on"),
        (LAMP, {"ensure": "off"}, "off"),
        (Dimmable(), {}, "on"),
        (Dimmable(), {"ensure": ""}, ""),
    ],
    ids=["none", "empty", "given", "none of another type", "empty in another type"],
)
def test_the_state_that_is_wanted_by_default(type, given, ensure):
    assert complete(type, {"name": "hall", **given})["ensure"] == ensure


def test_all_declared_properties_have_a_value_and_no_others():
    type = Dimmable()
    values = complete(type, {"name": "hall", "unknown": 1})
    assert list(values) == [prop.name for prop in type.properties]
    assert (values["level"], values["subscribe"], values["meta"]) == (5, [], None)
    assert list(complete(type, {"name": "hall"}, type.basic_properties)) == [
        "name", "alias", "ensure", "provider", "subscribe", "level",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("type", "shown"), [(EXEC, "curl -u me:REDACTED http://h/#x"), (FILE, "curl -u me:word http://h/#x")]
)
def test_a_reference_is_known_as_written_and_without_secrets(type, shown):
    resource = resource_of(type, {"name": "curl -u me:word http://h/#x", "alias": "got"})
    assert (resource.shown_name, resource.reference) == (shown, f"{type.name}#{shown}")
    assert resource.names == [resource.written, f"{type.name}#got"]
    assert resource.written == f"{type.name}#curl -u me:word http://h/#x"


def test_other_values_make_another_resource():
    resource = lamp("hall", alias="h")
    other = resource.with_properties({"alias": "k"})
    assert (resource.properties.alias, other.properties.alias, other.properties.name) == ("h", "k", "hall")
    assert other.declared is resource.declared
    assert resource.with_properties({}) is resource


class Document:
    """Has a position for each path, whose file is the path."""

    def nearest_position(self, path):
        return Position(".".join(map(str, path)), 1, 1)


def test_an_error_has_the_place_of_its_property():
    resource = Resource(LAMP, lamp("hall").properties, origin=Document())
    error = resource.placed(InvalidResource("x", property="control.if"))
    assert error.position.file == "control.if"
    nested = InvalidResource("x", property="files")
    nested.path = ("files", 0)
    assert resource.placed(nested).position.file == "files.0"
    known = InvalidResource("x", property="files", position=Position("m", 1, 1))
    assert resource.placed(known).position.file == "m"
    assert lamp("hall").placed(InvalidResource("x", property="files")).position is None
