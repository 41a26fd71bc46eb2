# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of commands: each is in a separate file that is imported when it is called."""

from __future__ import annotations

from ..model.flags import Flag
from .command import Command

_COMMANDS = (
    ("apply", "Apply a manifest"),
    ("completion", "Print a script that completes ccm's words in a shell"),
    ("docs", "Explain types, properties, flags and other words"),
    ("drift", "Show what something else changed since a manifest was applied"),
    ("ensure", "Manage individual resources"),
    ("facts", "Shows system facts"),
    ("graph", "Show what depends on what in a manifest"),
    ("hiera", "Hierarchical data resolver"),
    ("lint", "Look for mistakes in manifests"),
    ("new", "Make a manifest with data, a template and a test"),
    ("orphans", "Show what a manifest managed once, and left behind"),
    ("plan", "Show what applying a manifest would change"),
    ("publish", "Publish a manifest or data in NATS"),
    ("registration", "Node Registration system"),
    ("session", "Manage session stores"),
    ("state", "Manage the state between runs"),
    ("status", "Get resource status"),
    ("types", "List resource types"),
    ("undo", "Undo what a manifest changed"),
    ("watch", "Apply a manifest, then repair what changes"),
)

_FLAGS = (
    Flag("help", "set", "Show context-sensitive help"),
    Flag("version", "set", "Show application version."),
    Flag("debug", "set", "Enable debug logging"),
    Flag("info", "set", "Enable info logging"),
    Flag("log-format", "text", "How log lines are written: text or json", default="text", choices=("text", "json")),
)


#: The modules of commands, by their names and aliases; each has its `COMMAND`.
_MODULES = {
    "apply": "apply",
    "completion": "completion",
    "docs": "docs",
    "drift": "drift",
    "ensure": "ensure",
    "facts": "facts",
    "graph": "graph",
    "hiera": "hiera",
    "info": "status",
    "lint": "lint",
    "new": "new",
    "orphans": "orphans",
    "plan": "plan",
    "publish": "publish",
    "r": "registration",
    "reg": "registration",
    "registration": "registration",
    "session": "session",
    "state": "state",
    "status": "status",
    "types": "types",
    "undo": "undo",
    "watch": "watch",
}


def _find(name: str) -> Command | None:
    """Return the command of a name, or of an alias; only its own module is imported."""
    module = _MODULES.get(name)
    if module is None:
        return None
    command: Command = __import__(f"{__package__}.{module}", fromlist=["COMMAND"]).COMMAND
    return command


ROOT = Command("", "Choria Configuration Management", flags=_FLAGS, commands=_COMMANDS, find=_find)
