# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What commands want."""

from __future__ import annotations

from ...lang.shellwords import ShellWordsError, split
from ...model.property import Property
from ...model.relations import PATH, Identity, Relations
from .type import ExecState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data, Value
    from .type import ExecProperties


class ExecRelations(Relations["ExecProperties"]):
    """What commands want; their states show only whether what they create exists."""

    shows_changes = False
    sends = (
        Property("stdout", help="What the command wrote to its standard output."),
        Property("stderr", help="What it wrote to its standard error."),
        Property("exitcode", "integer", help="Its exit code."),
    )

    def wants(self, properties: ExecProperties) -> list[Identity]:
        """Return the program, its directory, and the path that it creates, for the directory above."""
        program = (_words(properties.command or properties.name) or [""])[0]
        paths = (program, properties.cwd, properties.creates)
        return [Identity(PATH, path) for path in paths if path.startswith("/")]

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
