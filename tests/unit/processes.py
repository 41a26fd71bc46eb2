# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What another process does, as /proc says."""

from __future__ import annotations

import contextlib
import pathlib


def state_of(path):
    """Return the letter of what a process or a thread does, "" when there is none: S sleeps, Z has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return (path / "stat").read_text().rpartition(")")[2].split()[0]
    return ""


def is_running(pid):
    """Return whether there is a process that has not ended."""
    return state_of(pathlib.Path("/proc", str(pid))) not in ("", "Z")


def is_asleep(pid):
    """Return whether all threads of a process wait for something: each command that it started is known to it."""
    return all(state_of(path) in ("S", "") for path in pathlib.Path("/proc", str(pid), "task").iterdir())


def loop_sleeps_for(proc):
    """Return for how many ms the loop of a `ccm watch` sleeps if nothing happens, None while anything is done.

    `proc` is its directory in /proc.
    """
    before = _sleep_of_main_thread(proc)
    others = (path for path in (proc / "task").iterdir() if path.name != proc.name)
    is_idle = all(map(_waits_for_a_thread, others))
    return before[1] if before and is_idle and before == _sleep_of_main_thread(proc) else None


def is_in_loop(proc):
    """Return whether the loop of a `ccm watch` sleeps; its other threads may work."""
    return _sleep_of_main_thread(proc) is not None


#: The numbers of epoll_wait or epoll_pwait, and of futex, on x86_64 and on aarch64.
_EPOLL_WAIT, _FUTEX = {"232", "281", "22"}, {"202", "98"}


def _sleep_of_main_thread(proc):
    """Return how often the main thread has slept, and for how many ms it does; None when it does not."""
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
    call = (proc / "syscall").read_text().split()
    if call[0] not in _EPOLL_WAIT or not status["State"].strip().startswith("S"):
        return None
    # The fourth argument, a signed int.
    given = int(call[4], 16) & 0xFFFFFFFF
    return int(status["voluntary_ctxt_switches"]), float("inf") if given == 0xFFFFFFFF else given


def _waits_for_a_thread(path):
    """Return whether a thread waits for another one, not for a command or a file; one that is gone does, too."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return (path / "syscall").read_text().split()[0] in _FUTEX
    return True
