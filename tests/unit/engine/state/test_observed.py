# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of states that show changes, and digests of them."""

from __future__ import annotations

from ccm.engine.state.observed import change_of, readable_state, seen, shows_changes
from ccm.engine.state.reached import converged, digest_of
from ccm.model.resource import Resource, complete
from ccm.model.state import State
from ccm.resources.types import resource_type

from tests.unit.engine.lamp_type import lamp


def resource(type, name, **given):
    found = resource_type(type)
    return Resource(found, found.made(complete(found, {"name": name, **given})))


FILE, EXEC = resource("file", "/a", content="x", mode="0644"), resource("exec", "ls")


def test_what_a_command_did_is_not_seen():
    assert (shows_changes(FILE), shows_changes(EXEC), shows_changes(lamp("hall"))) == (True, False, True)
    assert seen(lamp("hall"), State("hall", "on")) == converged(State("hall", "on"))


def test_a_change_has_digests_of_what_was_wanted_found_and_reached():
    change = change_of(lamp("hall"), None, State("hall", "off"), State("hall", "on"))
    assert change.found == digest_of(converged(State("hall", "off")))
    assert change.reached == digest_of(converged(State("hall", "on")))
    assert change.wanted == digest_of(["on", "", []])
    assert (change.is_refresh, change.visible) == (False, True)
    known = change_of(lamp("hall"), None, State("hall", "off"), None, "ab", is_refresh=True)
    assert (known.found, known.reached, known.is_refresh) == ("ab", "", True)


def test_other_properties_are_another_wanted_state():
    state = State("hall", "off")
    names = [{}, {"subscribe": ["lamp#a"]}, {"provider": "bulb"}, {"ensure": "off"}]
    assert len({change_of(lamp("hall", **given), None, state, None).wanted for given in names}) == len(names)
    assert (
        change_of(lamp("hall", alias="h"), None, state, None).wanted
        == change_of(lamp("attic"), None, state, None).wanted
    )


def test_a_state_that_cannot_be_read_is_none():
    class Provider:
        def status(self, properties):
            if properties.name == "shorted":
                raise KeyError
            return State(properties.name, "on")

    assert readable_state(lamp("shorted"), Provider()) is None
    assert readable_state(lamp("hall"), Provider()).ensure == "on"
