# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is to be done about an archive that is not as it was asked for (features.md 5, decisions.md Q57)."""

from __future__ import annotations

from ...model.resource import Decision
from .type import ABSENT, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.resource import Properties
    from ...model.state import State


def remedy(state: State, properties: Properties) -> Decision:
    """The rows of the decision table in which something differs.

    What is fetched is put in its place after it was unpacked: a run that is killed in between does all of it again.
    """
    if properties.ensure == ABSENT:
        return Decision(("remove",), "Would have removed")
    there = state.metadata
    is_right = state.ensure == PRESENT and bool(properties.checksum) and state.known.get("kind") != "not unpacked"
    is_right = is_right and properties.checksum.lower() == there.get("checksum", "")
    extracts = bool(properties.extract_parent)
    if is_right:
        extracts = extracts and bool(properties.creates) and not there.get("creates_exists")
    verbs: list[str] = []
    would: list[str] = []
    if not is_right:
        verbs.append("fetch" if extracts or properties.cleanup else "download")
        would.append("downloaded")
    if extracts:
        verbs.append("extract")
        would.append("extracted")
    if properties.cleanup:
        verbs.append("clean_up")
        would.append("cleaned up")
    elif verbs[:1] == ["fetch"]:
        verbs.append("store")
    elif is_right and not _is_owned(state, properties):
        verbs.append("set_owner")
        would.append("updated attributes")
    return Decision(tuple(verbs), ". ".join(f"Would have {what}" for what in would))


def _is_owned(state: State, properties: Properties) -> bool:
    there, known = state.metadata, state.known
    return all(
        there[who] == getattr(properties, who) or known[f"wanted_{kind}"] == known[kind]
        for who, kind in (("owner", "uid"), ("group", "gid"))
    )
