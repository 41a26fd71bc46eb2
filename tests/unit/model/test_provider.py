# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a provider has and does unless its class says otherwise."""

from __future__ import annotations

import pytest
from ccm.host.machine import Machine
from ccm.model.log import Log
from ccm.model.provider import Provider, ProviderContext, ProviderOptions, RunContext


class Switch(Provider):
    name = "switch"

    def __init__(self, context):
        super().__init__(context)
        self.called = []

    def status(self, properties):
        return ("status of", properties)

    def flip(self, properties, before):
        self.called.append((properties, before))


def test_a_provider_needs_status_and_nothing_else():
    class Empty(Provider):
        name = "empty"

    with pytest.raises(TypeError, match=r"abstract method '?status"):
        Empty(ProviderContext())
    switch = Switch(ProviderContext())
    assert switch.status_after("lamp", "before") == ("status of", "lamp")
    assert switch.differences("lamp", "state") == []
    assert switch.require_possible("flip", "lamp", "state") is None
    assert (Switch.manageable(dict, "lamp"), Switch.platform_families, Switch.differs_in_files) == (1, (), False)


def test_acting_calls_the_method_of_the_verb():
    switch = Switch(ProviderContext())
    switch.act("flip", "lamp", "off")
    assert switch.called == [("lamp", "off")]
    with pytest.raises(AttributeError):
        switch.act("flop", "lamp", "off")


def test_a_provider_has_the_machine_and_the_log_of_its_run():
    machine, log = Machine(), Log()
    switch = Switch(ProviderContext(machine=machine, user_log=log, siblings=["a"]))
    assert (switch.machine, switch.user_log, switch.siblings) == (machine, log, ["a"])


def test_limits_that_are_not_given_have_their_defaults():
    seconds = 1_000_000_000
    given = ProviderOptions({"download_tries": 9, "package_index": 5})
    assert (given.download_tries, given.package_index) == (9, 5)
    assert (given.lock_timeout, given.download_timeout, given.download_limit) == (300 * seconds, 60 * seconds, None)
    default = ProviderContext().options
    assert (default.download_tries, default.package_index) == (3, None)


class Counting(Log):
    waits = 0

    def before_waiting(self):
        self.waits += 1


def test_a_machine_of_its_own_writes_the_lines_of_users_before_it_waits():
    log, user_log = Counting(), Counting()
    RunContext(log=log, user_log=user_log).machine.before_waiting()
    assert (log.waits, user_log.waits) == (0, 1)


def test_a_machine_that_is_given_is_used():
    machine = Machine()
    assert RunContext(machine=machine).machine is machine
    assert RunContext().machine is not RunContext().machine


def test_without_logs_nothing_is_written():
    context = RunContext()
    context.log.info("x")
    context.user_log.info("x")
    assert (context.directory, context.environment) == ("", None)
