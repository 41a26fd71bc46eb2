# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of commands beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

from ...lang.shellwords import ShellWordsError, split
from ...model.facets import PATH, Identity, Relations, Reversal, TaskValue, TypeDescription, accounts
from ...model.flags import Argument
from ...model.property import Property
from ...model.type_flags import TypeFlags
from ..types import NO_STATUS, references
from .type import TYPE, ExecProperties, ExecState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.facets import Parts
    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data, Value


def _path(value: object) -> str:
    """Q3: the effect of a search path."""
    return "the original cannot run a command with path" if value else ""


def _environment(value: object) -> str:
    """Q83: a variable without a value."""
    has_empty = isinstance(value, list) and any(isinstance(entry, str) and entry.endswith("=") for entry in value)
    return "the original takes no variable with an empty value" if has_empty else ""


_RAN = "when it ran, also when the task failed"


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of commands."""
    return TypeDescription(
        (
            Property("exitcode", "integer", help="The exit code of the command, when it ran."),
            Property("creates_satisfied", "boolean", help="Whether what the command creates is there."),
            Property("onlyif_satisfied", "boolean", help="Whether its guard said that it may run."),
            Property("unless_satisfied", "boolean", help="Whether its guard said that it need not run."),
        ),
        task_values=(
            TaskValue("rc", "integer", help="The exit code of the command.", returned=_RAN, sample=0),
            TaskValue("stdout", help="The standard output of the command, its first 64 MiB.", returned=_RAN),
            TaskValue("stderr", help="The standard error of the command, its first 64 MiB.", returned=_RAN),
            TaskValue(
                "log",
                "strings",
                help="The lines of the command's standard output.",
                returned="with logoutput, when it wrote some",
            ),
        ),
        portability={"path": _path, "environment": _environment},
        commands=("command", "onlyif", "unless"),
        paths=("creates", "cwd"),
    )


class ExecFlags(TypeFlags):
    """The command, which is the resource's name."""

    status_note = NO_STATUS

    def __init__(self) -> None:
        super().__init__(
            TYPE,
            without=("command",),
            renamed={"refreshonly": "refresh-only", "onlyif": "exec-if", "unless": "exec-unless"},
            settings={
                "creates": {"path": "file"},
                "cwd": {"path": "directory"},
                "environment": {"short": "e", "placeholder": "KEY=VALUE"},
                "onlyif": {"placeholder": "COMMAND", "path": "file"},
                "path": {"placeholder": "PATH", "path": "directory"},
                "returns": {"default": [0], "placeholder": "0"},
                "subscribe": {"short": "S", "placeholder": "type#name", "offered": references},
                "timeout": {
                    "default": "1m",
                    "help": "How long it may take before it is killed, like 10s; 0s is no limit",
                },
                "unless": {"placeholder": "COMMAND", "path": "file"},
                "user": {"placeholder": "USER"},
                "group": {"placeholder": "GROUP"},
                "umask": {"placeholder": "0022"},
            },
        )
        self.arguments = (Argument("command", "Command to execute", required=True, path="file"),)
        self.flags = self.own_flags

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.command, **self.own_properties(values)}


def flags() -> TypeFlags:
    """Return the command line of commands (behaviour.md 19.2)."""
    return ExecFlags()


class ExecRelations(Relations["ExecProperties"]):
    """What commands want; their states show only whether what they create exists."""

    shows_changes = False
    sends = (
        Property("stdout", help="What the command wrote to its standard output."),
        Property("stderr", help="What it wrote to its standard error."),
        Property("exitcode", "integer", help="Its exit code."),
    )

    def wants(self, properties: ExecProperties) -> list[Identity]:
        """Return the program, its directory, the path that it creates, for the directory above, and who runs it."""
        program = (_words(properties.command or properties.name) or [""])[0]
        paths = (program, properties.cwd, properties.creates)
        places = [Identity(PATH, path) for path in paths if path.startswith("/")]
        return [*places, *accounts(properties.user, properties.group)]

    def watches(self, properties: ExecProperties) -> list[str]:
        """Return what the command creates."""
        return [properties.creates]

    def only_refreshed(self, properties: ExecProperties) -> Data:
        """Return `refreshonly` for a command without a condition."""
        has_condition = properties.creates or properties.onlyif or properties.unless
        return {} if has_condition else {"refreshonly": True}

    def remains(self, properties: ExecProperties) -> str | None:
        """Return the path that the command creates."""
        return properties.creates or None

    def sent(self, properties: ExecProperties, state: State) -> Data | None:
        """Return the output of the command without the line break at its end; None when it did not run.

        Other bytes than UTF-8 become `\\xff`.
        """
        result = state.result if isinstance(state, ExecState) else None
        if result is None:
            return None
        return {"stdout": _text(result.stdout), "stderr": _text(result.stderr), "exitcode": result.exit_code}

    def observed(self, properties: ExecProperties, state: State) -> Value:
        """Return whether what the command creates exists; the last exit code says nothing of the machine."""
        return [isinstance(state, ExecState) and state.creates_satisfied]


def _text(output: bytes) -> str:
    text = output.decode("utf-8", "backslashreplace")
    return text[:-1] if text.endswith("\n") else text


def _words(command: str) -> list[str]:
    try:
        return split(command)
    except ShellWordsError:
        return []


RELATIONS = ExecRelations()


_KEPT = ("cwd", "path", "timeout", "provider", "logoutput", "user", "group", "umask")


class ExecReversal(Reversal[ExecProperties, ExecState]):
    """What a command did is undone by the command `meta.undo`."""

    def is_reversible(self, properties: ExecProperties, state: ExecState) -> bool:
        """Return whether there is such a command."""
        return bool(properties.meta and properties.meta["undo"])

    def undone(self, properties: ExecProperties, parts: Parts) -> Data:
        """Return the properties of that command; its variables are not kept, for they may be secrets."""
        values = vars(properties)
        command = properties.meta["undo"] if properties.meta else ""
        return {"command": command, **{name: values[name] for name in _KEPT}}


REVERSAL = ExecReversal()
