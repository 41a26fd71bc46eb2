# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which entries an event has published."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ccm.engine.registered import registered_by
from ccm.model.event import Event

ENTRY = {"cluster": "prod"}


def event(**fields):
    made = Event("lamp", "hall", "")
    made.resource = SimpleNamespace(properties=SimpleNamespace(register_when_stable=[ENTRY]))
    vars(made).update(fields)
    return made


@pytest.mark.parametrize("fields", [{}, {"changed": True}])
def test_a_resource_that_is_well_is_registered(fields):
    assert registered_by(event(**fields)) == [ENTRY]


@pytest.mark.parametrize("field", ["failed", "skipped", "noop", "health_check_only"])
def test_others_are_not(field):
    assert registered_by(event(**{field: True})) == []


def test_an_event_without_a_resource_has_none():
    assert registered_by(event(resource=None)) == []
