# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource through its transaction: the steps, their order, and the event."""

import pytest
from ccm.engine.around import Around, Stack
from ccm.engine.context import Context
from ccm.engine.event_log import outcome
from ccm.engine.transaction import run_transaction
from ccm.model.errors import ResourceFailed, TemplateError
from ccm.model.resource import Resource, complete
from ccm.resources.types import resource_type

from .lamp_type import LampProvider, LampType, context, lamp


def flags(event):
    return {name for name in ("changed", "refreshed", "failed", "skipped", "noop") if getattr(event, name)}


class Expressions:
    """An environment that evaluates expressions with a given function."""

    def __init__(self, evaluated):
        self.evaluated = evaluated

    def evaluate(self, expression, as_bool):
        return self.evaluated(expression)


def run(resource, run_context):
    event = run_transaction(resource, run_context)
    run_context.session.record(event)
    return event


def test_a_change_is_followed_by_a_stable_run():
    run_context = context()
    first, second = run(lamp("hall"), run_context), run(lamp("hall"), run_context)
    assert (flags(first), first.final_ensure, first.status.stable) == ({"changed"}, "on", True)
    assert (flags(second), second.final_ensure, second.status.stable) == (set(), "on", True)
    assert first.event_id < second.event_id


def test_noop_reports_the_change_and_changes_nothing():
    event = run(lamp("hall"), context(noop=True))
    assert flags(event) == {"changed", "noop"}
    assert event.noop_message == event.status.noop_message == "Would have switched on"
    assert (event.final_ensure, LampProvider.lit) == ("off", {})


def test_noop_of_a_converged_resource_has_no_message():
    run_context = context(noop=True)
    LampProvider.lit = {"hall": True}
    event = run(lamp("hall"), run_context)
    assert (flags(event), event.noop_message) == ({"noop"}, "")


@pytest.mark.parametrize("noop", [False, True])
def test_what_this_host_does_not_allow_fails_before_anything_is_done(monkeypatch, noop):
    def refuse(self, verb, properties, state):
        raise ResourceFailed(f"{verb} is not possible for a lamp that is {state.ensure}")

    monkeypatch.setattr(LampProvider, "require_possible", refuse)
    run_context = context(noop=noop)
    event = run(lamp("hall"), run_context)
    assert flags(event) == {"failed"}
    assert (event.errors, LampProvider.lit) == (["switch_on is not possible for a lamp that is off"], {})
    LampProvider.lit = {"hall": True}
    assert "failed" not in flags(run(lamp("hall"), run_context))


def test_a_resource_that_does_not_converge_fails_with_the_reason():
    event = run(lamp("broken"), context())
    assert flags(event) == {"failed"}
    assert event.errors == ["failed to reach desired state: on: lamp is off"]
    assert (event.status, event.final_ensure) == (None, "")


def test_a_failed_action_fails_with_its_own_message():
    assert run(lamp("shorted"), context()).errors == ["fuse blown"]


@pytest.mark.parametrize(
    ("control", "managed"),
    [
        ({"if": "", "unless": ""}, True),
        ({"if": "yes", "unless": ""}, True),
        ({"if": "no", "unless": ""}, False),
        ({"if": "", "unless": "yes"}, False),
        ({"if": "", "unless": "no"}, True),
        ({"if": "yes", "unless": "yes"}, False),
        ({"if": "yes", "unless": "no"}, True),
        ({"if": "no", "unless": "yes"}, False),
        ({"if": "no", "unless": "no"}, False),
    ],
)
def test_control(control, managed):
    event = run(lamp("hall", control=control), context(environment=Expressions(lambda text: text == "yes")))
    assert flags(event) == ({"changed"} if managed else {"skipped"})


def test_control_that_cannot_be_evaluated_fails_the_resource():
    def raise_error(expression):
        raise TemplateError("no such name")

    event = run(lamp("hall", control={"if": "x", "unless": ""}), context(environment=Expressions(raise_error)))
    assert (flags(event), event.errors) == ({"failed"}, ["no such name"])


class Resolving(Around):
    """Resolves late expressions by a function."""

    def __init__(self, function):
        self._function = function

    def resolve(self, resource, context, go):
        return self._function(go(resource, context))


def test_deferred_expressions_are_resolved_after_control_and_before_require():
    calls = []
    run_context = context(
        environment=Expressions(lambda text: calls.append("control") or True),
        stack=Stack([Resolving(lambda lamp: calls.append("deferred") or lamp)]),
    )
    event = run(lamp("hall", control={"if": "x", "unless": ""}, require=["lamp#nowhere"]), run_context)
    assert calls == ["control", "deferred"]
    assert event.errors == ["no events found for lamp#nowhere"]


def test_deferred_expressions_of_a_skipped_resource_are_not_resolved():
    def raise_error(_lamp):
        raise AssertionError("resolved")

    run_context = context(environment=Expressions(lambda text: False), stack=Stack([Resolving(raise_error)]))
    assert flags(run(lamp("hall", control={"if": "x", "unless": ""}), run_context)) == {"skipped"}


def test_require_is_met_by_resources_that_did_not_fail():
    run_context = context()
    run(lamp("porch", alias="outside"), run_context)
    assert flags(run(lamp("hall", require=["lamp#porch", "lamp#outside"]), run_context)) == {"changed"}


def test_all_unmet_requirements_are_named_and_block_the_next_resource():
    run_context = context()
    run(lamp("broken"), run_context)
    run(lamp("shorted"), run_context)
    middle = run(lamp("hall", require=["lamp#broken", "lamp#shorted"]), run_context)
    last = run(lamp("attic", require=["lamp#hall"]), run_context)
    assert (flags(middle), middle.unmet_requirements) == ({"skipped"}, ["lamp#broken", "lamp#shorted"])
    assert outcome(middle) == outcome(last) == "skipped due to unmet requirement"
    assert LampProvider.lit.get("hall") is None


def test_a_requirement_that_control_skipped_is_met():
    run_context = context(environment=Expressions(lambda text: False))
    run(lamp("porch", control={"if": "x", "unless": ""}), run_context)
    assert flags(run(lamp("hall", require=["lamp#porch"]), run_context)) == {"changed"}


def test_a_change_refreshes_its_subscribers_in_a_chain():
    run_context = context()
    run(lamp("porch"), run_context)
    second = run(lamp("hall", subscribe=["lamp#porch"]), run_context)
    third = run(lamp("attic", subscribe=["lamp#hall"]), run_context)
    assert flags(second) == flags(third) == {"changed", "refreshed"}
    assert outcome(second) == "refreshed"


def test_a_stable_resource_refreshes_none_and_a_missing_event_is_an_error():
    run_context = context()
    run(lamp("porch"), run_context)
    run(lamp("porch"), run_context)
    assert flags(run(lamp("hall", subscribe=["lamp#porch"]), run_context)) == {"changed"}
    assert run(lamp("hall", subscribe=["lamp#gone"]), run_context).errors == ["no events found for lamp#gone"]


def test_without_a_session_there_are_no_events():
    event = run_transaction(lamp("hall", require=["lamp#porch"]), Context())
    assert event.errors == ["no events found for lamp#porch"]


def test_a_refresh_can_be_requested():
    event = run_transaction(lamp("hall"), context(refresh=True))
    assert flags(event) == {"changed", "refreshed"}


class ManyProviders(LampType):
    provider_names = ("neon", "candle", "bulb")


MANY = ManyProviders()


@pytest.mark.parametrize(
    ("facts", "provider"),
    [({}, "bulb"), ({"host": {"info": {"platformFamily": "sign"}}}, "neon"), ({"wax": True}, "bulb")],
)
def test_equal_priorities_are_decided_by_family_then_by_name(facts, provider):
    assert run(lamp("hall", type=MANY), context(facts=lambda: facts)).provider == provider


def test_a_named_provider_must_be_manageable():
    assert run(lamp("hall", type=MANY, provider="candle"), context(facts=lambda: {"wax": 1})).provider == "candle"
    assert run(lamp("hall", type=MANY, provider="candle"), context()).errors == [
        "provider is not manageable: there is no wax"
    ]


def test_without_a_usable_provider_the_resource_fails():
    class UnavailableType(LampType):
        provider_names = ("candle",)

    assert run(lamp("hall", type=UnavailableType()), context()).errors == [
        "no suitable provider found: there is no wax"
    ]


def test_a_health_check_only_run_reads_no_state():
    event = run(lamp("shorted"), context(health_check_only=True))
    assert (flags(event), event.status, event.health_check_only) == (set(), None, True)


def test_an_apply_resource_fails_where_manifests_cannot_run():
    apply = resource_type("apply")
    event = run_transaction(Resource(apply, apply.made(complete(apply, {"name": "x.yaml"}))), Context())
    assert event.errors == ["manifests cannot be applied here"]
