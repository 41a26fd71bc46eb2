# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `ccm watch` at work on a manifest in a process of its own, and what it says and does."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

from tests.patience import LIMIT, PATIENCE, wait_until
from tests.unit.layout import CCM
from tests.unit.processes import is_in_loop, loop_sleeps_for

ROUNDS = int(os.environ.get("CCM_ROUNDS", "50"))
#: What is due later than that many ms is not waited for by `settle`.
SOON = 500


class Watching:
    """Watches `directory`/m.yaml, which `write` makes; within `with`."""

    def __init__(self, directory, me=("", "")):
        self.directory = directory
        self.owner = {"owner": me[0], "group": me[1], "mode": "0644"}
        self.process = None
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("CCM_", "NOTIFY_", "WATCHDOG_"))
            },
            "CCM_STATE": str(directory / "state"),
            "HOME": str(directory / "home"),
        }

    def file(self, name, content="text\n", **more):
        return {"file": [{str(self.directory / name): {"ensure": "present", "content": content, **self.owner, **more}}]}

    def exec(self, name, command, **more):
        return {"exec": [{name: {"command": command, **more}}]}

    def appending(self, name, log, **more):
        """Return a command that adds a line to a file."""
        return self.exec(name, f"sh -c 'echo {name} >> {self.directory / log}'", **more)

    def write(self, *resources, name="m.yaml", **ccm):
        text = json.dumps({"ccm": {"resources": list(resources), **ccm}})
        new = self.directory / f".{name}"
        new.write_text(text)
        new.rename(self.directory / name)

    @contextlib.contextmanager
    def started(self, *words, manifest="m.yaml"):
        """Start it with more arguments, and wait until it has run once; end it afterwards."""
        command = [*CCM, "watch", str(self.directory / manifest), *map(str, words)]
        with open(self.directory / "out", "w") as out:
            self.process = subprocess.Popen(
                command, cwd=self.directory, env=self.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )
        try:
            wait_until(lambda: self.process.poll() is not None or self.is_ready())
            yield self
        finally:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                try:
                    self.process.wait(PATIENCE)
                finally:
                    self.process.kill()
            self.process.wait()
        assert "Traceback" not in self.out(), self.out()

    def is_ready(self):
        """Return whether the first run is done."""
        return "Watching for changes" in self.out() and is_in_loop(self.proc)

    def settle(self):
        """Wait until all that happened up to now was looked at, and nothing is due soon."""
        wait_until(lambda: (self.sleeps_for() or 0) >= SOON)

    def rest(self):
        """Wait until nothing is due any more: what was reached is saved, and the status file is written."""
        wait_until(lambda: self.sleeps_for() == float("inf"))

    def sleeps_for(self):
        """Return for how many ms its loop sleeps if nothing happens, None while anything is done."""
        return loop_sleeps_for(self.proc)

    @property
    def proc(self):
        return pathlib.Path("/proc", str(self.process.pid))

    def out(self):
        return (self.directory / "out").read_text()

    def count(self, text):
        return self.out().count(text)

    def cpu_seconds(self):
        fields = (self.proc / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Return the resident memory in MiB."""
        lines = (self.proc / "status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) / 1024

    def descriptors(self):
        """Wait until it rests, and return what its descriptors are: while it works it has more."""
        self.rest()
        found = []
        for path in (self.proc / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found.append(os.readlink(path))
        return found

    def watches(self):
        """Wait until it rests, and return the number of directories that the kernel watches for it."""
        self.rest()
        count = 0
        for path in (self.proc / "fdinfo").iterdir():
            with contextlib.suppress(FileNotFoundError):
                count += path.read_text().count("inotify wd:")
        return count

    def children(self):
        """Return the number of processes that it has started, and that run."""
        return len((self.proc / "task" / str(self.process.pid) / "children").read_text().split())


def content(path, text="text\n"):
    return lambda: path.is_file() and path.read_text() == text


def rename_over(path):
    other = path.with_name("other")
    other.write_text("other")
    other.rename(path)


def checks_of(watching):
    """Return the number of checks of each resource, once they are known."""
    wait_until((watching.directory / "status").exists)
    status = json.loads((watching.directory / "status").read_text())
    return {each["resource"].rpartition("/")[2]: each["checks"] for each in status["resources"]}


def watching_command(watching, *words):
    return [*CCM, "watch", str(watching.directory / "m.yaml"), *words]


def status_of(folder):
    return json.loads((folder / "status").read_text())


def while_watching(ccm, *steps, words=(), manifest="m.yaml"):
    """Watch in this process; take steps, each of which ends when its text was printed; return what is printed.

    A step is a function and a text that it leads to.
    """
    out = sys.stdout

    def take_steps():
        try:
            wait_until(lambda: " runtime=" in out.getvalue())
            for act, text in steps:
                act()
                wait_until(lambda text=text: text in out.getvalue())
        except Exception as error:
            faults.append(error)
        finally:
            if not ended.is_set():
                signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)

    faults = []
    ended = threading.Event()
    thread = threading.Thread(target=take_steps)
    thread.start()
    done = ccm("watch", manifest, "--max-runtime", f"{LIMIT:.0f}s", *words)
    ended.set()
    thread.join()
    assert faults == [], [str(each) for each in faults]
    assert done.status == 0
    return done.out


def nothing():
    """Take no step but to wait for what is printed."""
