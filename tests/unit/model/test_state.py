# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a resource as events show it."""

from __future__ import annotations

import pytest
from ccm.model.state import State


class DoorState(State):
    type = "door"


def test_common_fields_come_first_then_the_details_in_their_order():
    state = DoorState("front", "open", {"metadata": {"width": 1}, "exitcode": 3})
    state.observed_at = 1_500_000_000
    assert list(state.as_dict().items()) == [
        ("timestamp", "1970-01-01T00:00:01.5Z"),
        ("protocol", "io.choria.ccm.v1.resource.door.state"),
        ("type", "door"),
        ("name", "front"),
        ("ensure", "open"),
        ("changed", False),
        ("refreshed", False),
        ("stable", False),
        ("noop", False),
        ("metadata", {"width": 1}),
        ("exitcode", 3),
    ]


@pytest.mark.parametrize("message", ["", "Would have opened"])
def test_the_message_of_noop_is_shown_where_there_is_one(message):
    state = DoorState("front", "open")
    state.noop_message = message
    assert state.common().get("noop_message") == (message or None)


def test_a_state_without_details_has_no_metadata():
    first, second = DoorState("front", "open"), DoorState("back", "open")
    first.details["metadata"] = {"width": 1}
    assert (first.metadata, second.metadata) == ({"width": 1}, {})


def test_a_state_was_observed_when_it_was_made(monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: 42)
    assert DoorState("front", "open").observed_at == 42
