# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is to be done about a file that is not as it was asked for (behaviour.md 7)."""

from __future__ import annotations

from ...model.decision import Decision, Step
from ...model.errors import ResourceFailed
from .type import ABSENT, DIRECTORY, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import FileProperties, FileState


def remedy(state: FileState, properties: FileProperties) -> Decision:
    """The rows of the decision table in which something differs.

    Raises ResourceFailed where a file stands in a directory's place, a directory in a file's, or a link in the way.
    """
    if properties.ensure == DIRECTORY:
        if state.ensure == PRESENT and not state.symlink:
            raise ResourceFailed(f"mkdir {properties.name}: not a directory", property="ensure")
        return Decision(Step("make_directory", "Would have created directory", "Created directory"))
    if properties.ensure == ABSENT:
        return Decision(_removal(state.ensure, properties.force))
    if state.ensure == DIRECTORY:
        raise ResourceFailed(f"{properties.name} exists as a directory; cannot manage it as a file", property="ensure")
    managed = properties.content is not None or properties.source
    if not managed and state.ensure == PRESENT:
        if state.symlink:
            raise ResourceFailed(f"{properties.name} is a symlink; refusing to set attributes through it")
        return Decision(Step("set_attributes", "Would have updated attributes", "Updated attributes"))
    if not managed:
        would = "Would have created an empty file with requested attributes"
        return Decision(Step("store", would, "Created an empty file with requested attributes"))
    return Decision(Step("store", "Would have created the file", "Created the file"))


def _removal(ensure: str, force: bool) -> Step:
    if ensure != DIRECTORY:
        return Step("remove", "Would have removed the file", "Removed the file")
    if force:
        return Step("remove", "Would have recursively removed the directory", "Recursively removed the directory")
    return Step("remove", "Would have removed the directory", "Removed the directory")
