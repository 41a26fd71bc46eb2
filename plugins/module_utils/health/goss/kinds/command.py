# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of commands: how they end and what they print."""

from __future__ import annotations

import os

from ....host import command_output
from ....host.command_errors import CommandKilled, CommandTimedOut
from ....host.errors import HostError
from ....lang.spans import format_go
from ..kind import Kind
from ..patterns import Stream
from ..rule import timeout_of, whole_number
from ..values import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....host.machine import Machine
    from ..kind import Snapshot
    from ..rule import Rule

_TIMEOUT_MS = 10_000
_MILLISECOND = 1_000_000


class _Command:
    """A command, run once at first use, in the environment and the directory of this process."""

    def __init__(self, machine: Machine, line: str, timeout: int) -> None:
        self._machine = machine
        self._line = line
        self._timeout = timeout
        self._refusal: RuleError | HostError | None = None
        self._output: tuple[int, bytes, bytes] | None = None

    def _ended(self) -> tuple[int, bytes, bytes]:
        if self._refusal is not None:
            raise self._refusal
        if self._output is None:
            try:
                self._output = self._run()
            except (RuleError, HostError) as error:
                self._refusal = error
                raise
        return self._output

    def _run(self) -> tuple[int, bytes, bytes]:
        if self._timeout < 0:
            raise self._too_late()
        environment = [f"{name}={value}" for name, value in os.environ.items()]
        try:
            done = self._machine.run(
                ["sh", "-c", self._line], cwd=os.getcwd(), environment=environment, timeout=self._timeout
            )
        except CommandTimedOut:
            raise self._too_late() from None
        except CommandKilled as error:
            return -1, error.stdout, error.stderr
        if command_output.MOST_PRINTED in (len(done.stdout), len(done.stderr)):
            raise RuleError(f"Command printed more than {command_output.MOST_PRINTED >> 20} MiB")
        return done.exit_code, done.stdout, done.stderr

    def _too_late(self) -> RuleError:
        return RuleError(f"Command execution timed out ({format_go(self._timeout)})")

    def exit_status(self) -> int:
        """Return the exit status, -1 when a signal ended it."""
        return self._ended()[0]

    def stdout(self) -> Stream:
        """Return its standard output."""
        return Stream(self._ended()[1].decode("utf-8", "surrogateescape"))

    def stderr(self) -> Stream:
        """Return its error output."""
        return Stream(self._ended()[2].decode("utf-8", "surrogateescape"))


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    command = _Command(snapshot.machine, rule.subject, timeout_of(rule, _TIMEOUT_MS) * _MILLISECOND)
    whole_number(rule, "exit-status")
    rule.must("exit-status", command.exit_status)
    rule.may_read("stdout", command.stdout)
    rule.may_read("stderr", command.stderr)


COMMAND = Kind(
    "Command",
    {"exit-status": "matcher", "stdout": "matcher", "stderr": "matcher", "timeout": "integer"},
    _examine,
    required=("exit-status",),
    subject="exec",
    is_anonymous=True,
)
