# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the threads of a run, and what ends them."""

from __future__ import annotations

import signal

import pytest
from ccm.host.command_errors import CommandError
from ccm.host.commands import run
from ccm.host.threads import Threads


@pytest.mark.starts_processes
def test_a_command_that_begins_while_the_others_are_ended_is_ended_too():
    threads = Threads()
    threads.signal_commands(signal.SIGTERM)
    with pytest.raises(CommandError, match="terminated"):
        run(["sleep", "1000"], threads=threads)


@pytest.mark.starts_processes
def test_a_command_that_must_not_be_ended_is_not():
    threads = Threads()
    threads.signal_commands(signal.SIGKILL)
    assert run(["true"], threads=threads, on_interruption=lambda: None).exit_code == 0
