# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ccm, killed at a chosen step of its work, independent of the speed of the machine.

A step is a call that changes files or starts a program. CCM_KILLS is the number of kills of each test: `make test` has
few, spread over the steps by a fixed seed; `make soak` has many, some of them after some time instead of at a step.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

from tests.unit.layout import CCM

KILLS = int(os.environ.get("CCM_KILLS", "8"))
#: Whether this is `make soak`.
ARE_MANY = KILLS > 20
# $1 is the number of the step before which it gets the signal $2, 0 for none; the arguments of ccm follow. The last
# line of standard error has the names of the steps.
COUNTED = """
import atexit, os, sys
from ccm.cli.main import main
last, number, steps = int(sys.argv.pop(1)), int(sys.argv.pop(1)), []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
NAMES = "chmod chown link mkdir posix_spawn remove rename rmdir symlink truncate utime"
CALLS = {"os." + name for name in NAMES.split()}

def count(event, arguments):
    if event in CALLS or event == "open" and arguments[2] & WRITING:
        steps.append(event)
        if len(steps) == last:
            os.kill(os.getpid(), number)

atexit.register(lambda: print(*steps, file=sys.stderr))
sys.argv[0] = "ccm"
sys.dont_write_bytecode = True
sys.addaudithook(count)
sys.exit(main())
"""


def spread(chance, count, first, last):
    """Return numbers of steps, from the first to the last one: one at random of each of `count` equal parts."""
    size = (last + 1 - first) / count
    return [first + int((part + chance.random()) * size) for part in range(count)]


def steps_of(words, **options):
    """Return the names of the steps of ccm with these arguments. Options as of subprocess.run."""
    done = subprocess.run(_command(0, words), capture_output=True, text=True, check=True, **options)
    return done.stderr.splitlines()[-1].split()


def steps_again(reset, words, **options):
    """Return the same of a run after another one, `reset` before each: only the first makes directories for state."""
    for _run in range(2):
        reset()
        steps = steps_of(words, **options)
    return steps


def kill_before(step, words, **options):
    """Run ccm with these arguments and kill it before this step, counted from 1; it must reach the step."""
    assert was_killed_before(step, words, **options)


def was_killed_before(step, words, **options):
    """Do the same, and return whether it reached the step: runs with threads do not all take as many."""
    status = status_after(step, signal.SIGKILL, words, **options)
    assert status in (-signal.SIGKILL, 0)
    return status != 0


def status_after(step, number, words, **options):
    """Run ccm with these arguments and give it a signal before this step; return its exit status."""
    return subprocess.run(_command(step, words, number), capture_output=True, check=False, **options).returncode


def signal_after(process, seconds, number):
    """Give a process a signal after some time, if it has not ended; return its exit status."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.send_signal(number)
    return process.wait()


class KilledRun:
    """`ccm apply` of the manifest of a subclass, in `environment`, killed after some time or run to its end."""

    environment = None

    @property
    def words(self):
        return ["apply", str(self.manifest), "--no-report"]

    def start(self, stdout=subprocess.DEVNULL):
        return subprocess.Popen([*CCM, *self.words], env=self.environment, stdout=stdout, text=True)

    def kill_after(self, seconds):
        signal_after(self.start(), seconds, signal.SIGKILL)

    def last_line(self):
        """Return the last line of a run to its end, which must succeed."""
        command = [*CCM, *self.words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]


def _command(step, words, number=signal.SIGKILL):
    return [sys.executable, "-c", COUNTED, str(step), str(int(number)), *words]
