# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of a run that can be ended while they run."""

from __future__ import annotations

import contextlib
import signal
import threading

import pytest
from ccm.host.command_errors import CommandError, CommandKilled
from ccm.host.commands import run
from ccm.host.machine import Machine
from ccm.host.running_commands import RunningCommands

from tests.patience import wait_until
from tests.unit.manifest.runs import until


@pytest.mark.starts_processes
def test_a_command_that_begins_while_the_others_are_ended_is_ended_too():
    commands = RunningCommands()
    commands.signal(signal.SIGTERM)
    with pytest.raises(CommandError, match="terminated"):
        run(["sleep", "1000"], commands=commands)


@pytest.mark.starts_processes
def test_a_command_that_must_not_be_ended_is_not():
    commands = RunningCommands()
    commands.signal(signal.SIGKILL)
    assert run(["true"], commands=commands, on_interruption=lambda: None).exit_code == 0


@pytest.mark.starts_processes
def test_a_command_that_must_not_be_ended_is_waited_for(tmp_path):
    """As commands of package managers are, also after the third Ctrl-C."""
    machine, commands = Machine(), RunningCommands()
    machine.commands = commands
    script = f"touch {tmp_path}/$0.begun; {until(f'-e {tmp_path}/go')}; touch {tmp_path}/$0"

    def run(name, **options):
        with contextlib.suppress(CommandKilled):
            machine.run(["sh", "-c", script, name], **options)

    started = [
        threading.Thread(target=run, args=("kept",), kwargs={"on_interruption": lambda: None}),
        threading.Thread(target=run, args=("ended",)),
    ]
    for thread in started:
        thread.start()
    wait_until(lambda: (tmp_path / "kept.begun").exists() and (tmp_path / "ended.begun").exists())
    wait_until(lambda: len(commands._running) == 2)
    assert commands.must_be_waited_for
    commands.signal(signal.SIGKILL)
    started[1].join()
    (tmp_path / "go").touch()
    started[0].join()
    assert ((tmp_path / "kept").exists(), (tmp_path / "ended").exists()) == (True, False)
    assert not commands.must_be_waited_for
