# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of commands for schemas and lint."""

from __future__ import annotations

from functools import partial

from ...model.property import Property
from ...model.type_description import TypeDescription

_STATE_FIELDS = (
    Property("exitcode", "integer", help="The exit code of the command, when it ran."),
    Property("creates_satisfied", "boolean", help="Whether what the command creates is there."),
    Property("onlyif_satisfied", "boolean", help="Whether its guard said that it may run."),
    Property("unless_satisfied", "boolean", help="Whether its guard said that it need not run."),
)


def _path(value: object) -> str:
    """Q3: the effect of a search path."""
    return "the original cannot run a command with path" if value else ""


def _extension(name: str, value: object) -> str:
    """Return what the original does with a property that it does not have."""
    return f"the original ignores {name}, and runs the command with ccm's own" if value else ""


def _environment(value: object) -> str:
    """Q83: a variable without a value."""
    has_empty = isinstance(value, list) and any(isinstance(entry, str) and entry.endswith("=") for entry in value)
    return "the original takes no variable with an empty value" if has_empty else ""


DESCRIPTION = TypeDescription(
    _STATE_FIELDS,
    portability={
        "path": _path,
        "environment": _environment,
        **{name: partial(_extension, name) for name in ("user", "group", "umask")},
    },
    commands=("command", "onlyif", "unless"),
    paths=("creates", "cwd"),
)
