# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ccm, killed at a chosen step of its work, independent of the speed of the machine.

A step is a call that changes files or starts a program. CCM_KILLS is the number of kills of each test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from tests.unit.layout import CCM

KILLS = int(os.environ.get("CCM_KILLS", "20"))
# $1 is the number of the step before which it is killed, 0 for none; the arguments of ccm follow. The last line of
# standard error has the names of the steps.
COUNTED = """
import atexit, os, sys
from ccm.cli.main import main
last, steps = int(sys.argv.pop(1)), []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
NAMES = "chmod chown link mkdir posix_spawn remove rename rmdir symlink truncate utime"
CALLS = {"os." + name for name in NAMES.split()}

def count(event, arguments):
    if event in CALLS or event == "open" and arguments[2] & WRITING:
        steps.append(event)
        if len(steps) == last:
            os.kill(os.getpid(), 9)

atexit.register(lambda: print(*steps, file=sys.stderr))
sys.argv[0] = "ccm"
sys.dont_write_bytecode = True
sys.addaudithook(count)
sys.exit(main())
"""


def steps_of(words, **options):
    """Return the names of the steps of ccm with these arguments. Options are those of subprocess.run."""
    done = subprocess.run(_command(0, words), capture_output=True, text=True, check=True, **options)
    return done.stderr.splitlines()[-1].split()


def kill_before(step, words, **options):
    """Run ccm with these arguments and kill it before this step, counted from 1; it must reach the step."""
    assert was_killed_before(step, words, **options)


def was_killed_before(step, words, **options):
    """Do the same, and return whether it reached the step: runs with threads do not all take as many."""
    done = subprocess.run(_command(step, words), capture_output=True, check=False, **options)
    assert done.returncode in (-9, 0), done.stderr
    return done.returncode == -9


class KilledRun:
    """`ccm apply` of the manifest of a subclass, in `environment`, killed after some time or run to its end."""

    environment = None

    @property
    def words(self):
        return ["apply", str(self.manifest), "--no-report"]

    def start(self, stdout=subprocess.DEVNULL):
        return subprocess.Popen([*CCM, *self.words], env=self.environment, stdout=stdout, text=True)

    def kill_after(self, seconds):
        process = self.start()
        time.sleep(seconds)
        process.kill()
        process.wait()

    def last_line(self):
        """Return the last line of a run to its end, which must succeed."""
        command = [*CCM, *self.words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]


def _command(step, words):
    return [sys.executable, "-c", COUNTED, str(step), *words]
