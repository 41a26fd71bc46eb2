# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A draft compared with the target."""

from __future__ import annotations

import errno

from ...host.errors import HostError
from ...host.replaceable import NotRegular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.confined import ConfinedDirectory
    from .rendered_tree import RenderedTree


def compared(tree: ConfinedDirectory, draft: RenderedTree, *, only_existing: bool) -> dict[str, list[str]]:
    """Return the sorted paths of `changed`, `purged` and `stable` files, in the order in which events show these lists.

    With `only_existing` missing files are in none of them. Raises LinkInTheWay for a draft that a link in the target
    would lead elsewhere, NotRegular without `only_existing`, and SystemCallError.
    """
    wanted = existing(tree, draft) if only_existing else draft.files
    changed: list[str] = []
    stable: list[str] = []
    for path in sorted(wanted):
        try:
            (stable if tree.holds(path, draft.files[path][0]) else changed).append(path)
        except NotRegular:
            if not only_existing:
                raise
            changed.append(path)
    purged = [path for path in tree.files() if path not in draft.files]
    return {"changed": changed, "purged": purged, "stable": stable}


def existing(tree: ConfinedDirectory, draft: RenderedTree) -> list[str]:
    """Return the paths of rendered files that are in the tree; a path behind a link is in another tree."""
    return [path for path in draft.files if _is_there(tree, path)]


def _is_there(tree: ConfinedDirectory, path: str) -> bool:
    try:
        return tree.has(path)
    except HostError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return False
        raise
