# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run steps side by side: each in a clean environment, its output in one piece, all failures named at the end.

Needs nothing but Python: it runs before there is an environment.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import time
from typing import Callable, Iterator, Mapping, Sequence

from tests.patience import pause

from .environment import UMASK, number
from .repeating import COMMAND
from .signals import ENDING

ROOT = pathlib.Path(__file__).parents[2]
#: Seconds without a line after which the steps that run are named.
SILENCE = number("CCM_SILENCE", 10)
#: Seconds in which steps that are interrupted may clean up.
GRACE = 20.0
#: How many lines are shown of the output of a step that passed.
LAST_LINES = 15


@dataclasses.dataclass(frozen=True)
class Step:
    """One command of the tests.

    `name` identifies it, `about` is what it does. It starts when the steps `after` have passed. `processes` is the
    number of processes that it keeps busy; nothing runs beside a step `alone`. `answers` is a variable: the last line
    of the output is its value for the steps that start later. Where hosts boot, their tests do what `hosts_do`.
    """

    name: str
    about: str
    command: tuple[str, ...]
    variables: Mapping[str, str] = dataclasses.field(default_factory=dict)
    processes: int = 1
    alone: bool = False
    after: tuple[str, ...] = ()
    answers: str = ""
    needs_hosts: bool = False
    hosts_do: bool = False


@dataclasses.dataclass
class Result:
    """The end of a step: its exit status, None where it was left out for `reason`; seconds that passed, and of CPU."""

    step: Step
    status: int | None
    output: str = ""
    seconds: float = 0.0
    cpu: float = 0.0
    reason: str = ""


class Running:
    """A step whose process runs, with all that it starts in a process group of its own."""

    def __init__(self, step: Step, environ: Mapping[str, str]) -> None:
        self.step = step
        self.output = bytearray()
        self.begin = time.monotonic()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self.process = subprocess.Popen(
            step.command,
            cwd=ROOT,
            env={**environ, **step.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            umask=UMASK,
            process_group=0,
            preexec_fn=functools.partial(signal.pthread_sigmask, signal.SIG_SETMASK, mask - set(ENDING)),
        )
        assert self.process.stdout
        self.pipe = self.process.stdout

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def last_words(self) -> str:
        """The end of its last line, to show how far it is."""
        lines = self.output[-2000:].decode(errors="replace").split("\n")
        found = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return found[-40:].lstrip(".")

    def is_gone(self, sent: int = 0) -> bool:
        """Whether no process of the group is left; those that are left get the signal `sent`."""
        self.process.poll()
        try:
            os.killpg(self.process.pid, sent)
        except ProcessLookupError:
            return True
        return False

    def end(self) -> Result:
        """Wait for the process, whose output has ended."""
        _pid, status, used = os.wait4(self.process.pid, 0)
        code = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.pipe.close()
        output = self.output.decode(errors="replace")
        cpu = used.ru_utime + used.ru_stime
        return Result(self.step, 128 - code if code < 0 else code, output, self.seconds, cpu)


class Run:
    """All steps of one call, in the environment `environ`.

    `capacity` is the number of processes that they may keep busy together, `say` prints.
    """

    def __init__(
        self, steps: Sequence[Step], environ: Mapping[str, str], capacity: int, say: Callable[[bytes], None]
    ) -> None:
        self._waiting = list(steps)
        self._capacity = capacity
        self._say = say
        self._live = len(steps) == 1
        self._environ = dict(environ)
        self._running: dict[int, Running] = {}
        self._selector = selectors.DefaultSelector()
        self._heard = time.monotonic()
        self.results: dict[str, Result] = {}

    def all(self) -> list[Result]:
        """Run the steps and return what came of them, in the order in which they ended."""
        try:
            while self._waiting or self._running:
                for step in self._ready():
                    self._start(step)
                self._listen()
        except BaseException:
            interrupt(list(self._running.values()))
            raise
        return list(self.results.values())

    def _ready(self) -> Iterator[Step]:
        """Yield the steps that can start now, in their order; those that never can are left out.

        The first one for which there is no room keeps the later ones waiting: what takes longest comes first.
        """
        for step in list(self._waiting):
            before = [self.results.get(name) for name in step.after]
            if any(result is None for result in before):
                continue
            failed = [result.step.name for result in before if result and result.status != 0]
            obstacle = f"needs {failed[0]}" if failed else self._obstacle(step)
            if obstacle:
                self._waiting.remove(step)
                self._leave_out(step, obstacle, bool(failed))
            elif not self._running or self._has_room(step):
                self._waiting.remove(step)
                yield step
            else:
                return

    def _obstacle(self, step: Step) -> str:
        """Return why a step is left out on this machine; "" if it is not."""
        hosts = self._environ.get("CCM_HOSTS", "boot")
        if step.needs_hosts and hosts != "boot":
            return f"needs hosts: {hosts}"
        return "the tests on hosts do it" if step.hosts_do and self._environ.get("CCM_HOSTS") == "boot" else ""

    def _has_room(self, step: Step) -> bool:
        """Whether a step may run beside those that run."""
        beside = [running.step for running in self._running.values()]
        if step.alone or any(other.alone for other in beside):
            return False
        return sum(other.processes for other in beside) + step.processes <= self._capacity

    def _leave_out(self, step: Step, reason: str, is_failure: bool) -> None:
        self.results[step.name] = Result(step, None if is_failure else 0, reason=reason)
        self._tell(f"\nleft out: {step.about}: {reason}\n")

    def _start(self, step: Step) -> None:
        if self._live:
            self._tell(f"\n== {step.about}\n")
        # A signal must not come between the start of a step and the note of it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            running = Running(step, self._environ)
            self._running[running.pipe.fileno()] = running
            self._selector.register(running.pipe, selectors.EVENT_READ)
        except OSError as error:
            self._end(Result(step, 127, f"{self._reason(step.command[0], error)}\n"), live=False)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _reason(self, program: str, error: OSError) -> str:
        """Return why a program does not start."""
        found = shutil.which(program, path=self._environ.get("PATH"))
        if found and isinstance(error, FileNotFoundError):
            return f"{found}: what its first line names is not there; where it is in .venv: make clean"
        return f"{error.filename or program}: {error.strerror}"

    def _listen(self) -> None:
        """Take what the steps print, and note those that end; programs that they left may hold the output open."""
        closed = len(self._selector.get_map()) < len(self._running)
        for key, _events in self._selector.select(timeout=0.01 if closed else 1):
            running = self._running[key.fd]
            text = os.read(key.fd, 65536)
            if not text:  # as a rule it has ended, or does so at once
                self._selector.unregister(running.pipe)
                continue
            running.output += text
            if self._live:
                self._say(text)
                self._heard = time.monotonic()
        silent = set(self._running) - {key.fd for key, _events in self._selector.select(timeout=0)}
        for running in [self._running[fd] for fd in silent]:
            if has_ended(running.process.pid):
                self._ended(running)
        if self._running and time.monotonic() - self._heard >= SILENCE:
            self._tell("".join(map(still, self._running.values())))

    def _ended(self, running: Running) -> None:
        with contextlib.suppress(KeyError):  # it has closed its output
            self._selector.unregister(running.pipe)
        del self._running[running.pipe.fileno()]
        self._end(running.end(), self._live)

    def _end(self, result: Result, live: bool) -> None:
        self.results[result.step.name] = result
        if result.step.answers and result.status == 0:
            self._environ[result.step.answers] = result.output.strip().splitlines()[-1]
        self._tell(told(result, live))

    def _tell(self, text: str) -> None:
        self._say(text.encode())
        self._heard = time.monotonic()


def interrupt(steps: Sequence[Running]) -> None:
    """End steps as ^C does, and wait for it; kill the remaining processes after a time."""
    for sent, limit in ((signal.SIGINT, GRACE), (signal.SIGKILL, GRACE)):
        end = time.monotonic() + limit
        left = [step for step in steps if not step.is_gone(sent)]
        while left and time.monotonic() < end:
            pause()
            left = [step for step in left if not step.is_gone()]


def has_ended(pid: int) -> bool:
    """Whether a child has ended; its status can still be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def still(running: Running) -> str:
    return f"   still running: {running.step.about}, {running.seconds:.0f} s  {running.last_words()}".rstrip() + "\n"


def told(result: Result, live: bool) -> str:
    """What is printed at the end of a step: its output, unless it was printed while it ran."""
    failed = "FAILED after " if result.status else ""
    head = f"{'--' if live else '=='} {result.step.about}: {failed}{result.seconds:.0f} s, {result.cpu:.0f} s of CPU\n"
    if live:
        return head
    output = result.output if result.status else end_of(result.output)
    return f"\n{head}{output}" + ("" if output.endswith("\n") or not output else "\n")


def end_of(output: str) -> str:
    """The last lines of the output of a step that passed, without pytest's dots."""
    lines = [line for line in output.splitlines(keepends=True) if not re.match(r"^[.sxX]+( *\[ *\d+%\])?$", line)]
    return "".join(lines[-LAST_LINES:])


def repeats(result: Result, tool: str) -> list[str]:
    """The commands that repeat what failed in a step, with the tests that failed in it."""
    commands = COMMAND.findall(result.output)
    if commands and "pytest" in result.step.command:
        return commands
    return [f"{tool} {result.step.name}", *(f"  # {command}" for command in commands)]


def summary(results: Sequence[Result], tool: str, seconds: float) -> str:
    """All failures with the commands that repeat them, or that all passed."""
    failed = [result for result in results if result.status != 0]
    if not failed:
        return f"\nAll {len(results)} steps passed in {seconds:.0f} s.\n"
    lines = [f"\n{len(failed)} of {len(results)} steps failed, in {seconds:.0f} s. To repeat what failed:\n"]
    for result in failed:
        lines.append(f"  {result.step.about}{f' (left out: {result.reason})' if result.reason else ''}\n")
        lines += [f"      {command}\n" for command in repeats(result, tool)]
    return "".join(lines)
