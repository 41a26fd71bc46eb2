# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of resources by the events of a run, and of senders by the events of earlier steps."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ccm.engine.state.senders import SenderKeys

from tests.unit.engine.lamp_type import lamp


def event_of(name, number):
    resource = lamp(name)
    return SimpleNamespace(event_id=str(number), type="lamp", name=name, resource=resource)


class Level:
    """A manifest, below `prefix`, of which the resource `sender` is asked for its values."""

    def __init__(self, prefix, sender=""):
        self.key = lambda reference: prefix + reference
        self.changes = SimpleNamespace(is_asked_for=lambda resource: resource.properties.name == sender)


@pytest.fixture
def run():
    return SimpleNamespace(finished=[])


def test_an_event_has_the_key_of_its_manifest(run):
    keys = SenderKeys(run)
    first, second = event_of("hall", 1), event_of("hall", 2)
    run.finished.append((Level(""), first))
    assert keys.key(first) == "lamp#hall"
    run.finished.append((Level("apply#a > "), second))
    assert (keys.key(second), keys.key(first)) == ("apply#a > lamp#hall", "lamp#hall")
    assert keys.key(event_of("hall", 3)) == ""


def test_only_the_last_events_of_senders_are_remembered_in_the_next_step(run):
    keys = SenderKeys(run)
    former, sender, other = event_of("hall", 1), event_of("hall", 2), event_of("attic", 3)
    level = Level("", "hall")
    run.finished += [(level, former), (level, sender), (level, other)]
    keys.go_on()
    run.finished.clear()
    assert [keys.key(each) for each in (former, sender, other)] == ["", "lamp#hall", ""]
