# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of this machine in one run (architecture.md, Contract)."""

from __future__ import annotations

import _thread
from time import monotonic_ns, sleep

from .errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Sequence, TypeVar

    from .owners import Owners
    from .results import Result
    from .run_as import RunAs
    from .running_commands import RunningCommands
    from .threads import Threads

    Known = TypeVar("Known")


#: The names of the files in which the C library looks for users and groups.
_ACCOUNTS = ("passwd", "group", "nsswitch.conf")


class _OfThread(_thread._local):
    """What belongs to a thread: the end of its time, and the commands of the call that it makes.

    See `Machine.deadline`, and `call_threads.Call.commands`.
    """

    deadline: int | None = None
    commands: RunningCommands | None = None


OF_THREAD = _OfThread()


class KeptOpen:
    """What `Machine.known` returns, with a descriptor that is open until the run waits or ends."""

    def close(self) -> None:
        """Close it; it may be opened again."""
        raise NotImplementedError


class Machine:
    """This machine in one run: its owners of files, how often it may have changed, postponed steps.

    A front end makes one for each run and passes it on. Two runs share none, so neither uses the data of the other; the
    threads of one run share it. `generation` grows with each change; data of a smaller one may be outdated. `epoch` is
    another object after each change that may be of more than one path, and when the run waits, as others act then.
    A `postponed` step is done before the next command that may change the machine, or at the end of the run; `lock`
    guards it. `commands` is for front ends where Ctrl-C lets commands finish, `threads` for front ends that manage
    several resources at once.

    `before_waiting` writes what the front end has collected; see the method.
    """

    def __init__(self, before_waiting: Callable[[], None] | None = None) -> None:
        self._before_waiting = before_waiting
        self.generation = 0
        self.epoch = object()
        self._owners: Owners | None = None
        self.postponed: Callable[[], None] | None = None
        self.lock = _thread.RLock()
        self.commands: RunningCommands | None = None
        self.threads: Threads | None = None
        self._known: dict[type[Any], Any] = {}

    @property
    def owners(self) -> Owners:
        """Its users and groups."""
        if self._owners is None:
            from .owners import Owners

            self._owners = Owners(self)
        return self._owners

    def known(self, kind: type[Known]) -> Known:
        """Return the one object of a class in this run, in which providers keep what they know of the machine.

        Threads that change it at once must expect each other.
        """
        found: Known | None = self._known.get(kind)
        if found is None:
            # Not while the lock is held: a class of another package may take any time.
            made = kind()
            with self.lock:
                found = self._known.setdefault(kind, made)
        return found

    @property
    def deadline(self) -> int | None:
        """When all that this thread does must have ended, in ns of the monotonic clock; None for never."""
        return OF_THREAD.deadline

    @deadline.setter
    def deadline(self, deadline: int | None) -> None:
        OF_THREAD.deadline = deadline

    def time_left(self) -> int | None:
        """Return the ns until the deadline of this thread, None without one. Raises HostError when it has passed."""
        if self.deadline is None:
            return None
        left = self.deadline - monotonic_ns()
        if left <= 0:
            raise HostError("no time is left")
        return left

    def within(self, limit: int) -> int:
        """Return `limit`, in ns, or the remaining time of this thread if that is less. Raises as `time_left`."""
        left = self.time_left()
        return limit if left is None else min(limit, left)

    def record_change(self) -> None:
        """Record that the machine may have changed, so that providers read their data again."""
        record_acting(self, "")

    def before_waiting(self) -> None:
        """Let the front end write the lines that it has collected, before this thread waits for anything.

        Code that waits calls it first, where none of the other methods does: for another process or thread, the
        network, or a time.
        """
        close_kept_open(self)
        self.epoch = object()
        if self._before_waiting is not None:
            self._before_waiting()

    def pause(self, seconds: float) -> None:
        """Wait so long. Raises HostError at the deadline of this thread, if that comes first."""
        left = self.time_left()
        self.before_waiting()
        sleep(seconds if left is None else min(seconds, left / 1e9))
        self.time_left()

    def query(self, argv: Sequence[str], environment: Iterable[str] = ()) -> Result:
        """Run a command that changes nothing, without a shell, in PATH, LANG=C, LC_ALL=C and the given `NAME=value`.

        Raises HostError when it has no exit code, for example when it cannot be started.
        """
        from .queries import query

        self.before_waiting()
        return query(argv, environment)

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/",
        environment: Iterable[str] = (),
        timeout: int | None = None,
        path: str = "",
        on_interruption: Callable[[], None] | None = None,
        at_deadline: Callable[[int], int] | None = None,
        run_as: RunAs | None = None,
        stdin: bytes = b"",
    ) -> Result:
        """Run a command that may change the machine, without a shell, after the postponed steps; see `commands.run`.

        `environment` are `NAME=value`, added to PATH, LANG=C and LC_ALL=C; nothing else is inherited. `timeout` is in
        ns. At the deadline of this thread the command is ended. If it must not be interrupted, `at_deadline` is called
        instead. `stdin` is what it reads. Raises HostError when there is no exit code, and when no time is left.
        """
        from .commands import run

        left = self.time_left()
        if left is not None and (on_interruption is None or at_deadline):
            timeout = min(timeout, left) if timeout and timeout > 0 else left
        self.run_postponed()
        self.record_change()
        self.before_waiting()
        return run(
            argv,
            cwd=cwd,
            environment=environment,
            timeout=timeout,
            path=path,
            on_interruption=on_interruption,
            at_deadline=at_deadline,
            commands=self.commands,
            run_as=run_as,
            stdin=stdin,
        )

    def run_postponed(self) -> None:
        """Do the postponed steps."""
        with self.lock:
            action, self.postponed = self.postponed, None
            if action is not None:
                action()


def record_acting(machine: Machine, written: str) -> None:
    """Record that a resource acted, as `Machine.record_change` does; `written` is the only path that it changed, or "".

    A file with the name of a file of accounts may be this one, by another path.
    """
    with machine.lock:
        # What sees the new generation sees the new epoch too.
        if not written or written.rpartition("/")[2] in _ACCOUNTS:
            machine.epoch = object()
        machine.generation += 1


def end_run(machine: Machine) -> None:
    """Close all that is kept open, and do the postponed steps, for example systemd's reload of its unit files."""
    close_kept_open(machine)
    machine.run_postponed()


def close_kept_open(machine: Machine) -> None:
    """Close all that is open only because a run may need it again: its file systems could not be unmounted."""
    for found in tuple(machine._known.values()):
        if isinstance(found, KeptOpen):
            found.close()
