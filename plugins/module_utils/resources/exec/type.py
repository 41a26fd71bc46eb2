# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The exec type: a command, and the conditions under which it runs."""

from __future__ import annotations

from ...lang.go.quoting import quote
from ...lang.shellwords import ShellWordsError, split
from ...model.decision import NOTHING, Decision, Step
from ...model.errors import InvalidResource
from ...model.property import ABSOLUTE, DEFERRED, DURATION_PATTERN, NEVER, REFERENCE_PATTERN, CutInteger, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ...host.results import Result

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import posix, shell  # noqa: F401

PRESENT = "present"
#: What makes of a path a pattern.
_PATTERN = "*?["
_FEWEST_DIGITS, _HIGHEST_UMASK = 3, 0o777
_RUN = Decision(Step("execute", "Would have executed", "Executed"))
_IGNORED = "the original ignores {}, and runs the command with ccm's own"
_REFRESH = Step("execute", "Would have executed via subscribe", "Executed via subscribe")
#: By whether nothing else is to be done.
_REFRESHED = {settled: Decision(_REFRESH, refreshed=True, converged=settled) for settled in (False, True)}


class ExecProperties(Properties):
    """The properties of an exec resource."""

    cwd: str
    environment: list[str]
    path: str
    returns: list[int]
    timeout: str
    creates: str
    onlyif: str
    unless: str
    refreshonly: bool
    subscribe: list[str]
    logoutput: bool
    command: str
    user: str | None
    group: str | None
    umask: str


class ExecState(State):
    """What a command creates, the results of its guards, and its exit when it ran."""

    type = "exec"
    creates_satisfied: bool = False
    onlyif_satisfied: bool = False
    unless_satisfied: bool = False
    last_lines: str = ""
    result: Result | None = None


class ExecType(ResourceType[ExecProperties, ExecState]):
    """Commands (behaviour.md 6)."""

    name = "exec"
    default_ensure = PRESENT
    ensure_choices = (PRESENT, "absent")
    name_may_hold_secrets = True
    provider_names = ("posix", "shell")
    default_provider = "posix"
    verbs = ("execute",)
    properties_class = ExecProperties
    reversible = True
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
            pattern="^[A-Za-z_][A-Za-z0-9_]*=.*$",
            placeholder="PLACEHOLDER=x",
            may_hold_secrets=True,
            help="Variables to set, as KEY=value. Nothing else is inherited.",
        ),
        Property("path", help="Directories to look the command up in, with colons between; also its PATH."),
        CutInteger("returns", "integers", help="Exit codes that mean success, 0 when not given."),
        Property(
            "timeout",
            pattern=DURATION_PATTERN,
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
        Property(
            "user",
            nullable=True,
            help="The user that it runs as, a name or a number; the user of ccm when not given.",
            extension=_IGNORED.format("user"),
        ),
        Property(
            "group",
            nullable=True,
            help="The group that it runs as; its user's when not given.",
            extension=_IGNORED.format("group"),
        ),
        Property(
            "umask",
            "mode",
            help="The bits that modes of new files do not get, like 0022; ccm's umask when not given.",
            extension=_IGNORED.format("umask"),
        ),
    )

    own_meta = (
        Property("undo", when=DEFERRED, may_hold_secrets=True, help="The command that undoes what the command did."),
        Property(
            "watch_files",
            "strings",
            when=NEVER,
            pattern=ABSOLUTE,
            help="Whole paths of files and directories whose change makes ccm watch run it.",
        ),
        Property(
            "watch_command",
            when=NEVER,
            may_hold_secrets=True,
            help="A command that goes on running; ccm watch runs the resource for each line that it writes.",
        ),
    )

    def validate(self, properties: ExecProperties) -> None:
        """Check time, words, references, paths and variables in the recorded order."""
        super().validate(properties)
        if properties.timeout:
            _check_timeout(properties.timeout)
        _check_words(properties.name)
        if properties.subscribe:
            from ...model.references import require_references

            require_references(properties.subscribe)
        _check_path(properties.path)
        _check_variables(properties.environment)
        for name in ("user", "group"):
            if getattr(properties, name) == "":
                raise InvalidResource(f"{name} cannot be empty", property=name)
        if properties.umask:
            _octal_umask(properties.umask)
        meta = properties.meta
        if meta:
            _check_watched(meta["watch_files"])
            if meta["reverse"] and not meta["undo"]:
                raise InvalidResource(
                    "reverse needs a command that undoes it",
                    property="meta.reverse",
                    advice="write the command in meta.undo",
                )

    def normalise(self, properties: ExecProperties) -> None:
        """Convert the umask to four octal digits."""
        if properties.umask:
            properties.umask = _octal_umask(properties.umask)

    def subscriptions(self, properties: ExecProperties) -> list[str]:
        """Return references whose change makes the command run."""
        return properties.subscribe

    def decide(self, state: ExecState, properties: ExecProperties, refresh: bool) -> Decision:
        """Return the decision table of behaviour.md 6: a refresh overrides every guard."""
        settled = is_satisfied(state, properties) or properties.refreshonly
        if refresh:
            return _REFRESHED[settled]
        return NOTHING if settled else _RUN

    def shortfall(self, state: ExecState, properties: ExecProperties) -> str:
        """Return why the command that ran did not reach the wanted state."""
        exit_code = state.details.get("exitcode")
        if state.creates_satisfied:
            return ""
        allowed = properties.returns or [0]
        if exit_code in allowed:
            return ""
        reason = f"exit code {exit_code} not in allowed returns [{' '.join(map(str, allowed))}]"
        return f"exit code {exit_code}: {reason}" + state.last_lines


def is_satisfied(state: ExecState, properties: ExecProperties) -> bool:
    """Return whether the path that the command creates exists, or a guard prevents that it runs."""
    if state.creates_satisfied:
        return True
    if properties.onlyif and not state.onlyif_satisfied:
        return True
    return bool(properties.unless and state.unless_satisfied)


def _check_words(name: str) -> None:
    try:
        words = split(name)
    except ShellWordsError as error:
        raise InvalidResource(str(error), property="name", value=name) from None
    if not words:
        raise InvalidResource("invalid command", property="name", value=name)


def _check_timeout(text: str) -> None:
    """Refuse an invalid duration. Raises InvalidResource."""
    from ...lang.durations import DurationError, parse

    try:
        parse(text)
    except DurationError as error:
        raise InvalidResource(
            str(error), property="timeout", value=text, advice="write a duration like 10s or 1m30s"
        ) from None


def _check_watched(paths: Iterable[str]) -> None:
    """Refuse texts that are no path of a file or a directory: they would never change. Raises InvalidResource."""
    for at, path in enumerate(paths):
        problem = "" if path.startswith("/") else "is not an absolute path"
        if any(char in path for char in _PATTERN):
            problem = "is a pattern, which is not looked for"
        if "{{" in path or "${" in path:
            problem = "has an expression, which is not resolved here"
        if problem:
            error = InvalidResource(
                f"{quote(path)} {problem}",
                property="meta.watch_files",
                value=path,
                advice="write whole paths of files and directories; a directory stands for all below it",
            )
            error.path = ("meta", "watch_files", at)
            raise error


def _check_path(path: str) -> None:
    """Refuse a search path with an empty or relative directory; no path is valid. Raises InvalidResource."""
    for directory in path.split(":") if path else ():
        if not directory:
            raise InvalidResource("invalid path: empty directory in path", property="path", value=path)
        if not directory.startswith("/"):
            raise InvalidResource(
                f"invalid path: {quote(directory)} is not an absolute path", property="path", value=path
            )


def _check_variables(variables: Iterable[str]) -> None:
    """Refuse a variable that is not `KEY=value`; the value may be empty (Q83). Raises InvalidResource."""
    for variable in variables:
        key, equals, _value = variable.partition("=")
        problem = "missing '='" if not equals else "" if key else "empty key"
        if problem:
            raise InvalidResource(
                f"invalid environment variable {quote(variable)}: {problem}", property="environment", value=key
            )


def _octal_umask(umask: str) -> str:
    """Return a umask as four octal digits: 022 is 0022. Raises InvalidResource."""
    digits = umask[2:] if umask[:2] in ("0o", "0O") else umask
    if len(digits) < _FEWEST_DIGITS or set(digits) - set("01234567") or int(digits, 8) > _HIGHEST_UMASK:
        raise InvalidResource(
            f'umask "{umask}" is not an octal number from 0000 to 0777',
            property="umask",
            value=umask,
            advice="write it like 0022",
        )
    return f"{int(digits, 8):04o}"


TYPE = ExecType()
