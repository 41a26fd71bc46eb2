# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The differences of a tree that `--diff` shows: the texts of its files before and after."""

from __future__ import annotations

from ...host.confined import ConfinedDirectory
from ..shown_texts import LARGEST_SHOWN, texts_of
from .type import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .type import ScaffoldProperties, ScaffoldState


def differences(properties: ScaffoldProperties, state: ScaffoldState) -> list[Difference]:
    """Return a difference in Ansible's form for each file that will be written or removed, in the order of their paths.

    In addition, `change` is one of "added", "changed" and "removed".
    """
    draft = state.draft
    lead = len(properties.name) + 1
    changed = {path[lead:] for path in state.metadata.get("changed", ())}
    going = {path[lead:] for path in state.metadata.get("purged", ())} if properties.purge else set()
    if properties.ensure == ABSENT:
        going = changed | {path[lead:] for path in state.metadata.get("stable", ())}
        changed = set()
    found: list[Difference] = []
    with ConfinedDirectory(properties.name) as tree:
        for path in sorted(changed | going):
            change = "removed" if path in going else "changed" if tree.has(path) else "added"
            there = tree.read(path, LARGEST_SHOWN + 1)
            after = draft.files[path][0] if path in changed else b""
            header = f"{properties.name}/{path}"
            texts = texts_of(there[0] if there else b"", after)
            found.append({"before_header": header, "after_header": header, "change": change, **texts})
    return found
