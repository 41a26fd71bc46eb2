# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running commands: never through a shell, in a small fixed environment, output kept (behaviour.md 2.7, Q2, Q3)."""

from __future__ import annotations

import os
import time
from signal import SIGKILL
from subprocess import DEVNULL, Popen

from .command_errors import CommandError, CommandTimedOut, killed, not_found, not_started
from .command_output import Deadline, Output, is_readable
from .deferred_signals import DeferredSignals
from .descriptors import write_all
from .errors import WrongCommand, errno_of, reason_of
from .machine import OF_THREAD
from .programs import PATH, find_program, is_program
from .results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Sequence

    from .run_as import Executor, RunAs
    from .running_commands import RunningCommands

# Most commands end sooner; for a longer one a descriptor is opened that reports its exit.
_BRIEF_NS = 100_000_000
# How long the output of a command is still read after it has exited: a child may have it open for ever.
_REST_NS = 2_000_000_000
_SHORTEST_PAUSE = 0.0001
_LONGEST_PAUSE = 0.02
# A killed process that hangs in the kernel (a dead NFS server) never ends; do not wait for it.
_FAREWELL_NS = 2_000_000_000


def run(
    argv: Sequence[str],
    *,
    cwd: str = "/",
    environment: Iterable[str] = (),
    timeout: int | None = None,
    path: str = "",
    on_interruption: Callable[[], None] | None = None,
    at_deadline: Callable[[int], int] | None = None,
    commands: RunningCommands | None = None,
    run_as: RunAs | None = None,
    stdin: bytes = b"",
) -> Result:
    """Run a command to its end and return its exit code, zero or not, and the first MOST_PRINTED of its output.

    `argv[0]` is searched in `path` (directories between colons), or without it in this process's own PATH; `path` is
    also the command's PATH. An entry of `path` that is itself an executable file is the program. `environment` are
    `NAME=value` entries added to PATH, LANG=C and LC_ALL=C, the later of two wins; nothing else is inherited. An empty
    `cwd` is `/`. `run_as` is the user that the command is, who enters `cwd`; None for this process's user. `timeout` is
    in nanoseconds; None, 0 and less are no limit. `Machine.run` is for commands of a run, `queries` for commands that
    change nothing.

    The command reads `stdin` and has a separate session; with `run_as` it reads /dev/null. It is done when it has
    exited (Q90): then its output is read until its children have closed it too, for 2 s more and at most half of the
    time that is left; a child that writes later gets SIGPIPE. A command whose time is over before it has exited is
    killed with all processes that are still in its process group. The same happens when this process is interrupted,
    unless there is `on_interruption`: then that is called, and the command, which must not be interrupted, is waited
    for. A second interruption no longer waits for the command. `commands` can end it meanwhile.

    With `at_deadline` the command is not killed when the time is over: that is called with its process id, returns
    after how many ns it is to be called again, and the command is waited for.

    Raises CommandError or one of its subclasses when there is no exit code.
    """
    if isinstance(argv, str):
        raise WrongCommand
    if not argv or not argv[0]:
        raise CommandError("command not specified", argv)
    program = find_program(argv[0], path)
    if not program:
        raise not_found(argv)
    deadline = Deadline(timeout, at_deadline)
    all_commands = [known for known in (commands, OF_THREAD.commands) if known is not None]
    process = _Process(program, argv, cwd or "/", _environment(environment, path, argv), run_as, stdin)
    with DeferredSignals() as signals:
        try:
            process.start(signals)
            deadline.pid = process.pid
            for known in all_commands:
                known.add(process.pid, on_interruption is None)
            output = Output(process.readers)
            signals.admit()
            status = process.wait(output, deadline, all_commands)
            signals.defer()
            if status is None:
                for known in all_commands:
                    known.remove(process.pid)
                _kill(process, signals)
        except ChildProcessError as error:  # the parent ignores SIGCHLD, so no wait status is kept
            raise CommandError(f"wait: {reason_of(errno_of(error))}", argv, errno=errno_of(error)) from None
        except BaseException:
            if process.may_run:
                _end(process, on_interruption, deadline, signals)
            raise
        finally:
            process.close()
    stdout, stderr = map(output.read_from, process.readers)
    if status is None:
        raise CommandTimedOut(argv, timeout or 0, stdout, stderr)
    return _result(status, argv, stdout, stderr)


def _end(
    process: _Process, on_interruption: Callable[[], None] | None, deadline: Deadline, signals: DeferredSignals
) -> None:
    """End a command that runs when this process is interrupted, or call `on_interruption` and wait for its own end.

    It admits `signals` while it waits.
    """
    if on_interruption is None:
        _kill(process, signals)
        return
    on_interruption()
    signals.admit()
    try:
        process.wait(Output(process.readers), deadline)
    except ChildProcessError:
        return  # it ended just before the interruption
    finally:
        signals.defer()


class _Process:
    """A command, from its start to its end; `readers` are descriptors to read its stdout and stderr from.

    It `may_run` from its start until its end is waited for: then another process may have its `pid`.
    """

    def __init__(
        self,
        program: str,
        argv: Sequence[str],
        cwd: str,
        environment: dict[bytes, bytes],
        run_as: RunAs | None,
        stdin: bytes,
    ) -> None:
        if "\0" in cwd:
            raise not_started(cwd, ValueError(), argv, "chdir")
        self._program = program
        self._argv = argv
        self._cwd = cwd
        self._environment = environment
        self._stdin = stdin
        self._executable, self._words = _encoded(program, argv), [_encoded(word, argv) for word in argv]
        self._executor: Executor | None = None
        if run_as is not None:
            from .run_as import Executor

            self._executor = Executor(run_as, self._executable, self._words, cwd, environment)
        self._process: Popen[bytes] | None = None
        self.pid = 0
        self.may_run = False
        self.readers: list[int] = []

    def start(self, signals: DeferredSignals) -> None:
        """Start it, without `signals` until the process id is known. Raises CommandNotStarted."""
        try:
            self._process = self._started()
        except (OSError, ValueError) as error:
            raise self._not_started(error) from None
        self.pid = self._process.pid
        self.may_run = True
        if self._executor:
            signals.admit()
            failure = self._executor.error()
            signals.defer()
            if failure is not None:
                self.may_run = False
                self._process.wait()
                raise self._not_started(failure)

    def _started(self) -> Popen[bytes]:
        writers: list[int] = []
        try:
            for _descriptor in ("stdout", "stderr"):
                reader, writer = os.pipe()
                self.readers.append(reader)
                writers.append(writer)
            if self._executor:
                return self._executor.start(*writers)
            given = DEVNULL
            if self._stdin:
                given = os.memfd_create("stdin", os.MFD_CLOEXEC)
                writers.append(given)
                write_all(given, self._stdin, "standard input")
                os.lseek(given, 0, os.SEEK_SET)
            return Popen(
                self._words,
                executable=self._executable,
                stdin=given,
                stdout=writers[0],
                stderr=writers[1],
                cwd=self._cwd,
                env=self._environment,
                start_new_session=True,
            )
        finally:
            for writer in writers:
                os.close(writer)

    def _not_started(self, error: Exception) -> Exception:
        if isinstance(error, OSError) and isinstance(error.filename, str):  # the program's name would be bytes
            is_directory = error.filename == self._cwd
            return not_started(error.filename, error, self._argv, "chdir" if is_directory else "open")
        if isinstance(error, (OSError, ValueError)):
            return not_started(self._program, error, self._argv)
        return error

    def wait(self, output: Output, deadline: Deadline, all_commands: Sequence[RunningCommands] = ()) -> int | None:
        """Read its output, and return its wait status; None when the deadline came before it had exited.

        Raises ChildProcessError.
        """
        is_complete = _read_until_exit(self.pid, output, deadline)
        if not _has_exited(self.pid, deadline):
            return None
        for known in all_commands:
            known.remove(self.pid)
        self.may_run = False
        status = os.waitpid(self.pid, 0)[1]
        if not is_complete:
            output.read(deadline.rest(_REST_NS))
        return status

    def close(self) -> None:
        """Close its open descriptors."""
        if self._process is not None:
            self._process.returncode = 0  # waited for, or given up: Popen has nothing left to do
        if self._executor:
            self._executor.close()
        for reader in self.readers:
            os.close(reader)


def _environment(entries: Iterable[str], path: str, argv: Sequence[str]) -> dict[bytes, bytes]:
    directories = ":".join(entry for entry in path.split(":") if not is_program(entry))
    found = {b"PATH": _encoded(directories or PATH, argv), b"LANG": b"C", b"LC_ALL": b"C"}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals or not name:
            reason = "empty key" if equals else "missing '='"
            raise CommandError(f'invalid environment variable "{entry}": {reason}', argv)
        found[_encoded(name, argv)] = _encoded(value, argv)
    return found


def _encoded(text: str, argv: Sequence[str]) -> bytes:
    """Return UTF-8 in any locale of this process; bytes that Python could not decode in `text` are restored."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise not_started(argv[0], error, argv) from None


def _read_until_exit(pid: int, output: Output, deadline: Deadline) -> bool:
    """Read what a process writes until its output is closed, which returns True, it has exited, or the time is over.

    Raises ChildProcessError.
    """
    if output.read(deadline.earlier(_BRIEF_NS)):
        return True
    descriptor = _exit_descriptor(pid)
    if descriptor >= 0:
        try:
            return output.read(deadline, descriptor)
        finally:
            os.close(descriptor)
    while not _has_exited(pid, deadline.earlier(0)):
        left = deadline.left()
        if left is not None and left <= 0:
            return False
        if output.read(deadline.earlier(_BRIEF_NS)):
            return True
    return False


def _exit_descriptor(pid: int) -> int:
    """Return a descriptor that can be read when a process has exited; -1 where Python or the kernel has none."""
    descriptor_of = getattr(os, "pidfd_open", None)  # not in Python 3.8
    try:
        found: int = -1 if descriptor_of is None else descriptor_of(pid)
    except OSError:
        return -1
    return found


def _has_exited(pid: int, deadline: Deadline) -> bool:
    """Wait until the process exited, and keep its status; False when the time was over first.

    Raises ChildProcessError.
    """
    if deadline.left() is None:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return True
    if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        return True
    descriptor = _exit_descriptor(pid)
    if descriptor < 0:
        return _is_seen_to_exit(pid, deadline)
    try:
        return is_readable(descriptor, deadline)
    finally:
        os.close(descriptor)


def _is_seen_to_exit(pid: int, deadline: Deadline) -> bool:
    """Look for the exit again and again: Python 3.8 has nothing to wait for it until a time."""
    pause = _SHORTEST_PAUSE
    while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        left = deadline.left() or 0
        if left <= 0:
            return False
        time.sleep(min(pause, left / 1e9))
        pause = min(pause * 2, _LONGEST_PAUSE)
    return True


def _kill(process: _Process, signals: DeferredSignals) -> None:
    """Kill a process, which has not been waited for, with all of its group, and wait for it briefly.

    It admits `signals` while it waits.
    """
    pid = process.pid
    try:
        os.killpg(pid, SIGKILL)
        signals.admit()
        if _has_exited(pid, Deadline(_FAREWELL_NS)):
            process.may_run = False
            os.waitpid(pid, 0)
    except OSError:
        return  # the group has ended already, or now belongs to another user
    finally:
        signals.defer()


def _result(status: int, argv: Sequence[str], stdout: bytes, stderr: bytes) -> Result:
    if os.WIFEXITED(status):
        return Result(os.WEXITSTATUS(status), stdout, stderr)
    raise killed(status, argv, stdout, stderr)
