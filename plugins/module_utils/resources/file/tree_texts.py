# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The differences of a directory and its source that `--diff` shows: one for each entry (behaviour.md 7.3)."""

from __future__ import annotations

import stat
from contextlib import ExitStack

from ...host.tree_files import TreeFiles
from ...lang.paths import join
from ..shown_texts import LARGEST_SHOWN, texts_of
from .type import DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .tree_difference import TreeChange
    from .type import FileProperties, FileState

#: Of so many entries the texts are shown; of further ones only what becomes of them.
_MOST_TEXTS = 1000


def tree_differences(properties: FileProperties, state: FileState, directory: str) -> list[Difference]:
    """Return a difference for each entry that is written or removed, in the order of their paths.

    In addition, `change` is one of "added", "changed" and "removed". Raises HostError.
    """
    found: list[Difference] = []
    tree = state.tree
    if tree is None or not tree.count:
        return found
    changes = {change.path: change for change in tree.changes}
    root = properties.name
    with ExitStack() as stack:
        wanted = stack.enter_context(TreeFiles(join(directory, properties.source)))
        there = stack.enter_context(TreeFiles(root)) if state.ensure == DIRECTORY else None
        for path in sorted([*changes, *tree.purged]):
            change = changes.get(path)
            word = "removed" if change is None else "changed" if change.kept or change.replaced else "added"
            header = f"{root}/{path}"
            shown: Difference = {"before_header": header, "after_header": header, "change": word}
            if len(found) >= _MOST_TEXTS:
                shown["prepared"] = f"{header}: {word}\n"
            elif change is None:
                shown.update(texts_of(_content(there, path), b""))
            else:
                shown.update(_sides(change, wanted, there))
            found.append(shown)
    return found


def _sides(change: TreeChange, wanted: TreeFiles, there: TreeFiles | None) -> Difference:
    if change.kind == "a file" and change.has_other_content:
        return texts_of(_content(there, change.path), _content(wanted, change.path))
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    if change.kept is None:
        before.update({"kind": change.replaced} if change.replaced else {})
        after["kind"] = change.kind
        if change.kind == "a link":
            after["target"] = wanted.target(change.path)
    for name, now, becomes in change.parts:
        before[name], after[name] = now, becomes
    return {"before": before, "after": after}


def _content(tree: TreeFiles | None, path: str) -> bytes:
    """Return the beginning of a regular file, one byte more than is shown; nothing of all else, and without a tree."""
    found = tree.state(path) if tree else None
    read = tree.read(path, LARGEST_SHOWN + 1) if tree and found and stat.S_ISREG(found.st_mode) else None
    return read[0] if read else b""
