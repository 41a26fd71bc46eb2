# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a manifest when one of its resources changes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ccm.engine.state.manifest_changes import ManifestChanges, finished_events

from tests.unit.engine.lamp_type import lamp


def changes_of(*senders):
    declaring = SimpleNamespace(senders=frozenset(senders), may_receive=False, resources=[lamp("hall"), lamp("attic")])
    return ManifestChanges(SimpleNamespace(declaring=declaring))


@pytest.mark.parametrize(("senders", "wanted"), [((), False), (("lamp#attic",), False), (("lamp#hall",), True)])
def test_a_sender_is_a_resource_that_others_ask(senders, wanted):
    assert changes_of(*senders).is_asked_for(lamp("hall")) is wanted


def test_a_resource_without_reverse_has_no_declaration():
    assert changes_of().declared(lamp("hall")) is None


def test_events_without_a_resource_have_no_key():
    level = SimpleNamespace(key=lambda reference: f"apply#a > {reference}", changes=changes_of())
    events = [SimpleNamespace(resource=resource) for resource in (lamp("hall"), None, lamp("attic"))]
    found = finished_events(SimpleNamespace(finished=[(level, each) for each in events]))
    assert [(key, declared) for key, _event, declared in found] == [
        ("apply#a > lamp#hall", None),
        ("apply#a > lamp#attic", None),
    ]
