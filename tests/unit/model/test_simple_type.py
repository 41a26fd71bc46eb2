# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of another package: what follows from its declaration alone."""

from __future__ import annotations

import pytest
from ccm.model.decision import NOTHING, Decision, Step
from ccm.model.errors import InvalidResource
from ccm.model.property import DEFERRED, Property
from ccm.model.provider import Provider
from ccm.model.resource import Properties, complete
from ccm.model.simple_type import SimpleType
from ccm.model.state import State


class First(Provider):
    name = "first"

    def status(self, properties):
        return State(properties.name, "open")


class Second(First):
    name = "second"


class Door(SimpleType):
    name = "door"
    contract = 1
    ensure_choices = ("open", "closed")
    providers = (First, Second)
    own_properties = (
        Property("colour", choices=("red", "green")),
        Property("mode", "mode"),
        Property("width", "integer", minimum=2, maximum=4),
        Property("key", secret=True, required=True, choices=("iron", "{{ x }}")),
        Property("lock", when=DEFERRED, choices=("old", "new")),
        Property("subscribe", "strings"),
    )

    def decide(self, state, properties, refresh):
        return NOTHING if state.ensure == properties.ensure else Decision(Step("oil"), Step("turn"))


DOOR = Door()


def door(**given):
    return DOOR.made(complete(DOOR, {"name": "front", "key": "iron", **given}))


def test_what_is_not_said_follows_from_the_declaration():
    assert (Door.properties_class, Door.default_ensure) == (Properties, "open")
    assert Door.provider_names == ("first", "second")
    assert DOOR.provider("second") is Second
    assert (Door.stable_after_change, Door.call_timeout) == (True, 600.0)


def test_a_default_that_is_said_wins():
    class Gate(Door):
        default_ensure = "closed"

    assert Gate.default_ensure == "closed"


@pytest.mark.parametrize(
    "given",
    [{}, {"colour": "red", "mode": "7777", "width": 2}, {"mode": "644", "width": 4}, {"lock": "{{ Data.lock }}"}],
)
def test_right_values(given):
    DOOR.validate(door(**given))


WRONG = [
    ({"ensure": "ajar"}, "invalid ensure value: must be one of open, closed", "ensure"),
    ({"key": ""}, "key must not be empty", "key"),
    ({"key": "canary"}, "key must be one of iron, {{ x }}", "key"),
    ({"colour": "blue"}, "colour must be one of red, green", "colour"),
    ({"colour": "{{ x }}"}, "colour must be one of red, green", "colour"),
    *(({"mode": mode}, "mode must be octal permissions like 0644", "mode") for mode in ("9", "10777", "u+x", "77")),
    ({"width": 1}, "width must be at least 2", "width"),
    ({"width": 5}, "width must be at most 4", "width"),
    ({"lock": "odd"}, "lock must be one of old, new", "lock"),
    ({"subscribe": ["front"]}, "invalid subscribe format front", "subscribe"),
]


@pytest.mark.parametrize(("given", "message", "property"), WRONG)
@pytest.mark.parametrize("check", [DOOR.validate, DOOR.validate_late], ids=["early", "late"])
def test_wrong_values(check, given, message, property):
    with pytest.raises(InvalidResource) as refused:
        check(door(**given))
    assert (refused.value.message, refused.value.property) == (message, property)
    assert refused.value.value != "canary"


def test_a_late_value_that_is_resolved_is_no_expression():
    with pytest.raises(InvalidResource, match=r"^lock must be one of old, new$"):
        DOOR.validate_late(door(lock="${ not resolved }"))


def test_the_shortfall_names_the_verbs_that_are_left():
    assert DOOR.shortfall(State("front", "closed"), door()) == "open: still to do: oil, turn"
    assert DOOR.shortfall(State("front", "open"), door()) == ""
