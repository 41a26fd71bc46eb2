# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Removal of rendered files (behaviour.md 9)."""

from __future__ import annotations

import os

from ...host.errors import HostError
from ..mount_points import require_in_one_mount, require_no_mount_on
from .type import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.confined import ConfinedDirectory
    from ...model.log import Log
    from .type import ScaffoldProperties, ScaffoldState


def require_no_mounts(properties: ScaffoldProperties, state: ScaffoldState) -> None:
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


def remove_files(tree: ConfinedDirectory, paths: list[str], log: Log) -> None:
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
