# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is to be done about an archive that is not as it was asked for (behaviour.md 5, decisions.md Q57)."""

from __future__ import annotations

from ...model.decision import Decision, Step
from .type import ABSENT, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ArchiveProperties, ArchiveState

_DOWNLOAD = Step("download", "Would have downloaded", "Downloaded")
_FETCH = Step("fetch", "Would have downloaded", "Downloaded")
_EXTRACT = Step("extract", "Would have extracted", "Extracted")
_CLEAN_UP = Step("clean_up", "Would have cleaned up", "Cleaned up")
_STORE = Step("store")
_SET_OWNER = Step("set_owner", "Would have updated attributes", "Updated attributes")


def remedy(state: ArchiveState, properties: ArchiveProperties) -> Decision:
    """The rows of the decision table in which something differs.

    What is fetched is put in its place after it was unpacked: a run that is killed in between does all of it again.
    """
    if properties.ensure == ABSENT:
        return Decision(Step("remove", "Would have removed", "Removed"))
    there = state.metadata
    is_right = state.ensure == PRESENT and bool(properties.checksum) and state.kind != "not unpacked"
    is_right = is_right and properties.checksum.lower() == there.get("checksum", "")
    extracts = bool(properties.extract_parent)
    if is_right:
        extracts = extracts and bool(properties.creates) and not there.get("creates_exists")
    is_fetched = not is_right and (extracts or properties.cleanup)
    steps = []
    if not is_right:
        steps.append(_FETCH if is_fetched else _DOWNLOAD)
    if extracts:
        steps.append(_EXTRACT)
    if properties.cleanup:
        steps.append(_CLEAN_UP)
    elif is_fetched:
        steps.append(_STORE)
    elif is_right and not _is_owned(state, properties):
        steps.append(_SET_OWNER)
    return Decision(*steps, separator=". ")


def _is_owned(state: ArchiveState, properties: ArchiveProperties) -> bool:
    there = state.metadata
    is_users = there["owner"] == properties.owner or state.wanted_uid == state.uid
    return is_users and (there["group"] == properties.group or state.wanted_gid == state.gid)
