# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The steps of decisions that make a directory, or remove a file or a directory."""

from __future__ import annotations

from ...lang.paths import join
from ...model.decision import Step
from ...model.errors import ResourceFailed
from .type import DIRECTORY, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import FileProperties, FileState


def making(state: FileState, properties: FileProperties) -> Step:
    """Return the step that makes a directory. Raises ResourceFailed for a file or a link to a directory."""
    would, done = "Would have created directory", "Created directory"
    if not state.symlink:
        if state.ensure == PRESENT:
            raise ResourceFailed(f"mkdir {properties.name}: not a directory", property="ensure")
        return Step("make_directory", would, done)
    if state.ensure == DIRECTORY or state.unreachable:
        raise ResourceFailed(
            f"{properties.name} is a symlink; refusing to set attributes through it: manage its target "
            f"{join(properties.name.rpartition('/')[0] or '/', state.link)} instead",
            property="ensure",
        )
    replaced = f" in place of link -> {state.link}"
    return Step("make_directory", would + replaced, done + replaced)


def removal(state: FileState, properties: FileProperties) -> Step:
    """Return the step that removes anything at the path; of a link it removes the link."""
    if state.symlink or state.ensure != DIRECTORY:
        return Step("remove", "Would have removed the file", "Removed the file")
    if properties.force:
        return Step("remove", "Would have recursively removed the directory", "Recursively removed the directory")
    return Step("remove", "Would have removed the directory", "Removed the directory")
