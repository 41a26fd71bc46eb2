# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides whether a resource is managed, and whether it is refreshed: control, requirements, subscriptions."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.engine.conditions import any_changed, expected_in_noop, is_managed, unmet, would_have_changed
from ccm.engine.context import Context
from ccm.engine.session import Session
from ccm.model.clock import new_event_id
from ccm.model.errors import NotThereYet, ResourceFailed, TemplateError
from ccm.model.event import Event
from ccm.model.state import State

from tests.unit.engine.lamp_type import lamp
from tests.unit.manifest.runs import loaded


def event(name, **results):
    made = Event("lamp", name, "")
    for name, value in results.items():
        setattr(made, name, value)
    return made


def session_with(*events):
    session = Session()
    for each in events:
        each.event_id = new_event_id()
        session.record(each)
    return session


@pytest.mark.parametrize(
    ("control", "managed"),
    [
        ({"if": "", "unless": ""}, True),
        ({"if": "yes", "unless": ""}, True),
        ({"if": "no", "unless": ""}, False),
        ({"if": "", "unless": "yes"}, False),
        ({"if": "yes", "unless": "no"}, True),
        ({"if": "yes", "unless": "yes"}, False),
    ],
)
def test_expressions_of_control(control, managed):
    environment = Environment({}, {}, {})
    words = {"yes": "1 == 1", "no": "1 == 2", "": ""}
    given = {key: words[value] for key, value in control.items()}
    assert is_managed(lamp("hall"), given, Context(environment=environment)) is managed


def test_an_expression_of_control_that_fails_has_its_place():
    resource = loaded("- exec: {name: ls, control: {unless: '1 +'}}").resources[0]
    with pytest.raises(TemplateError) as failed:
        is_managed(resource, resource.properties.control, Context(environment=Environment({}, {}, {})))
    assert (failed.value.property, str(failed.value.position)) == ("control.unless", "m.yaml:3:42")


def test_requirements_that_failed_or_were_skipped_for_theirs():
    events = (event("good"), event("bad", failed=True), event("late", unmet_requirements=["lamp#bad"]))
    events += (event("off", skipped=True), event("pass --password=canary", failed=True))
    context = Context(session_with(*events))
    references = [f"lamp#{each.name}" for each in events]
    assert list(unmet(references, context)) == ["lamp#bad", "lamp#late", "lamp#pass --password=REDACTED"]
    with pytest.raises(ResourceFailed, match=r"^no events found for lamp#gone$"):
        list(unmet(["lamp#good", "lamp#gone"], context))


@pytest.mark.parametrize(
    ("run_in_noop", "changed", "in_noop", "counts"),
    [
        (False, True, False, True),
        (False, False, False, False),
        (False, True, True, False),
        (True, True, True, True),
        (True, False, True, False),
    ],
)
def test_a_change_that_was_only_reported_counts_in_noop_only(run_in_noop, changed, in_noop, counts):
    context = Context(session_with(event("a"), event("b", changed=changed, noop=in_noop)), noop=run_in_noop)
    assert any_changed(["lamp#a", "lamp#b"], context) is counts


@pytest.mark.parametrize(
    ("noop", "events", "expected"),
    [
        (True, [event("a", changed=True, noop=True)], True),
        (True, [event("a", changed=True)], False),
        (True, [event("a", noop=True)], False),
        (False, [event("a", changed=True, noop=True)], False),
    ],
)
def test_what_an_earlier_resource_would_make_is_expected_in_noop(noop, events, expected):
    context, error = Context(session_with(*events), noop=noop), NotThereYet("no such file")
    error.expected = State("x", "present")
    if expected:
        assert expected_in_noop(error, context) is error.expected
    else:
        with pytest.raises(NotThereYet):
            expected_in_noop(error, context)


def test_without_a_session_nothing_happened_before():
    assert not would_have_changed(Context())
    with pytest.raises(ResourceFailed):
        any_changed(["lamp#a"], Context())
