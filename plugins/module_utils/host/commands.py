# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running commands: never through a shell, in a small fixed environment, output kept (behaviour.md 2.7, Q2, Q3)."""

from __future__ import annotations

import _thread
import errno
import os
import time
from signal import SIGKILL
from subprocess import DEVNULL, PIPE, Popen

from .command_errors import CommandError, CommandTimedOut, killed, not_found, not_started
from .command_output import Deadline, Output
from .errors import WrongCommand, errno_of, reason_of
from .programs import PATH, find_program, is_program
from .results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Sequence

    from .run_as import RunAs
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
) -> Result:
    """Run a command to its end and return its exit code, zero or not, and the first MOST_PRINTED of its output.

    `argv[0]` is searched in `path` (directories between colons), or without it in this process's own PATH; `path` is
    also the command's PATH. An entry of `path` that is itself an executable file is the program. `environment` are
    `NAME=value` entries added to PATH, LANG=C and LC_ALL=C, the later of two wins; nothing else is inherited. An empty
    `cwd` is `/`. `run_as` is the user that the command is, who enters `cwd`; None for this process's user. `timeout` is
    in nanoseconds; None, 0 and less are no limit. `Machine.run` is for commands of a run, `queries` for commands that
    change nothing.

    The command reads /dev/null and has a separate session. It is done when it has exited (Q90): then its output is read
    until its children have closed it too, for 2 s more and at most half of the time that is left; a child that writes
    later gets SIGPIPE. A command whose time is over before it has exited is killed with all processes that are still in
    its process group. The same happens when this process is interrupted, unless there is `on_interruption`: then that
    is called, and the command, which must not be interrupted, is waited for. A second interruption no longer waits for
    the command. `commands` can end it meanwhile.

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
    spawn = _Spawn(program, argv, cwd or "/", _environment(environment, path, argv), run_as)
    try:
        spawn.start()
        pid, readers = spawn.result()
        deadline.pid = pid
        if commands:
            commands.add(pid, on_interruption is None)
        output = Output(readers)
        status = spawn.wait(output, deadline, commands)
    except ChildProcessError as error:  # the parent ignores SIGCHLD, so no wait status is kept
        raise CommandError(f"wait: {reason_of(errno_of(error))}", argv, errno=errno_of(error)) from None
    except BaseException:
        if spawn.cancel() and not spawn.is_reaped:
            _end(spawn, on_interruption, deadline)
        raise
    finally:
        spawn.close()
    stdout, stderr = map(output.read_from, readers)
    if status is None:
        if commands:
            commands.remove(pid)
        _kill(pid)
        raise CommandTimedOut(argv, timeout or 0, stdout, stderr)
    return _result(status, argv, stdout, stderr)


def _end(spawn: _Spawn, on_interruption: Callable[[], None] | None, deadline: Deadline) -> None:
    """End a command that runs when this process is interrupted, or call `on_interruption` and wait for its own end."""
    pid, readers = spawn.result()
    if on_interruption is None:
        _kill(pid)
        return
    on_interruption()
    try:
        spawn.wait(Output(readers), deadline)
    except ChildProcessError:
        return  # it ended just before the interruption


class _Spawn:
    """A command that is started in a separate thread.

    A signal interrupts the main thread only. In the main thread, the start could be interrupted before the process id
    is known. `is_reaped` is true after its end was waited for: then another process may have its process id.
    """

    def __init__(
        self, program: str, argv: Sequence[str], cwd: str, environment: dict[bytes, bytes], run_as: RunAs | None
    ) -> None:
        if "\0" in cwd:
            raise not_started(cwd, ValueError(), argv, "chdir")
        self._program = program
        self._argv = argv
        self._cwd = cwd
        self._environment = environment
        self._run_as = run_as
        self._executable, self._words = _encoded(program, argv), [_encoded(word, argv) for word in argv]
        self._process: Popen[bytes] | None = None
        self._error: BaseException | None = None
        self.is_reaped = False
        # The thread waits for permission, and starts nothing when it is cancelled until then.
        self._is_let_go = self._is_cancelled = False
        self._go, self._done = _thread.allocate_lock(), _thread.allocate_lock()
        self._go.acquire()
        self._done.acquire()

    def start(self) -> None:
        """Begin to start it. Raises CommandNotStarted when no thread can be made."""

        def run() -> None:
            self._go.acquire()
            try:
                if self._is_cancelled:
                    return
                self._process = self._started()
            except BaseException as error:
                self._error = error
            finally:
                self._done.release()

        try:
            _thread.start_new_thread(run, ())
        except RuntimeError:
            raise not_started(self._program, OSError(errno.EAGAIN, ""), self._argv) from None
        self._is_let_go = True
        self._go.release()

    def _started(self) -> Popen[bytes]:
        if self._run_as is not None:
            from .run_as import start_as

            return start_as(self._run_as, self._executable, self._words, self._cwd, self._environment)
        return Popen(
            self._words,
            bufsize=0,
            executable=self._executable,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            cwd=self._cwd,
            env=self._environment,
            start_new_session=True,
        )

    def cancel(self) -> bool:
        """Cancel the start if it has not begun; return whether there is a process, or was."""
        self._is_cancelled = True
        if self._go.locked():
            self._go.release()
        if not self._is_let_go:
            return False
        with self._done:
            return self._process is not None

    def result(self) -> tuple[int, list[int]]:
        """Return its process id, and the descriptors to read its stdout and stderr from.

        Raises CommandNotStarted when there is none, and any other exception of the start.
        """
        with self._done:
            process, error = self._process, self._error
        if process is not None:
            return process.pid, [stream.fileno() for stream in (process.stdout, process.stderr) if stream]
        if isinstance(error, OSError) and isinstance(error.filename, str):  # the program's name would be bytes
            is_directory = error.filename == self._cwd
            raise not_started(error.filename, error, self._argv, "chdir" if is_directory else "open") from None
        if isinstance(error, (OSError, ValueError)):
            raise not_started(self._program, error, self._argv) from None
        raise error or not_found(self._argv)

    def wait(self, output: Output, deadline: Deadline, commands: RunningCommands | None = None) -> int | None:
        """Read its output, and return its wait status; None when the deadline came before it had exited.

        Raises ChildProcessError.
        """
        pid = self.result()[0]
        is_complete = _read_until_exit(pid, output, deadline)
        if not _has_exited(pid, deadline):
            return None
        if commands:
            commands.remove(pid)
        self.is_reaped = True
        status = os.waitpid(pid, 0)[1]
        if not is_complete:
            output.read(deadline.rest(_REST_NS))
        return status

    def close(self) -> None:
        """Close its open descriptors."""
        process = self._process
        if process is None:
            return
        process.returncode = 0  # waited for, or given up: Popen has nothing left to do
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()


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
    """Wait until the process exited, and keep its status; False when the time was over first."""
    pause = _SHORTEST_PAUSE
    while True:
        left = deadline.left()
        if left is None:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            return True
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return True
        if left <= 0:
            return False
        time.sleep(min(pause, left / 1e9))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _kill(pid: int) -> None:
    """Kill the process, which has not been waited for, with all of its group, and wait for it briefly."""
    try:
        os.killpg(pid, SIGKILL)
        if _has_exited(pid, Deadline(_FAREWELL_NS)):
            os.waitpid(pid, 0)
    except OSError:
        return  # the group has ended already, or now belongs to another user


def _result(status: int, argv: Sequence[str], stdout: bytes, stderr: bytes) -> Result:
    if os.WIFEXITED(status):
        return Result(os.WEXITSTATUS(status), stdout, stderr)
    raise killed(status, argv, stdout, stderr)
