# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that are watched, and when they are started again."""

from __future__ import annotations

import pytest
from ccm.engine.watching.program import Sources
from ccm.engine.watching.watches import Watches
from ccm.testing import RecordedLog


class Loop:
    """An event loop whose times do not come until `pass_time`."""

    def __init__(self):
        self.later = []

    def add_reader(self, fd, read):
        pass

    def remove_reader(self, fd):
        pass

    def before_waiting(self):
        pass

    def call_after(self, _seconds, call):
        self.later.append(call)

    def pass_time(self):
        later, self.later = self.later, []
        for call in later:
            call()


@pytest.fixture
def watches():
    loop = Loop()
    found = Watches(loop, lambda *_given: None, RecordedLog(), None)
    found.loop = loop
    yield found
    found.close()


@pytest.mark.starts_processes
def test_a_command_that_cannot_run_is_started_when_it_is_watched_anew(watches, tmp_path):
    program = tmp_path / "program"
    watches.add(7, Sources(command=str(program)))
    assert len(watches.degraded) == 1
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    assert watches.renew([8]) == set()
    assert len(watches.degraded) == 1
    assert watches.renew([7]) == set()
    assert watches.degraded == []


@pytest.mark.starts_processes
def test_a_command_that_cannot_run_has_one_next_start(watches, tmp_path):
    watches.add(7, Sources(command=str(tmp_path / "program")))
    for _time in range(3):
        watches.renew([7])
    watches.loop.pass_time()
    assert len(watches.loop.later) == 1
    watches.remove([7])
    watches.loop.pass_time()
    assert watches.loop.later == []
