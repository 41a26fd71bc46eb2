# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Semaphores of calls that were given up: they stay taken while such a call goes on."""

from __future__ import annotations

import contextlib
import threading

import pytest
from ccm.engine.graph.graph import Graph
from ccm.engine.graph.order import GraphOrder
from ccm.engine.semaphores import require_free, require_free_of_types, taken_by_calls
from ccm.engine.transaction import run_transaction
from ccm.host.call_threads import Call, NotEnded
from ccm.host.given_up import calls_that_go_on
from ccm.model.errors import ResourceFailed
from ccm.model.meta import type_semaphore

from tests.patience import PATIENCE, wait_until

from .lamp_type import LampType, context, lamp


class HoldingCall(Call):
    """A call that has semaphores."""

    semaphores = {"one", "two", type_semaphore("package")}  # noqa: RUF012
    references = {"lamp#hall"}  # noqa: RUF012

    def __str__(self):
        return "status of slow"


@pytest.fixture
def going_on():
    """Call it for a call that was given up, and goes on until the end of the test."""
    end = threading.Event()

    def give_up():
        with pytest.raises(NotEnded):
            HoldingCall().make(lambda: end.wait(PATIENCE), 0.05)

    yield give_up
    end.set()
    wait_until(lambda: calls_that_go_on() == [])


def test_semaphores_of_calls_that_go_on_are_taken(going_on):
    going_on()
    assert (taken_by_calls("one", set()), taken_by_calls("three", set())) == (1, 0)
    require_free(["two:2", "three"])
    reason = "the semaphore one is taken: status of slow did not end within 0.05 seconds, and goes on"
    with pytest.raises(ResourceFailed, match=reason):
        require_free(["three", "one"])
    with pytest.raises(ResourceFailed, match="the semaphore package is taken: status of slow"):
        require_free_of_types(("package",))
    require_free_of_types(("one",))


def test_without_such_calls_all_are_free():
    assert taken_by_calls("one", set()) == 0
    require_free(["one"])
    require_free_of_types(("package",))


def test_a_resource_that_is_managed_again_counts_once(going_on):
    """When it is done its call still has the semaphore."""
    going_on()
    lamps = [lamp(name) for name in ("hall", "attic", "cellar")]
    order = GraphOrder(lamps, Graph(3), [["one"]] * 3, {"one": 2}, grouped=False, notifying=None)
    assert [order.start() for _place in range(3)] == [(0,), (1,), ()]
    order.finish([0])
    assert order.start() == ()
    order.finish([1])
    assert order.start() == (2,)


def test_a_semaphore_of_a_type_that_a_call_takes_meanwhile_is_not_had(going_on, monkeypatch):
    """Another thread has it at first, whose call is given up."""

    class Threads:
        @contextlib.contextmanager
        def exclusive(self, names):
            going_on()
            yield

    monkeypatch.setattr(LampType, "semaphores", ("package",))
    run_context = context()
    run_context.machine.threads = Threads()
    event = run_transaction(lamp("hall"), run_context)
    assert event.errors == [
        "the semaphore package is taken: status of slow did not end within 0.05 seconds, and goes on"
    ]
