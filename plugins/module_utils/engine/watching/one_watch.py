# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One thing that is watched for a resource: a path, a tree, a unit, or a command."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .step import Sources
    from .watched_command import WatchedCommand
    from .watches import Key

#: The kinds of watches. A file that notifies may be a directory: then all files below it notify.
PATH, TREE, FILE, UNIT, COMMAND = range(5)
PATHS = (PATH, TREE, FILE)


class OneWatch:
    """One `name` that is watched for a `key`; the kernel's watches and the polled paths know it by its `number`."""

    __slots__ = (
        "command",
        "entry",
        "key",
        "kind",
        "lasting",
        "name",
        "number",
        "refused",
        "seconds",
        "seen_after",
        "seen_before",
    )

    def __init__(self, key: Key, kind: int, name: str, number: int, seconds: float) -> None:
        self.key = key
        self.kind = kind
        self.name = name
        self.number = number
        # How often it is looked at where nothing reports its changes.
        self.seconds = seconds
        # What the last check saw at the path, and between which times; None when that is not known.
        self.entry: int | None = None
        self.seen_after = self.seen_before = 0
        # Why the kernel gives no watch, which it may give later.
        self.refused = ""
        # The reasons to poll it as long as it is watched.
        self.lasting: set[str] = set()
        self.command: WatchedCommand | None = None


def wanted_watches(sources: Sources) -> set[tuple[int, str]]:
    """Return the names of the wanted watches, each with its kind."""
    found: set[tuple[int, str]] = set()
    for kind, names in ((PATH, sources.paths), (TREE, sources.trees), (FILE, sources.files)):
        found.update((kind, os.path.normpath(name)) for name in names)
    found.update((UNIT, name) for name in sources.units)
    if sources.command:
        found.add((COMMAND, sources.command))
    return found
