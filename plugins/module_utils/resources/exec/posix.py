# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands run as written, word by word, without a shell (behaviour.md 6.1)."""

from __future__ import annotations

from ...host.errors import HostError
from ...host.results import decode, in_one_line, output_lines
from ...lang.shellwords import ShellWordsError, split
from ...model.errors import NotThereYet, ResourceFailed
from ...model.log import INFO
from ...model.provider import Provider
from ...model.sending import is_sensitive
from ...redaction.texts import without_text_secrets
from ..existence import exists
from .type import TYPE, ExecProperties, ExecState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.results import Result
    from ...host.run_as import RunAs
    from ...model.log import Log


class PosixExecProvider(Provider[ExecProperties, ExecState]):
    """Runs a command's words; a guard is satisfied when it exits 0."""

    name = "posix"

    def status(self, properties: ExecProperties) -> ExecState:
        """Return what the command creates, and the results of its guards; guards run in noop too."""
        state = exec_state(without_text_secrets(properties.name), properties, self.user_log)
        if properties.user or properties.group:
            self._require_user(properties, state)
        for guard, command in (("onlyif", properties.onlyif), ("unless", properties.unless)):
            if command and self._run(self.words(command, guard), properties).exit_code == 0:
                state.details[f"{guard}_satisfied"] = True
        state.onlyif_satisfied = "onlyif_satisfied" in state.details
        state.unless_satisfied = "unless_satisfied" in state.details
        return state

    def _require_user(self, properties: ExecProperties, state: ExecState) -> None:
        """Raise what `wanted_user` raises when a guard or the command is to run; a NotThereYet expects that it runs."""
        if not (properties.onlyif or properties.unless or TYPE.decide(state, properties, False).verbs):
            return
        try:
            self._wanted_user(properties)
        except NotThereYet as error:
            state.onlyif_satisfied = bool(properties.onlyif)
            error.expected = state
            raise

    def status_after(self, properties: ExecProperties, before: ExecState) -> ExecState:
        """Return the state after the command ran; guards do not run again."""
        return state_after_run(before, properties, self.user_log)

    def execute(self, properties: ExecProperties, state: ExecState) -> None:
        """Run the command. Raises ResourceFailed for words that do not parse, CommandError when it cannot run."""
        words = self.words(properties.command or properties.name)
        try:
            result = self._run(words, properties)
        except (HostError, ResourceFailed):
            self._log_end(words, properties, -1)
            raise
        self._log_end(words, properties, result.exit_code)
        state.result = result
        if properties.logoutput and not is_sensitive(properties):
            for line in output_lines(result.stdout):
                self.user_log.info(line)

    def words(self, command: str, guard: str = "") -> list[str]:
        """Return the arguments of a command, or of the guard of that name.

        Raises ResourceFailed when there are none.
        """
        property = guard or "command"
        try:
            words = split(command)
        except ShellWordsError as error:
            lead = "invalid guard command: " if guard else ""
            raise ResourceFailed(f"{lead}{error}", property=property, value=command) from None
        if not words:
            raise ResourceFailed("empty guard command" if guard else "no command specified", property=property)
        return words

    def logged_command(self, words: list[str], properties: ExecProperties) -> str:
        """Return the name of a command for the log: the program, since arguments may be secrets."""
        return properties.name if is_sensitive(properties) else words[0]

    def _log_end(self, words: list[str], properties: ExecProperties, exit_code: int) -> None:
        log = self.context.log
        if INFO not in log.levels:
            return
        command = without_text_secrets(self.logged_command(words, properties))
        log.info(
            "Command finished",
            type="exec",
            name=without_text_secrets(properties.name),
            command=command,
            exitcode=exit_code,
        )

    def _wanted_user(self, properties: ExecProperties) -> tuple[RunAs, list[str]]:
        from .other_user import wanted_user

        return wanted_user(properties, self.machine.owners)

    def _run(self, argv: list[str], properties: ExecProperties) -> Result:
        from ...host.command_errors import CommandNotStarted, CommandTimedOut

        run_as, environment = None, properties.environment
        if properties.user or properties.group or properties.umask:
            run_as, variables = self._wanted_user(properties)
            environment = [*variables, *environment]
        timeout = None
        if properties.timeout:
            from ...lang.durations import parse

            timeout = parse(properties.timeout)
        try:
            return self.machine.run(
                argv,
                cwd=properties.cwd or "/",
                environment=environment,
                timeout=timeout,
                path=properties.path,
                run_as=run_as,
            )
        except CommandNotStarted as error:
            if run_as is None or run_as.uid is None or not error.denied:
                raise
            raise ResourceFailed(
                f"{error} for user {properties.user}", property="user", value=properties.user
            ) from None
        except CommandTimedOut as error:
            if not timeout or error.timeout < timeout:
                raise ResourceFailed("ended when the time of meta.timeout was over", property="meta.timeout") from None
            raise ResourceFailed(f"{error}: killed after {properties.timeout}", property="timeout") from None


def exec_state(shown_name: str, properties: ExecProperties, log: Log) -> ExecState:
    """Return the state of an exec that has not run: only whether the path that it creates exists."""
    state = ExecState(shown_name, "present")
    state.creates_satisfied = bool(properties.creates) and exists(properties.creates, log)
    if state.creates_satisfied:
        state.details["creates_satisfied"] = True
    return state


_LAST_LINES = 3


def state_after_run(before: ExecState, properties: ExecProperties, log: Log) -> ExecState:
    """Return the state of an exec that ran: its exit code, and the last lines of its output."""
    state, result = exec_state(before.name, properties, log), before.result
    if result is None:
        return state
    state.result = result
    state.details = {"exitcode": result.exit_code, **state.details}
    if result.stderr and not is_sensitive(properties):
        lines = decode(result.stderr).strip().splitlines()[-_LAST_LINES:]
        state.last_lines = ": " + in_one_line(lines) if lines else ""
    return state


PROVIDER: type[Provider[ExecProperties, ExecState]] = PosixExecProvider
