# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the changes of scaffolds are undone."""

from __future__ import annotations

import os

from ...host.restorable_paths import missing_above
from ...model.reversal import Reversal
from .type import ABSENT, ScaffoldProperties, ScaffoldState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence


class ScaffoldReversal(Reversal[ScaffoldProperties, ScaffoldState]):
    """The files that were written or removed come back as they were; other files of the directory stay."""

    def paths(self, properties: ScaffoldProperties, state: ScaffoldState) -> Sequence[str]:
        """Return the files that the change writes or removes, and the directories that it makes or removes for them."""
        root = properties.name
        found = state.metadata
        if properties.ensure == ABSENT:
            removed = [*found.get("changed", ()), *found.get("stable", ())]
            return list(dict.fromkeys([root, *_directories(root, removed), *removed]))
        changed = [*found.get("changed", ()), *(found.get("purged", ()) if properties.purge else ())]
        directories = [root, *(f"{root}/{path}" for path in state.draft.directories)]
        missing = [path for path in directories if not os.path.lexists(path)]
        return list(dict.fromkeys([*missing_above(root), *missing, *changed]))


def _directories(root: str, paths: Sequence[str]) -> Iterator[str]:
    """Yield the directories of paths, below the root, each after the one above it."""
    for path in paths:
        names = path[len(root) + 1 :].split("/")[:-1]
        for count in range(1, len(names) + 1):
            yield "/".join((root, *names[:count]))


REVERSAL = ScaffoldReversal()
