# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event of a resource: what its JSON has, what failed, and what is hidden."""

from __future__ import annotations

import os

import pytest
from ccm.engine.transaction import run_transaction
from ccm.model.clock import new_event_id
from ccm.model.errors import CCMError, Position
from ccm.model.event import Event

from tests.unit.engine.lamp_type import context, lamp


def test_the_event_has_the_keys_of_the_original_in_their_order():
    event = run_transaction(lamp("hall", alias="h"), context()).as_dict()
    assert list(event) == [
        "protocol", "event_id", "timestamp", "type", "provider", "name", "alias", "requested_ensure", "final_ensure",
        "duration", "properties", "status", "error", "changed", "refreshed", "failed", "skipped", "noop",
        "unmet_requirements",
    ]  # fmt: skip
    assert list(event["status"]) == [
        "timestamp", "protocol", "type", "name", "ensure", "changed", "refreshed", "stable", "noop",
    ]  # fmt: skip
    assert event["properties"] == {"name": "hall", "alias": "h", "ensure": "on"}
    assert event["status"]["protocol"] == "io.choria.ccm.v1.resource.lamp.state"


def event_of(**given):
    """Return an event of a run with some attributes."""
    event = Event("lamp", "hall", "", "on")
    event.resource = lamp("hall")
    for name, value in given.items():
        setattr(event, name, value)
    return event


def test_keys_that_only_some_events_have():
    assert {"alias", "noop_message", "health_check", "health_check_only", "error_position"}.isdisjoint(
        event_of().as_dict()
    )
    given = {"noop_message": "Would", "health_checks": [{"status": 0}], "health_check_only": True}
    expected = {"noop_message": "Would", "health_check": [{"status": 0}], "health_check_only": True, "status": None}
    assert expected.items() <= event_of(**given).as_dict().items()


def test_an_event_that_was_read_back_is_shown_as_it_was_written():
    event = Event("lamp", "hall", "")
    assert event.as_dict() == {}
    event.record = {"any": 1}
    assert event.as_dict() == {"any": 1}


def test_an_error_hides_secrets_and_keeps_its_cause():
    event, cause = event_of(), CCMError("x")
    event.fail("cannot fetch https://me:canary@host/x", cause)
    event.fail("again")
    assert event.failed
    assert event.errors == ["cannot fetch https://REDACTED@host/x", "again"]
    assert event.causes == [cause, None]


def test_the_position_is_of_the_first_error_in_a_document():
    event = event_of()
    event.fail("one", ValueError())
    assert (event.error_position, "error_position" in event.as_dict()) == ("", False)
    event.fail("two", CCMError("x", position=Position("m.yaml", 1, 2)))
    event.fail("three", CCMError("x", position=Position("m.yaml", 3, 4)))
    assert event.as_dict()["error_position"] == "m.yaml:1:2"


def test_the_advice_is_of_the_first_error_that_has_one_and_hides_secrets():
    event = event_of()
    event.fail("one", ValueError())
    assert event.error_advice == ""
    event.fail("two", CCMError("x", advice="see https://me:canary@host/x"))
    event.fail("three", CCMError("x", advice="other"))
    assert event.error_advice == "see https://REDACTED@host/x"


@pytest.mark.parametrize(
    ("given", "blocks"),
    [({}, False), ({"skipped": True}, False), ({"failed": True}, True), ({"unmet_requirements": ["lamp#x"]}, True)],
)
def test_what_requires_a_resource_is_not_managed_after_a_failure(given, blocks):
    assert event_of(**given).blocks_dependents is blocks


def test_a_finished_event_has_an_id_and_a_duration():
    event = event_of()
    event.finish(5)
    assert (event.duration, len(event.event_id)) == (5, 27)


def test_the_id_of_an_event_is_made_when_it_is_asked_for(monkeypatch):
    event, asked = event_of(), []
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: asked.append(count) or real(count))
    assert event.event_id == ""
    event.finish(5)
    assert asked == []
    later = new_event_id()
    assert event.event_id == event.event_id < later
    assert len(asked) == 2


def test_an_event_sorts_after_an_earlier_one_whether_ids_were_asked_for_or_not(monkeypatch):
    for asked in ((), (0,), (1,), (0, 1)):
        monkeypatch.setattr("time.time_ns", lambda: 1_700_000_000_000_000_000)
        events = [event_of(), event_of()]
        events[0].finish(1)
        monkeypatch.setattr("time.time_ns", lambda: 1_600_000_000_000_000_000)
        events[1].finish(1)
        before = [events[index].event_id for index in asked]
        events[1].sort_after(events[0])
        assert events[0].event_id < events[1].event_id, asked
        assert 0 not in asked or events[0].event_id == before[0]
