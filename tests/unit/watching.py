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

from tests.patience import PATIENCE, wait_until
from tests.unit.layout import CCM

#: What is due later than that many ms is not waited for by `settle`.
_SOON = 500
#: The numbers of epoll_wait or epoll_pwait, and of futex, on x86_64 and on aarch64.
_EPOLL_WAIT, _FUTEX = {"232", "281", "22"}, {"202", "98"}


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
        return "Watching for changes" in self.out() and self._sleep_of_loop() is not None

    def settle(self):
        """Wait until all that happened up to now was looked at, and nothing is due soon."""
        wait_until(lambda: (self.sleeps_for() or 0) >= _SOON)

    def rest(self):
        """Wait until nothing is due any more: what was reached is saved, and the status file is written."""
        wait_until(lambda: self.sleeps_for() == float("inf"))

    def sleeps_for(self):
        """Return for how many ms the event loop sleeps if nothing happens, None while anything is done."""
        before = self._sleep_of_loop()
        is_idle = all(self._waits_for_a_thread(number) for number in self._other_threads())
        return before[1] if before and is_idle and before == self._sleep_of_loop() else None

    def _sleep_of_loop(self):
        """Return how often the main thread has slept, and for how many ms it does; None when it does not."""
        status = dict(line.split(":", 1) for line in (self.proc / "status").read_text().splitlines())
        call = (self.proc / "syscall").read_text().split()
        if call[0] not in _EPOLL_WAIT or not status["State"].strip().startswith("S"):
            return None
        # The fourth argument, a signed int.
        given = int(call[4], 16) & 0xFFFFFFFF
        return int(status["voluntary_ctxt_switches"]), float("inf") if given == 0xFFFFFFFF else given

    def _other_threads(self):
        return [path.name for path in (self.proc / "task").iterdir() if path.name != str(self.process.pid)]

    def _waits_for_a_thread(self, number):
        """Return whether a thread waits for another one, not for a command or a file; one that is gone does, too."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            return (self.proc / "task" / number / "syscall").read_text().split()[0] in _FUTEX
        return True

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
        """Return what its descriptors are; one may be closed meanwhile."""
        found = []
        for path in (self.proc / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found.append(os.readlink(path))
        return found

    def watches(self):
        """Return the number of directories that the kernel watches for it."""
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
