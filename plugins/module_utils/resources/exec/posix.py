# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands run as they are written, word by word, without a shell (features.md 6.1)."""

from __future__ import annotations

from ...lang.shellwords import ShellWordsError, split
from ...model.errors import ResourceFailed
from ..provider import Provider
from .state import exec_state, state_after_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.commands import Result
    from ...model.resource import Properties
    from ...model.state import State


class PosixExecProvider(Provider):
    """Runs a command's words; a guard is satisfied when it exits 0."""

    name = "posix"

    def status(self, properties: Properties) -> State:
        """What the command creates, and what its guards say; guards run in noop too."""
        state = exec_state(properties)
        for guard in ("onlyif", "unless"):
            command = getattr(properties, guard)
            if command:
                satisfied = self._run(self.guard_words(command, guard), properties).exit_code == 0
                state.known[f"{guard}_satisfied"] = satisfied
                if satisfied:
                    state.details[f"{guard}_satisfied"] = True
        return state

    def status_after(self, properties: Properties, outcome: Result) -> State:
        """The state after the command ran; guards are not asked again."""
        return state_after_run(properties, outcome)

    def execute(self, properties: Properties, state: State) -> Result:
        """Run the command. Raises ResourceFailed for words that do not parse, CommandError when it cannot run."""
        result = self._run(self.command_words(properties.command or properties.name), properties)
        if properties.logoutput:
            from ...host.commands import decode

            for line in decode(result.stdout).splitlines():
                self.log.info(line)
        return result

    def command_words(self, command: str) -> list[str]:
        """The arguments that a command means."""
        try:
            words = split(command)
        except ShellWordsError as error:
            raise ResourceFailed(str(error), property="command", value=command) from None
        if not words:
            raise ResourceFailed("no command specified", property="command")
        return words

    def guard_words(self, command: str, guard: str) -> list[str]:
        """The arguments that a guard means."""
        try:
            words = split(command)
        except ShellWordsError as error:
            raise ResourceFailed(f"invalid guard command: {error}", property=guard, value=command) from None
        if not words:
            raise ResourceFailed("empty guard command", property=guard)
        return words

    def _run(self, argv: list[str], properties: Properties) -> Result:
        from ...host.command_errors import CommandTimedOut
        from ...host.commands import run

        timeout = None
        if properties.timeout:
            from ...lang.durations import parse

            timeout = parse(properties.timeout)
        try:
            return run(
                argv,
                cwd=properties.cwd or "/",
                environment=properties.environment,
                timeout=timeout,
                path=properties.path,
            )
        except CommandTimedOut as error:
            raise ResourceFailed(f"{error}: killed after {properties.timeout}", property="timeout") from None
