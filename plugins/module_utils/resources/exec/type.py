# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The exec type: a command, and what tells whether it has to run."""

from __future__ import annotations

from ...model.errors import InvalidResource
from ...model.property import DEFERRED, Property
from ...model.resource import NOTHING, REFERENCE_PATTERN, Decision, Properties, ResourceType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State

PRESENT = "present"


class ExecType(ResourceType):
    """Commands (features.md 6)."""

    name = "exec"
    default_ensure = PRESENT
    ensure_choices = (PRESENT, "absent")
    name_may_hold_secrets = True
    provider_names = ("posix", "shell")
    default_provider = "posix"
    own_properties = (
        Property(
            "command",
            when=DEFERRED,
            always_shown=True,
            may_hold_secrets=True,
            help="The command; the name when not given.",
        ),
        Property("cwd", when=DEFERRED, help="The directory to run it in, / when not given."),
        Property(
            "environment",
            "strings",
            when=DEFERRED,
            pattern="^[A-Za-z_][A-Za-z0-9_]*=.+$",
            placeholder="PLACEHOLDER=x",
            may_hold_secrets=True,
            help="Variables to set, as KEY=value. Nothing else is inherited.",
        ),
        Property("path", help="Directories to look the command up in, with colons between; also its PATH."),
        Property("returns", "integers", help="Exit codes that mean success, 0 when not given."),
        Property(
            "timeout",
            pattern="[0-9.][a-zA-Z]|^0$",
            help="How long it may take before it is killed, like 10s; no limit when not given.",
        ),
        Property("creates", when=DEFERRED, help="A path the command creates; it does not run when that is there."),
        Property(
            "onlyif",
            recorded_name="OnlyIf",
            when=DEFERRED,
            may_hold_secrets=True,
            help="A command that must exit 0 for the command to run.",
        ),
        Property(
            "unless",
            when=DEFERRED,
            may_hold_secrets=True,
            help="A command that must not exit 0 for the command to run.",
        ),
        Property(
            "refreshonly",
            "boolean",
            aliases=("refresh_only",),
            help="Whether it runs only when a subscribed resource changed.",
        ),
        Property(
            "subscribe",
            "strings",
            pattern=REFERENCE_PATTERN,
            may_hold_secrets=True,
            help="References whose change makes it run.",
        ),
        Property("logoutput", "boolean", help="Whether its standard output is logged."),
    )

    def validate_own(self, properties: Properties) -> None:
        """Check time, words, references, paths and variables in the recorded order."""
        if properties.timeout:
            from .checks import check_timeout

            check_timeout(properties.timeout)
        _check_words(properties.name)
        if properties.subscribe or properties.path or properties.environment:
            from .checks import check_path, check_subscriptions, check_variables

            check_subscriptions(properties.subscribe)
            check_path(properties.path)
            check_variables(properties.environment)

    def subscriptions(self, properties: Properties) -> list[str]:
        """References whose change makes the command run."""
        found: list[str] = properties.subscribe
        return found

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        if name == "shell":
            from .shell import ShellExecProvider

            return ShellExecProvider
        from .posix import PosixExecProvider

        return PosixExecProvider

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """The decision table of features.md 6: a refresh overrides every guard."""
        settled = is_satisfied(state, properties) or properties.refreshonly
        if refresh:
            return Decision(("execute",), "Would have executed via subscribe", refreshed=True, settled=settled)
        if settled:
            return NOTHING
        return Decision(("execute",), "Would have executed")

    def shortfall(self, state: State, properties: Properties) -> str:
        """Why the command that ran did not do what was asked for."""
        from .running import failure

        return failure(state, properties)


EXEC = ExecType()


def is_satisfied(state: State, properties: Properties) -> bool:
    """Whether what the command is for is there, or a guard says that it should not run."""
    known = state.known
    if known["creates_satisfied"]:
        return True
    if properties.onlyif and not known["onlyif_satisfied"]:
        return True
    return bool(properties.unless and known["unless_satisfied"])


def _check_words(name: str) -> None:
    from ...lang.shellwords import ShellWordsError, split

    try:
        words = split(name)
    except ShellWordsError as error:
        raise InvalidResource(str(error), property="name", value=name) from None
    if not words:
        raise InvalidResource("invalid command", property="name", value=name)
