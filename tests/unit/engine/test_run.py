# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The run of resources: an order says which may start, each event is complete before the next one starts."""

from __future__ import annotations

import pytest
from ccm.engine.run import Run, run_one
from ccm.engine.session import Session
from ccm.engine.transaction import run_transaction
from ccm.host.machine import Machine
from ccm.host.running_commands import RunningCommands
from ccm.testing import RecordedLog

from .lamp_type import LampProvider, context, lamp
from .recorder import Recorder


class Backwards:
    """Starts resources from the last one to the first, and notes what is finished."""

    def __init__(self, count):
        self.left = list(range(count))
        self.finished = []

    def start(self):
        return [self.left.pop()] if self.left else []

    def managed(self, resources, context):
        for resource in resources:
            yield run_transaction(resource, context)

    def finish(self, indexes):
        self.finished.append(list(indexes))


def names(events):
    return [event.name for event in events]


def test_a_resource_starts_when_its_event_is_asked_for():
    events = Run([lamp("a"), lamp("b")], context()).events()
    assert LampProvider.lit == {}
    assert next(events).name == "a"
    assert LampProvider.lit == {"a": True}
    assert names(events) == ["b"]


def test_the_order_says_which_starts_and_learns_which_are_done():
    order = Backwards(3)
    events = Run([lamp(name) for name in "abc"], context(), order).events()
    assert next(events).name == "c"
    assert order.finished == []
    assert names(events) == ["b", "a"]
    assert order.finished == [[2], [1], [0]]


def test_sinks_have_received_an_event_before_it_is_returned():
    recorder = Recorder()
    for count, event in enumerate(Run([lamp("a"), lamp("b")], context(sinks=(recorder,))).events(), 1):
        assert recorder.events[-1] is event
        assert len(recorder.events) == count


@pytest.mark.parametrize(("ends", "managed"), [(True, ["a", "shorted"]), (False, ["a", "shorted", "b", "c"])])
def test_a_failure_ends_the_run_on_request_and_the_rest_is_skipped(ends, managed):
    recorder, log = Recorder(), RecordedLog()
    run = Run([lamp(name) for name in ("a", "shorted", "b", "c")], context(sinks=(recorder,)))
    assert names(run.run(log, ends_at_failure=ends)) == managed
    assert log.messages == ["Terminating manifest execution due to failed resource"] * ends
    rest = run.skip_rest()
    assert names(rest) == ["b", "c"] * ends
    assert all(event.skipped and event.event_id and event.resource for event in rest)
    assert names(recorder.events) == [*managed, *names(rest)]


def test_an_interrupted_run_starts_nothing_more():
    machine = Machine()
    machine.commands = RunningCommands()

    class Interrupting(Recorder):
        def finished(self, event):
            super().finished(event)
            machine.commands.is_interrupted = True

    run = Run([lamp("a"), lamp("b")], context(sinks=(Interrupting(),), machine=machine))
    assert names(run.events()) == ["a"]
    assert run.is_ending
    assert names(run.skip_rest()) == ["b"]


def test_all_are_refreshed_on_request():
    found = list(Run([lamp("a"), lamp("b")], context(refresh=True)).events())
    assert [event.refreshed for event in found] == [True, True]
    assert run_one(lamp("a"), context(refresh=True)).refreshed
    assert not run_one(lamp("a"), context()).refreshed


@pytest.mark.parametrize("fails", [True, False])
def test_what_providers_postponed_is_done_at_the_end_whatever_happens(fails):
    class Full(Recorder):
        def finished(self, event):
            if fails:
                raise BrokenPipeError

    machine, done = Machine(), []
    machine.postponed = lambda: done.append(True)
    run = Run([lamp("a"), lamp("b")], context(sinks=(Full(),), machine=machine))
    if fails:
        with pytest.raises(BrokenPipeError):
            list(run.events())
        assert LampProvider.lit == {"a": True}
    else:
        assert names(run.events()) == ["a", "b"]
    assert done == [True]


def test_a_later_resource_sees_the_event_of_an_earlier_one_in_the_session():
    session = Session()
    run = Run([lamp("a"), lamp("b", subscribe=["lamp#a"])], context(session=session, sinks=(session,)))
    assert [event.refreshed for event in run.events()] == [False, True]
    (failed,) = Run([lamp("c", subscribe=["lamp#a"])], context(session=Session())).events()
    assert failed.errors == ["no events found for lamp#a"]
    assert failed.error_advice.startswith("name a resource that is managed earlier, or write order: graph")
