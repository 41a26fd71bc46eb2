# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of exec resources (behaviour.md 19.2)."""

from __future__ import annotations

from ...model.flags import Argument
from ...model.type_flags import PropertyFlags, TypeFlags
from ..types import NO_STATUS, references
from .type import TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.flags import Values
    from ...model.values import Data

_OWN = PropertyFlags(
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
        "timeout": {"default": "1m", "help": "How long it may take before it is killed, like 10s; 0s is no limit"},
        "unless": {"placeholder": "COMMAND", "path": "file"},
        "user": {"placeholder": "USER"},
        "group": {"placeholder": "GROUP"},
        "umask": {"placeholder": "0022"},
    },
)


class ExecFlags(TypeFlags):
    """The command, which is the resource's name."""

    status_note = NO_STATUS
    arguments = (Argument("command", "Command to execute", required=True, path="file"),)
    flags = _OWN.flags

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.command, **_OWN.properties(values)}


FLAGS = ExecFlags()
