# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of this machine in a run, and the time of a thread."""

from __future__ import annotations

import threading
import time

import pytest
from ccm.host.command_errors import CommandTimedOut
from ccm.host.errors import HostError
from ccm.host.machine import Machine

from tests.patience import PATIENCE


class Known:
    pass


def test_what_is_known_is_one_object_in_a_run():
    machine = Machine()
    assert machine.known(Known) is machine.known(Known)
    assert machine.known(Known) is not Machine().known(Known)


def test_what_is_being_made_holds_up_nothing_else():
    """A class of a type of another package may take any time."""
    machine, begun, end = Machine(), threading.Event(), threading.Event()

    class Slow:
        def __init__(self):
            begun.set()
            end.wait(PATIENCE)

    thread = threading.Thread(target=lambda: machine.known(Slow))
    thread.start()
    begun.wait(PATIENCE)
    assert machine.lock.acquire(timeout=PATIENCE / 10)
    machine.lock.release()
    end.set()
    thread.join()


def test_no_command_starts_after_the_deadline(tmp_path):
    machine = Machine()
    machine.deadline = time.monotonic_ns() - 1
    with pytest.raises(HostError, match="no time is left"):
        machine.run(["touch", f"{tmp_path}/made"])
    assert not (tmp_path / "made").exists()


@pytest.mark.starts_processes
@pytest.mark.parametrize("timeout", [None, 0, 60_000_000_000])
def test_a_command_is_ended_at_the_deadline(timeout):
    machine = Machine()
    machine.deadline = time.monotonic_ns() + 100_000_000
    with pytest.raises(CommandTimedOut):
        machine.run(["sleep", "1000"], timeout=timeout)


@pytest.mark.starts_processes
def test_a_command_that_must_not_be_interrupted_is_waited_for():
    machine = Machine()
    machine.deadline = time.monotonic_ns() + 100_000_000
    assert machine.run(["sleep", "0.3"], on_interruption=lambda: None).exit_code == 0


def test_a_pause_ends_at_the_deadline():
    machine = Machine()
    machine.deadline = time.monotonic_ns() + 50_000_000
    with pytest.raises(HostError, match="no time is left"):
        machine.pause(1000)


def test_the_deadline_is_that_of_a_thread():
    machine = Machine()
    machine.deadline = time.monotonic_ns() + 3_600_000_000_000
    assert (machine.within(5), machine.within(10**15) < 10**15) == (5, True)
    found = []
    thread = threading.Thread(target=lambda: found.append(machine.deadline))
    thread.start()
    thread.join()
    assert found == [None]
