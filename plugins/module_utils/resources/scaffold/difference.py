# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What will change of a tree, for people: the texts of its files before and after."""

from __future__ import annotations

from ...host.rooted import RootedTree
from .type import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.resource import Properties
    from ...model.state import State
    from .drafts import Draft

#: Content with more bytes than this is not shown.
LARGEST_SHOWN = 100_000


def differences(properties: Properties, state: State) -> list[dict[str, Any]]:
    """A difference in Ansible's form for each file that will be written or removed, in the order of their paths."""
    draft: Draft = state.known["draft"]
    lead = len(properties.name) + 1
    changed = {path[lead:] for path in state.metadata.get("changed", ())}
    going = {path[lead:] for path in state.metadata.get("purged", ())} if properties.purge else set()
    if properties.ensure == ABSENT:
        going = changed | {path[lead:] for path in state.metadata.get("stable", ())}
        changed = set()
    found = []
    with RootedTree(properties.name) as tree:
        for path in sorted(changed | going):
            there = tree.read(path)
            after = draft.files[path][0] if path in changed else b""
            found.append(_difference(f"{properties.name}/{path}", there[0] if there else b"", after))
    return found


def _difference(header: str, before: bytes, after: bytes) -> dict[str, Any]:
    shown: dict[str, Any] = {"before_header": header, "after_header": header}
    for side, flag, content in (("before", "dst", before), ("after", "src", after)):
        if len(content) > LARGEST_SHOWN:
            return {**shown, f"{flag}_larger": LARGEST_SHOWN}
        try:
            shown[side] = content.decode("utf-8")
        except UnicodeDecodeError:
            return {"before_header": header, "after_header": header, f"{flag}_binary": 1}
        if "\0" in shown[side]:
            return {"before_header": header, "after_header": header, f"{flag}_binary": 1}
    return shown
