# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a context has when it is not given."""

from __future__ import annotations

from ccm.host.machine import Machine
from ccm.model.log import Log
from ccm.model.run_context import RunContext


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
