# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of commands: each is in a separate file that is imported when it is called."""

from __future__ import annotations

from ..model.flags import Flag
from .command import Command

_COMMANDS = (
    ("apply", "Apply a manifest"),
    ("completion", "Print a script that completes ccm's words in a shell"),
    ("ensure", "Manage individual resources"),
    ("facts", "Shows system facts"),
    ("graph", "Show what depends on what in a manifest"),
    ("hiera", "Hierarchical data resolver"),
    ("lint", "Look for mistakes in manifests"),
    ("plan", "Show what applying a manifest would change"),
    ("registration", "Node Registration system"),
    ("session", "Manage session stores"),
    ("status", "Get resource status"),
    ("types", "List resource types"),
)

_FLAGS = (
    Flag("help", "set", "Show context-sensitive help"),
    Flag("version", "set", "Show application version."),
    Flag("debug", "set", "Enable debug logging"),
    Flag("info", "set", "Enable info logging"),
    Flag("log-format", "text", "How log lines are written: text or json", default="text", choices=("text", "json")),
)


def _find(name: str) -> Command | None:
    if name == "apply":
        from .apply import APPLY

        return APPLY
    if name == "ensure":
        from .ensure import ENSURE

        return ENSURE
    if name in ("status", "info"):
        from .status import STATUS

        return STATUS
    if name == "facts":
        from .facts import FACTS

        return FACTS
    if name == "graph":
        from .graph import GRAPH

        return GRAPH
    if name == "hiera":
        from .hiera import HIERA

        return HIERA
    if name == "lint":
        from .lint import LINT

        return LINT
    if name == "plan":
        from .plan import PLAN

        return PLAN
    if name in ("registration", "reg", "r"):
        from .registration import REGISTRATIONS

        return REGISTRATIONS
    if name == "session":
        from .session import SESSION

        return SESSION
    if name == "types":
        from .types import TYPES

        return TYPES
    if name == "completion":
        from .completion import COMPLETION

        return COMPLETION
    return None


ROOT = Command("", "Choria Configuration Management", flags=_FLAGS, commands=_COMMANDS, find=_find)
