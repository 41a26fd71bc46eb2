# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running commands: never through a shell, in a small fixed environment, output kept (behaviour.md 2.7, Q2, Q3).

`os.posix_spawn` takes 0.6 ms whatever the size of this process; a fork takes 1.5 ms, with 100 MB in use 4.5;
`subprocess` costs 4 ms to import. As posix_spawn cannot change directory, this process goes there for the moment of the
spawn: nothing else in it may depend on relative names at that time.
"""

from __future__ import annotations

import os
import select
import time

from . import changes, postponed, signals
from .command_errors import CommandError, CommandTimedOut, killed, not_found, not_started
from .programs import PATH, find_program, is_program
from .results import Result
from .system_errors import errno_of, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Sequence

# Linux's numbers; the module `signal` costs 0.4 ms.
_SIGKILL = 9
_SIGPIPE = 13
_SIGXFSZ = 25

#: Bytes that are kept of stdout, and as many of stderr; so that a command without end does not take all memory.
MOST_PRINTED = 64 << 20
_CHUNK = 64 * 1024
_LONGEST_POLL_MS = 24 * 60 * 60 * 1000
_SHORTEST_PAUSE = 0.0001
_LONGEST_PAUSE = 0.02
# A killed process that hangs in the kernel (a dead NFS server) never goes; we do not wait for it.
_FAREWELL_NS = 2_000_000_000


def run(
    argv: Sequence[str],
    *,
    cwd: str = "/",
    environment: Iterable[str] = (),
    timeout: int | None = None,
    path: str = "",
    on_interruption: Callable[[], None] | None = None,
) -> Result:
    """Run a command to its end and return its exit code, whatever it is, and the first MOST_PRINTED of its output.

    `argv[0]` is looked up in `path` (directories between colons), or without it in this process's own PATH; `path` is
    also the command's PATH. An entry of `path` that is itself an executable file is the program. `environment` are
    `NAME=value` entries added to PATH, LANG=C and LC_ALL=C, the later of two winning; nothing else is inherited. An
    empty `cwd` is `/`. `timeout` is in nanoseconds; None, 0 and less are no limit. The command is recorded as a
    change, and what is owed is done before it; `asking` is for commands that only look.

    The command reads /dev/null and has a session of its own. It is done when its output is closed at every end and it
    has exited: like the original we wait for children that it leaves behind holding its output, unless the time is
    over. Then it is killed, and so is all that is still in its process group. The same happens when this process is
    interrupted, unless there is `on_interruption`: it is called, and the command is waited for, as one must that may
    not be broken off. A second interruption leaves the command to itself.

    Raises CommandError or one of its subclasses when there is no exit code.
    """
    if not argv or not argv[0]:
        raise CommandError("command not specified", argv)
    program = find_program(argv[0], path)
    if not program:
        raise not_found(argv)
    deadline = time.monotonic_ns() + timeout if timeout and timeout > 0 else None
    variables = _environment(environment, path, argv)
    postponed.settle()
    changes.record()
    held = signals.hold()  # until the command is known, and can be ended too
    try:
        pid, readers = _start(program, argv, cwd or "/", variables, held)
    except BaseException:
        signals.release(held)
        raise
    output: dict[int, list[bytes]] = {reader: [] for reader in readers}
    try:
        signals.release(held)
        status = _wait(pid, deadline) if _read_all(output, deadline) else None
    except ChildProcessError as error:  # whoever started us ignores SIGCHLD, and so nothing is kept to be waited for
        raise CommandError(f"wait: {reason_of(errno_of(error))}", argv, errno=errno_of(error)) from None
    except BaseException:
        if on_interruption is None:
            _kill(pid)
        else:
            on_interruption()
            if _read_all(output, deadline):
                _wait(pid, deadline)
        raise
    finally:
        for reader in readers:
            os.close(reader)
    stdout, stderr = (b"".join(output[reader]) for reader in readers)
    if status is None:
        _kill(pid)
        raise CommandTimedOut(argv, timeout or 0, stdout, stderr)
    return _result(status, argv, stdout, stderr)


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
    """UTF-8 whatever the locale of this process; undecodable bytes that Python smuggled into `text` come out again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise not_started(argv[0], error, argv) from None


def _start(
    program: str, argv: Sequence[str], cwd: str, environment: dict[bytes, bytes], mask: set[int]
) -> tuple[int, tuple[int, int]]:
    """Start the program; returns its process id and the descriptors that stdout and stderr can be read from.

    `mask` are the signals that the program is to hold back.
    """
    words = [_encoded(word, argv) for word in argv]
    ends: list[int] = []
    try:
        for _stream in range(2):
            ends.extend(_pipe())
        stdout, stdout_end, stderr, stderr_end = ends
        actions = (
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, stdout_end, 1),
            (os.POSIX_SPAWN_DUP2, stderr_end, 2),
        )
        with _Inside(cwd, argv):
            pid = _spawn(_encoded(program, argv), words, environment, actions, mask)
    except (OSError, ValueError) as error:
        _close(ends)
        raise not_started(program, error, argv) from None
    except BaseException:
        _close(ends)
        raise
    _close((stdout_end, stderr_end))
    return pid, (stdout, stderr)


def _spawn(
    program: bytes, words: list[bytes], environment: dict[bytes, bytes], actions: Sequence[tuple], mask: set[int]
) -> int:
    # Python itself ignores these two; a command expects to die of them.
    defaults = (_SIGPIPE, _SIGXFSZ)
    try:
        return os.posix_spawn(
            program, words, environment, file_actions=actions, setsid=True, setsigdef=defaults, setsigmask=mask
        )
    except NotImplementedError:  # documented of os.posix_spawn: no `setsid` before glibc 2.26, as on RHEL 7
        return os.posix_spawn(
            program, words, environment, file_actions=actions, setpgroup=0, setsigdef=defaults, setsigmask=mask
        )


class _Inside:
    """With this the process is in `cwd`, afterwards back where it was."""

    def __init__(self, cwd: str, argv: Sequence[str]) -> None:
        self.cwd = cwd
        self.argv = argv
        self.back = -1

    def __enter__(self) -> None:
        try:
            self.back = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except PermissionError:
            # Started by `sudo -u` or `become` in a directory that is closed to us. It could not be returned to, and no
            # relative name works there, so nothing is lost by staying away.
            self.back = -1
        try:
            os.chdir(self.cwd)
        except (OSError, ValueError) as error:
            self._close()
            raise not_started(self.cwd, error, self.argv, "chdir") from None

    def __exit__(self, *_: object) -> None:
        if self.back >= 0:
            try:
                os.fchdir(self.back)
            finally:
                self._close()

    def _close(self) -> None:
        if self.back >= 0:
            os.close(self.back)


def _pipe() -> tuple[int, int]:
    """A pipe above the standard descriptors, one of which may be closed in this process and so be free."""
    ends = os.pipe()
    if min(ends) > 2:
        return ends
    import fcntl

    reader, writer = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    _close(ends)
    return reader, writer


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _read_all(output: dict[int, list[bytes]], deadline: int | None) -> bool:
    """Read every descriptor to its end; False when the deadline (of the monotonic clock, in ns) came first."""
    poller = select.poll()
    room = dict.fromkeys(output, MOST_PRINTED)
    for reader in output:
        poller.register(reader, select.POLLIN)
    unfinished = len(output)
    while unfinished:
        poll_ms = None
        if deadline is not None:
            left = deadline - time.monotonic_ns()
            if left <= 0:
                return False
            poll_ms = min(-(-left // 1_000_000), _LONGEST_POLL_MS)
        for reader, _event in poller.poll(poll_ms):
            chunk = os.read(reader, _CHUNK)
            if not chunk:
                poller.unregister(reader)
                unfinished -= 1
            elif room[reader]:
                output[reader].append(chunk[: room[reader]])
                room[reader] -= len(output[reader][-1])
    return True


def _wait(pid: int, deadline: int | None) -> int | None:
    """The wait status of the process, or None when the deadline came first."""
    if deadline is None:
        return os.waitpid(pid, 0)[1]
    pause = _SHORTEST_PAUSE
    while True:
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            return status
        left = deadline - time.monotonic_ns()
        if left <= 0:
            return None
        time.sleep(min(pause, left / 1e9))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _kill(pid: int) -> None:
    """Kill the process, which has not been waited for, with all of its group, and wait for it a little."""
    try:
        os.killpg(pid, _SIGKILL)
        _wait(pid, time.monotonic_ns() + _FAREWELL_NS)
    except OSError:
        return  # all of it has gone already, or belongs to somebody else by now


def _result(status: int, argv: Sequence[str], stdout: bytes, stderr: bytes) -> Result:
    if os.WIFEXITED(status):
        return Result(os.WEXITSTATUS(status), stdout, stderr)
    raise killed(status, argv, stdout, stderr)
