# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a command gave no exit code."""

from __future__ import annotations

from .errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence


class CommandError(HostError):
    """A command gave no exit code.

    `argv` is the command; `stdout` and `stderr` what it had written by then, as bytes.
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
    """No directory of the search path holds the program."""


class CommandNotStarted(CommandError):
    """The program is there, or was named by its path, and the operating system would not start it."""


class CommandKilled(CommandError):
    """The command was ended by a signal, whose number is `signal`, that was not ours."""

    def __init__(self, text: str, argv: Sequence[str], signal: int, stdout: bytes, stderr: bytes) -> None:
        super().__init__(text, argv, stdout=stdout, stderr=stderr)
        self.signal = signal


class CommandTimedOut(CommandError):
    """The command was not done after `timeout` nanoseconds and was killed together with its children."""

    def __init__(self, argv: Sequence[str], timeout: int, stdout: bytes, stderr: bytes) -> None:
        super().__init__("context deadline exceeded", argv, stdout=stdout, stderr=stderr)
        self.timeout = timeout
