# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Detect mounts that hide changed paths, so that a change cannot be undone (decisions.md Q91, docs/state.md).

The state does not know which mounts existed at the time of the change. The paths below a mount count as the changed
ones if all files and links there are as the change left them.
"""

from __future__ import annotations

import os

from ...host.mounts import mounts_over, with_resolved_parents
from ...host.restorable_paths import FILE, LINK
from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

    from ...model.facets import Part, Parts
    from .undo_record import UndoRecord


class ManagedPaths:
    """The paths that a manifest manages. A mount at or below one of them may hide changed paths."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._resolved: set[str] | None = None

    def have(self, point: str) -> bool:
        """Return whether a mount point is at a managed path or below one, other than the root directory."""
        if self._resolved is None:
            self._resolved = {with_resolved_parents(os.path.realpath(path)) for path in self._paths}
        while point != "/" and point not in self._resolved:
            point = os.path.dirname(point)
        return point != "/"


def require_seen(change: UndoRecord, now: Parts, managed: ManagedPaths, *, force: bool) -> None:
    """Raise ResourceFailed if a mount may hide the changed paths, whose present state is `now`.

    With `force`, the files below a mount count as the changed ones if any of them is left to undo.
    """
    changed = sorted(path for path, part in change.before.items() if change.reached.get(path) != part)
    left = change.left_to_undo(now)
    for mount, paths in mounts_over(changed):
        is_left = not left.keys().isdisjoint(paths)
        if not managed.have(mount.point) or _is_as_left(change, now, paths) or (force and is_left):
            continue
        forced = "; ccm undo --force undoes what is there, if it was mounted before the change" if is_left else ""
        raise ResourceFailed(
            f"not undone: {mount} is mounted on {mount.point}, and may hide what was changed at {paths[0]}; unmount "
            f"it first{forced}; ccm undo --forget leaves it as it is",
            property="name",
            value=paths[0],
        )


def _is_as_left(change: UndoRecord, now: Parts, paths: Collection[str]) -> bool:
    """Return whether all files and links at these paths, at least one, are as the change left them."""
    reached = {path: change.reached[path] for path in paths if _is_file_or_link(change.reached.get(path))}
    return bool(reached) and all(now[path] == part for path, part in reached.items())


def _is_file_or_link(part: Part | None) -> bool:
    return isinstance(part, list) and part[0] in (FILE, LINK)
