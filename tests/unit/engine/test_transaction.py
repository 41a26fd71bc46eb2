# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource through its transaction: what happens, in which order, and what the event says."""

import pytest
from ccm.engine.context import Context
from ccm.engine.status_line import outcome
from ccm.engine.transaction import run_transaction
from ccm.model.errors import TemplateError
from ccm.model.resource import Resource, complete
from ccm.resources.types import resource_type

from .lamp_type import LampProvider, LampType, context, lamp


def flags(event):
    return {name for name in ("changed", "refreshed", "failed", "skipped", "noop") if getattr(event, name)}


class Expressions:
    """An environment that evaluates expressions with a function."""

    def __init__(self, evaluated):
        self.evaluated = evaluated

    def evaluate(self, expression, as_bool):
        return self.evaluated(expression)


def run(resource, run_context):
    event = run_transaction(resource, run_context)
    run_context.session.record(event)
    return event


def test_a_change_and_then_nothing():
    here = context()
    first, second = run(lamp("hall"), here), run(lamp("hall"), here)
    assert (flags(first), first.final_ensure, first.status.stable) == ({"changed"}, "on", True)
    assert (flags(second), second.final_ensure, second.status.stable) == (set(), "on", True)
    assert first.event_id < second.event_id


def test_noop_says_what_would_be_done_and_does_nothing():
    event = run(lamp("hall"), context(noop=True))
    assert flags(event) == {"changed", "noop"}
    assert event.noop_message == event.status.noop_message == "Would have switched on"
    assert (event.final_ensure, LampProvider.lit) == ("off", {})


def test_noop_of_what_is_right_has_no_message():
    here = context(noop=True)
    LampProvider.lit = {"hall": True}
    event = run(lamp("hall"), here)
    assert (flags(event), event.noop_message) == ({"noop"}, "")


def test_what_does_not_converge_fails_with_the_reason():
    event = run(lamp("broken"), context())
    assert flags(event) == {"failed"}
    assert event.errors == ["failed to reach desired state: on: lamp is off"]
    assert (event.status, event.final_ensure) == (None, "")


def test_what_cannot_be_done_fails_with_its_own_words():
    assert run(lamp("shorted"), context()).errors == ["fuse blown"]


class FaultyProvider(LampProvider):
    """Meets what nobody foresaw."""

    error: Exception = ValueError()

    def status(self, properties):
        raise self.error


class FaultyType(LampType):
    def provider(self, name):
        return FaultyProvider


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "", "/full"), "unexpected error: /full: no space left on device"),
        (OSError(28, ""), "unexpected error: no space left on device"),
        (ValueError("s3cret"), "unexpected ValueError in engine.transaction, line "),
        (OverflowError("s3cret"), "unexpected OverflowError in engine.transaction, line "),
        (RecursionError("s3cret"), "unexpected RecursionError in engine.transaction, line "),
        (MemoryError("s3cret"), "unexpected MemoryError in engine.transaction, line "),
        (TypeError("s3cret"), "unexpected TypeError in engine.transaction, line "),
        (AttributeError("s3cret"), "unexpected AttributeError in engine.transaction, line "),
        (KeyError("s3cret"), "unexpected KeyError in engine.transaction, line "),
    ],
)
def test_what_nobody_foresaw_fails_the_resource_and_not_the_run(error, text, monkeypatch):
    monkeypatch.setattr(FaultyProvider, "error", error)
    event = run_transaction(lamp("desk", type=FaultyType()), context())
    assert flags(event) == {"failed"}
    assert event.errors[0].startswith(text)
    assert "s3cret" not in event.errors[0]
    assert str(event.resource.reference) == "lamp#desk"


def test_a_door_that_is_shut_ends_the_run(monkeypatch):
    monkeypatch.setattr(FaultyProvider, "error", BrokenPipeError(32, ""))
    with pytest.raises(BrokenPipeError):
        run_transaction(lamp("desk", type=FaultyType()), context())


@pytest.mark.parametrize("error", [TypeError("s3cret"), OverflowError("s3cret")])
def test_what_nobody_foresaw_in_a_health_check_leaves_it_unknown(error):
    def stumble(check, resource, context):
        raise error

    check = dict.fromkeys(("command", "timeout", "try_sleep"), "")
    check |= {"goss_rules": {"file": {}}, "name": "h", "tries": 1, "format": "goss"}
    event = run_transaction(lamp("desk", health_checks=[check]), context(run_check=stumble))
    problem, status = event.errors
    assert problem == event.health_checks[0]["Output"]
    assert problem.startswith(f"health check h: unexpected {type(error).__name__}")
    assert status == 'health check status "UNKNOWN"'
    assert event.health_checks[0]["status"] == 3
    assert "s3cret" not in problem


def test_without_what_runs_health_checks_they_fail():
    check = {
        "command": "true",
        "goss_rules": None,
        "name": "h",
        "timeout": "",
        "tries": 1,
        "try_sleep": "",
        "format": "",
    }
    event = run_transaction(lamp("desk", health_checks=[check]), context())
    assert event.errors[0] == "health check h: nothing here runs health checks"


def test_without_what_resolves_expressions_control_fails():
    event = run_transaction(lamp("desk", control={"if": "true", "unless": ""}), context(environment=None))
    assert event.errors == ["nothing here resolves expressions"]


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


def test_a_control_that_cannot_be_evaluated_fails_the_resource():
    def refuse(expression):
        raise TemplateError("no such name")

    event = run(lamp("hall", control={"if": "x", "unless": ""}), context(environment=Expressions(refuse)))
    assert (flags(event), event.errors) == ({"failed"}, ["no such name"])


def test_deferred_expressions_wait_for_control_and_come_before_require():
    asked = []
    here = context(
        environment=Expressions(lambda text: asked.append("control") or True),
        resolve_deferred=lambda lamp: asked.append("deferred") or lamp,
    )
    event = run(lamp("hall", control={"if": "x", "unless": ""}, require=["lamp#nowhere"]), here)
    assert asked == ["control", "deferred"]
    assert event.errors == ["no events found for lamp#nowhere"]


def test_deferred_expressions_of_a_skipped_resource_are_left_alone():
    def refuse(_lamp):
        raise AssertionError("resolved")

    here = context(environment=Expressions(lambda text: False), resolve_deferred=refuse)
    assert flags(run(lamp("hall", control={"if": "x", "unless": ""}), here)) == {"skipped"}


def test_require_is_met_by_what_did_not_fail():
    here = context()
    run(lamp("porch", alias="outside"), here)
    assert flags(run(lamp("hall", require=["lamp#porch", "lamp#outside"]), here)) == {"changed"}


def test_unmet_requirements_are_all_named_and_block_the_next():
    here = context()
    run(lamp("broken"), here)
    run(lamp("shorted"), here)
    middle = run(lamp("hall", require=["lamp#broken", "lamp#shorted"]), here)
    last = run(lamp("attic", require=["lamp#hall"]), here)
    assert (flags(middle), middle.unmet_requirements) == ({"skipped"}, ["lamp#broken", "lamp#shorted"])
    assert outcome(middle) == outcome(last) == "skipped due to unmet requirement"
    assert LampProvider.lit.get("hall") is None


def test_a_requirement_that_control_skipped_is_met():
    here = context(environment=Expressions(lambda text: False))
    run(lamp("porch", control={"if": "x", "unless": ""}), here)
    assert flags(run(lamp("hall", require=["lamp#porch"]), here)) == {"changed"}


def test_a_change_refreshes_its_subscribers_and_they_theirs():
    here = context()
    run(lamp("porch"), here)
    second = run(lamp("hall", subscribe=["lamp#porch"]), here)
    third = run(lamp("attic", subscribe=["lamp#hall"]), here)
    assert flags(second) == flags(third) == {"changed", "refreshed"}
    assert outcome(second) == "refreshed"


def test_nothing_changed_refreshes_nobody_and_a_missing_event_is_a_failure():
    here = context()
    run(lamp("porch"), here)
    run(lamp("porch"), here)
    assert flags(run(lamp("hall", subscribe=["lamp#porch"]), here)) == {"changed"}
    assert run(lamp("hall", subscribe=["lamp#gone"]), here).errors == ["no events found for lamp#gone"]


def test_without_a_session_there_is_no_event_of_anything():
    event = run_transaction(lamp("hall", require=["lamp#porch"]), Context())
    assert event.errors == ["no events found for lamp#porch"]


def test_a_refresh_can_be_asked_for():
    event = run_transaction(lamp("hall"), context(), refresh=True)
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


def test_a_named_provider_must_be_able_to():
    assert run(lamp("hall", type=MANY, provider="candle"), context(facts=lambda: {"wax": 1})).provider == "candle"
    assert run(lamp("hall", type=MANY, provider="candle"), context()).errors == [
        "provider is not manageable: there is no wax"
    ]


def test_without_a_usable_provider_the_resource_fails():
    class Waxless(LampType):
        provider_names = ("candle",)

    assert run(lamp("hall", type=Waxless()), context()).errors == ["no suitable provider found: there is no wax"]


def test_only_checking_health_looks_at_nothing_else():
    event = run(lamp("shorted"), context(health_check_only=True))
    assert (flags(event), event.status, event.health_check_only) == (set(), None, True)


def test_the_event_has_the_keys_of_the_recordings_in_their_order():
    event = run(lamp("hall", alias="h"), context()).as_dict()
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


def test_where_no_manifest_can_be_run_an_apply_resource_fails():
    apply = resource_type("apply")
    event = run_transaction(Resource(apply, apply.made(complete(apply, {"name": "x.yaml"}))), Context())
    assert event.errors == ["manifests cannot be applied here"]
