# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Semaphores of calls that were given up: they stay taken while such a call goes on."""

from __future__ import annotations

import threading

import pytest
from ccm.engine.semaphores import require_free, require_free_of_types, taken_by_calls
from ccm.host.call_threads import Call, NotEnded
from ccm.host.given_up import calls_that_go_on
from ccm.model.errors import ResourceFailed
from ccm.model.meta import type_semaphore

from tests.patience import PATIENCE, wait_until


class HoldingCall(Call):
    """A call that has semaphores."""

    semaphores = {"one", "two", type_semaphore("package")}  # noqa: RUF012

    def __str__(self):
        return "status of slow"


@pytest.fixture
def going_on():
    """A call that was given up, and goes on."""
    end = threading.Event()
    call = HoldingCall()
    with pytest.raises(NotEnded):
        call.make(lambda: end.wait(PATIENCE), 0.05)
    yield call
    end.set()
    wait_until(lambda: calls_that_go_on() == [])


def test_semaphores_of_calls_that_go_on_are_taken(going_on):
    assert (taken_by_calls("one"), taken_by_calls("three")) == (1, 0)
    require_free(["two:2", "three"])
    reason = "the semaphore one is taken: status of slow did not end within 0.05 seconds, and goes on"
    with pytest.raises(ResourceFailed, match=reason):
        require_free(["three", "one"])
    with pytest.raises(ResourceFailed, match="the semaphore package is taken: status of slow"):
        require_free_of_types(("package",))
    require_free_of_types(("one",))


def test_without_such_calls_all_are_free():
    assert taken_by_calls("one") == 0
    require_free(["one"])
    require_free_of_types(("package",))
