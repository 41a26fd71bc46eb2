# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure exec`: run a command, or leave it, by its guards."""

from __future__ import annotations

from ..resources.exec.type import TYPE as EXEC_TYPE
from .command import Argument, Command
from .ensure_resource import PropertyFlags, common_flags, ensure_resource
from .offering import references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import Values

_OWN = PropertyFlags(
    EXEC_TYPE,
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
    },
)


def _ensure(values: Values) -> int:
    return ensure_resource(EXEC_TYPE, {"name": values.command, **_OWN.properties(values)}, values)


EXEC = Command(
    "ensure exec",
    "Execution management",
    arguments=(Argument("command", "Command to execute", required=True, path="file"),),
    flags=_OWN.flags + common_flags(EXEC_TYPE),
    run=_ensure,
)
