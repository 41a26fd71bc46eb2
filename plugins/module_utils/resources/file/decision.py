# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is to be done about a file that is not as it was asked for (features.md 7)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from ...model.resource import Decision
from .type import ABSENT, DIRECTORY, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.resource import Properties
    from ...model.state import State


def remedy(state: State, properties: Properties) -> Decision:
    """The rows of the decision table in which something differs.

    Raises ResourceFailed where a file stands in a directory's place, a directory in a file's, or a link in the way.
    """
    if properties.ensure == DIRECTORY:
        if state.ensure == PRESENT and not state.known["symlink"]:
            raise ResourceFailed(f"mkdir {properties.name}: not a directory", property="ensure")
        return Decision(("make_directory",), "Would have created directory")
    if properties.ensure == ABSENT:
        return Decision(("remove",), _removal(state.ensure, properties.force))
    if state.ensure == DIRECTORY:
        raise ResourceFailed(f"{properties.name} exists as a directory; cannot manage it as a file", property="ensure")
    managed = properties.content is not None or properties.source
    if not managed and state.ensure == PRESENT:
        if state.known["symlink"]:
            raise ResourceFailed(f"{properties.name} is a symlink; refusing to set attributes through it")
        return Decision(("set_attributes",), "Would have updated attributes")
    if not managed:
        return Decision(("store",), "Would have created an empty file with requested attributes")
    return Decision(("store",), "Would have created the file")


def _removal(ensure: str, force: bool) -> str:
    if ensure != DIRECTORY:
        return "Would have removed the file"
    return "Would have recursively removed the directory" if force else "Would have removed the directory"
