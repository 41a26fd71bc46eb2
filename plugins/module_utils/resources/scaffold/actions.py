# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing and removing rendered files (behaviour.md 9)."""

from __future__ import annotations

import os

from ...host.confined import ConfinedDirectory
from ...host.errors import HostError
from ..mount_points import require_in_one_mount, require_no_mount_on
from ..replacing import warn_of_dropped
from .comparison import existing
from .staging import validate_new
from .type import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.log import Log
    from .choria import ChoriaProvider
    from .rendered_tree import RenderedTree
    from .type import ScaffoldProperties, ScaffoldState


class ScaffoldActions:
    """The verbs of a provider."""

    def __init__(self, provider: ChoriaProvider) -> None:
        self._provider = provider

    def require_no_mounts(self, properties: ScaffoldProperties, state: ScaffoldState) -> None:
        """Raise ResourceFailed when a mount below the target has a file to be removed, or is on one to be replaced."""
        found = state.metadata
        changed, replaced = found.get("changed", []), []
        if properties.ensure == ABSENT:
            removed = [*changed, *found.get("stable", [])]
        else:
            removed = found.get("purged", []) if properties.purge else []
            replaced = [path for path in changed if os.path.lexists(path)]
        if removed:
            require_in_one_mount(properties.name, removed)
        if replaced:
            require_no_mount_on(replaced)

    def render(self, properties: ScaffoldProperties, draft: RenderedTree, known: list[str] | None = None) -> None:
        """Write what differs, each file complete before it is visible, then purge.

        `known` are the paths of the files that differ; without it each is compared.
        """
        changed = None if known is None else frozenset(known)
        if properties.validation:
            validate_new(self._provider.machine, properties, draft)
        with ConfinedDirectory(properties.name) as tree:
            tree.create()
            for path in draft.directories:
                tree.make_directory(path)
            for path, (content, mode) in draft.files.items():
                if not tree.holds(path, content) if changed is None else f"{properties.name}/{path}" in changed:
                    dropped = tree.write(path, content, mode)
                    if dropped:
                        warn_of_dropped(self._provider.user_log, f"{properties.name}/{path}", dropped)
            if properties.purge:
                for path in tree.files():
                    if path not in draft.files:
                        tree.remove(path)
                        self._provider.context.log.info("Removed file", file=f"{properties.name}/{path}")

    def remove(self, properties: ScaffoldProperties, draft: RenderedTree) -> None:
        """Remove the rendered files, and the directories that are empty then."""
        with ConfinedDirectory(properties.name) as tree:
            _remove_files(tree, existing(tree, draft), self._provider.context.log)


def _remove_files(tree: ConfinedDirectory, paths: list[str], log: Log) -> None:
    """Remove files, then the directories that become empty, and the tree itself if it is empty then.

    What cannot be removed is logged and left.
    """
    for path in paths:
        try:
            tree.remove(path)
        except HostError as error:
            log.error("Failed to remove file", file=f"{tree.root}/{path}", error=str(error))
    for directory in _directories(paths):
        try:
            tree.remove_directory(directory)
        except HostError as error:
            log.error("Failed to remove directory", dir=f"{tree.root}/{directory}", error=str(error))
    try:
        tree.remove_root()
    except (HostError, OSError) as error:
        log.debug("Target directory not removed", dir=tree.root, error=str(error))


def _directories(paths: list[str]) -> list[str]:
    """Return the directories of paths, the deepest first."""
    found = set()
    for path in paths:
        while "/" in path:
            path = path.rpartition("/")[0]
            found.add(path)
    return sorted(found, key=lambda path: path.count("/"), reverse=True)
