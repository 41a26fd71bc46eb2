# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The differences of a file that `--diff` shows: its text before and after, and its attributes."""

from __future__ import annotations

import os

from ...host.errors import HostError, LinkNotFollowed
from ...host.owners import group_name, user_name
from ...host.reading import Reader
from ...host.targets import Target
from ..shown_texts import LARGEST_SHOWN, texts_of
from .tree_texts import tree_differences
from .type import ABSENT, DIRECTORY, LINK, PRESENT, mismatch, wanted_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .type import FileProperties, FileState


def differences(properties: FileProperties, state: FileState, directory: str = "") -> list[Difference]:
    """Return the differences between the state of a file and the wanted state, in the form of Ansible's diffs.

    One for the content when it changes, one for the other changes. A relative source is in `directory`.
    """
    if not mismatch(state, properties):
        return []
    found: list[Difference] = []
    content = _content(properties, state, directory)
    if content:
        found.append({"before_header": properties.name, "after_header": properties.name, **content})
    before, after = _attributes(properties, state)
    if before or after:
        header = f"{properties.name} (attributes)"
        found.append({"before_header": header, "after_header": header, "before": before, "after": after})
    if state.tree is not None:
        found += tree_differences(properties, state, directory)
    return found


def _content(properties: FileProperties, state: FileState, directory: str) -> Difference:
    managed = properties.content is not None or properties.source
    if properties.ensure != PRESENT or state.ensure == DIRECTORY or not managed:
        return {}
    if state.ensure == PRESENT and state.wanted_checksum == state.metadata.get("checksum"):
        return {}
    try:
        before = _head(Target, properties.name) if state.ensure == PRESENT else b""
    except LinkNotFollowed as error:
        return {"prepared": f"{error}; what it holds is not shown\n"}
    if properties.content is not None:
        after = properties.content.encode("utf-8", "surrogateescape")[: LARGEST_SHOWN + 1]
    else:
        after = _head(Reader, os.path.join(directory, properties.source))
    sides = texts_of(before, after)
    # Both texts can be empty although the file will be created: then there is no difference of content.
    return sides if before != after or "before" not in sides else {}


def _head(kind: type[Reader], path: str) -> bytes:
    """Return the beginning of a regular file, one byte more than is shown; nothing of an unreadable file.

    Raises LinkNotFollowed.
    """
    try:
        with kind(path) as reader:
            head = b""
            for chunk in reader.chunks():
                head += chunk
                if len(head) > LARGEST_SHOWN:
                    break
            return head[: LARGEST_SHOWN + 1]
    except LinkNotFollowed:
        raise
    except (HostError, OSError):
        return b""


def _attributes(properties: FileProperties, state: FileState) -> tuple[dict[str, str], dict[str, str]]:
    before, after = {}, {}
    if properties.ensure != state.ensure:
        before["ensure"], after["ensure"] = state.ensure, properties.ensure
    if state.symlink:
        before["ensure"], after["ensure"] = f"link -> {state.link}", properties.ensure
    if properties.ensure == ABSENT:
        return before, after
    metadata = state.metadata
    if properties.ensure == LINK and metadata.get("target") != properties.target:
        before.update({"target": metadata["target"]} if "target" in metadata else {})
        after["target"] = properties.target
    there = {"owner": metadata.get("owner"), "group": metadata.get("group"), "mode": metadata.get("mode")}
    wanted = {"owner": properties.owner, "group": properties.group, "mode": wanted_mode(state, properties)}
    if properties.ensure == LINK:
        del wanted["mode"]
    kept: dict[str, str | None] = dict(there)
    if state.ensure != properties.ensure:
        kept.update(owner=user_name(os.geteuid()), group=group_name(os.getegid()))
    has_wanted_id = {"owner": state.wanted_uid == state.uid, "group": state.wanted_gid == state.gid, "mode": False}
    for name in wanted:
        value = wanted[name]
        shown = (kept[name] if value is None else value) or ""
        if state.ensure == ABSENT:
            after[name] = shown
        elif there[name] != shown and not has_wanted_id[name]:
            before[name], after[name] = there[name] or "", shown
    return before, after
