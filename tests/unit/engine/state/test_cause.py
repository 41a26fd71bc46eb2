# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.engine.reached import converged, digest_of
from ccm.engine.state.cause import (
    DRIFT,
    MANIFEST,
    NEVER_CONVERGES,
    REFRESH,
    Causes,
    Change,
    cause_of,
    change_of,
    last_cause,
    outcome_of,
    readable_state,
    seen_digest,
    shows_changes,
    wanted_digest,
    with_outcome,
    without_outcome,
)
from ccm.model.resource import Resource, complete
from ccm.model.state import State
from ccm.resources.types import relations, resource_type

from tests.unit.engine.lamp_type import lamp

COMMAND = {"visible": False}


@pytest.mark.parametrize(
    ("last", "change", "cause"),
    [
        pytest.param(None, Change("w", "none", "a"), MANIFEST, id="new"),
        pytest.param(["v", "a"], Change("w", "a", "b"), MANIFEST, id="the manifest changed"),
        pytest.param(["v", "a"], Change("w", "x", "b"), MANIFEST, id="the manifest and the machine changed"),
        pytest.param(["w", "a"], Change("w", "x", "a"), DRIFT, id="the machine changed"),
        pytest.param(["w:1", "a"], Change("w:2", "a", "b"), MANIFEST, id="its source changed"),
        pytest.param(["w:1", "a"], Change("w:1", "x", "a"), DRIFT, id="its source did not change"),
        pytest.param(["w:1", "a"], Change("w", "x", ""), DRIFT, id="its source is not known"),
        pytest.param(["w", "a"], Change("w:1", "x", ""), DRIFT, id="its source was not known"),
        pytest.param(["w", "a"], Change("w", "a", "b"), MANIFEST, id="what is wanted comes from elsewhere"),
        pytest.param(["w", "a"], Change("w", "a", ""), MANIFEST, id="the same in noop"),
        pytest.param(["w", "a"], Change("w", "x", ""), DRIFT, id="drift in noop"),
        pytest.param(["w", "a", "none", MANIFEST], Change("w", "none", "a"), DRIFT, id="removed after run 1"),
        pytest.param(["w", "a", "x", DRIFT], Change("w", "x", "a"), DRIFT, id="the same drift again"),
        pytest.param(["w", "a", "y", DRIFT], Change("w", "x", "a"), DRIFT, id="another drift"),
        pytest.param(["w", "a", "x", NEVER_CONVERGES], Change("w", "x", "a"), NEVER_CONVERGES, id="undone by it"),
        pytest.param(["w", "a", "a", MANIFEST], Change("w", "a", "a", **COMMAND), NEVER_CONVERGES, id="no guard"),
        pytest.param(["w", "a", "a", MANIFEST], Change("w", "a", "", **COMMAND), NEVER_CONVERGES, id="in noop"),
        pytest.param(["w", "a"], Change("w", "a", "a", **COMMAND), DRIFT, id="a guard that had been met"),
        pytest.param(["w", "a", "failed"], Change("w", "x", "a"), DRIFT, id="it has failed"),
        pytest.param(["w", "a", "x", DRIFT, "skipped"], Change("w", "x", "a"), DRIFT, id="it was skipped"),
        pytest.param(["w", "a"], Change("w", "a", "a", is_refresh=True), REFRESH, id="only refreshed"),
        pytest.param(["v", "a"], Change("w", "a", "a", is_refresh=True), MANIFEST, id="refreshed with another command"),
    ],
)
def test_the_cause_of_a_change(last, change, cause):
    assert cause_of(change, last) == cause


@pytest.mark.parametrize(
    ("entry", "outcome", "cause"),
    [
        (["w", "r"], "", ""),
        (["w", "r", "failed"], "failed", ""),
        (["w", "r", "f", DRIFT], "", DRIFT),
        (["w", "r", "f", DRIFT, "skipped"], "skipped", DRIFT),
        ([], "", ""),
    ],
)
def test_the_outcome_and_the_cause_in_an_entry(entry, outcome, cause):
    assert (outcome_of(entry), last_cause(entry)) == (outcome, cause)
    if entry:
        assert with_outcome(entry, "failed") == [*without_outcome(entry), "failed"]
        assert without_outcome(with_outcome(entry, "failed")) == without_outcome(entry)


class Event:
    """An event of a lamp that was switched on."""

    failed = skipped = noop = False

    def __init__(self, resource, *, changed=True):
        self.resource = resource
        self.status = State(resource.properties.name, "on")
        self.status.changed = changed


class Attempt:
    """A try to bring a lamp to its state."""

    generation = 1

    def __init__(self, resource, provider=None):
        self.resource = resource
        self.provider = provider


def test_what_is_kept_leads_to_the_next_cause():
    resource = resource_of("exec", "ls")
    entries = {}
    causes = []
    for _run in range(3):
        run = Causes(entries.get)
        state = State("ls", "present")
        run.remember("exec#ls", resource, relations(resource.type), state)
        related = relations(resource.type)
        causes.append(run.changed("exec#ls", Attempt(resource), related, state, is_refresh=False))
        entries["exec#ls"] = run.take_entry("exec#ls", Event(resource), None)
    assert causes == [MANIFEST, NEVER_CONVERGES, NEVER_CONVERGES]


def test_the_entry_of_a_resource_that_did_not_change():
    hall = lamp("hall")
    run = Causes(lambda _key: None)
    assert run.take_entry("lamp#hall", Event(hall, changed=False), None) == (
        wanted_digest(hall),
        digest_of(converged(State("hall", "on"))),
    )
    assert run.found("lamp#hall") == ""
    for outcome in ("failed", "skipped", "noop"):
        event = Event(hall)
        setattr(event, outcome, True)
        assert run.take_entry("lamp#hall", event, None) == ()


def test_a_failed_change_that_shows_no_difference_changed_nothing():
    run, hall = Causes(lambda _key: None), lamp("hall")
    run.remember("lamp#hall", hall, None, State("hall", "off"))
    assert run.is_same("lamp#hall", hall, None, State("hall", "off"))
    assert not run.is_same("lamp#hall", hall, None, State("hall", "on"))
    assert not run.is_same("lamp#attic", lamp("attic"), None, State("attic", "off"))


class Provider:
    """Reads a lamp again, after the machine changed so often."""

    def __init__(self, ensure, generation):
        self.machine = self
        self.generation = generation
        self.ensure = ensure

    def status(self, properties):
        if not self.ensure:
            raise OSError
        return State(properties.name, self.ensure)


@pytest.mark.parametrize(
    ("ensure", "generation", "cause"),
    [("on", 2, DRIFT), ("off", 2, NEVER_CONVERGES), ("off", 1, DRIFT), ("", 2, DRIFT)],
    ids=["as it left it", "undone by the run itself", "nothing changed since", "it cannot be read"],
)
def test_what_drifted_is_read_again(ensure, generation, cause):
    hall = lamp("hall")
    reached = digest_of(converged(State("hall", "on")))
    run = Causes({"lamp#hall": (wanted_digest(hall), reached)}.get)
    run.remember("lamp#hall", hall, None, State("hall", "off"))
    attempt = Attempt(hall, Provider(ensure, generation))
    assert run.changed("lamp#hall", attempt, None, State("hall", "on"), is_refresh=False) == DRIFT
    assert run.read_drifted()
    assert run.take_entry("lamp#hall", Event(hall), None)[-1] == cause
    assert not run.read_drifted()


def resource_of(type, name, **given):
    found = resource_type(type)
    return Resource(found, found.made(complete(found, {"name": name, **given})))


FILE, EXEC = resource_of("file", "/a", content="x", mode="0644"), resource_of("exec", "ls")


def test_what_a_command_did_is_not_seen():
    shown = [shows_changes(relations(each.type)) for each in (FILE, EXEC, lamp("hall"))]
    assert shown == [True, False, True]
    on = State("hall", "on")
    assert seen_digest(lamp("hall"), None, on) == digest_of(converged(on))


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
    class Broken:
        def status(self, properties):
            if properties.name == "shorted":
                raise KeyError
            return State(properties.name, "on")

    assert readable_state(lamp("shorted"), Broken()) is None
    assert readable_state(lamp("hall"), Broken()).ensure == "on"
