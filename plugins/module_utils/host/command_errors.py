# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a command gave no exit code."""

from __future__ import annotations

import os
import signal

from .errors import HostError, errno_of, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

_NAMED_SIGNALS = 32


class CommandError(HostError):
    """A command gave no exit code.

    `argv` is the command; `stdout` and `stderr` its output until then, as bytes.
    """

    def __init__(
        self,
        text: str,
        argv: Sequence[str],
        *,
        stdout: bytes = b"",
        stderr: bytes = b"",
        path: str = "",
        errno: int = 0,
    ) -> None:
        super().__init__(text, path=path, errno=errno)
        self.argv = list(argv)
        self.stdout = stdout
        self.stderr = stderr


class CommandNotFound(CommandError):
    """No directory of the search path has the program."""


class CommandNotStarted(CommandError):
    """The program exists, or was named by its path, and the operating system did not start it."""


class CommandKilled(CommandError):
    """The command was ended by a signal, whose number is `signal`, that this process did not send."""

    def __init__(self, text: str, argv: Sequence[str], signal: int, stdout: bytes, stderr: bytes) -> None:
        super().__init__(text, argv, stdout=stdout, stderr=stderr)
        self.signal = signal


class CommandTimedOut(CommandError):
    """The command did not end within `timeout` nanoseconds and was killed together with its children."""

    def __init__(self, argv: Sequence[str], timeout: int, stdout: bytes, stderr: bytes) -> None:
        super().__init__("context deadline exceeded", argv, stdout=stdout, stderr=stderr)
        self.timeout = timeout


def not_found(argv: Sequence[str]) -> CommandNotFound:
    """Return the error for a program that is not in PATH."""
    return CommandNotFound(f'exec: "{argv[0]}": executable file not found in $PATH', argv)


def not_started(
    path: str, cause: OSError | ValueError, argv: Sequence[str], op: str = "fork/exec"
) -> CommandNotStarted:
    """Return the error for a program at `path` that could not be started, or a directory that could not be entered."""
    number = errno_of(cause)
    return CommandNotStarted(f"{op} {path}: {reason_of(number)}", argv, path=path, errno=number)


def killed(status: int, argv: Sequence[str], stdout: bytes = b"", stderr: bytes = b"") -> CommandKilled:
    """Return the error for a command that a signal ended, as its wait status says."""
    number = os.WTERMSIG(status)
    core = " (core dumped)" if os.WCOREDUMP(status) else ""
    return CommandKilled(f"signal: {_signal_name(number)}{core}", argv, number, stdout, stderr)


def _signal_name(number: int) -> str:
    name = signal.strsignal(number) if number < _NAMED_SIGNALS else None
    return name[:1].lower() + name[1:] if name else f"signal {number}"
