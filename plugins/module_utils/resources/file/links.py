# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a path where a symbolic link is wanted: no link is followed (behaviour.md 7.2)."""

from __future__ import annotations

from ...host.errors import HostError
from ...host.link_files import entry_at
from ...host.reading import NOTHING, FileInfo
from .posix import absent_state, tolerate
from .type import LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .posix import PosixFileProvider
    from .type import FileProperties, FileState


def link_state(provider: PosixFileProvider, properties: FileProperties) -> FileState:
    """Return the state; neither a link at the path nor its target is followed. Raises HostError."""
    state = absent_state(properties.name, provider.name)
    try:
        there = entry_at(properties.name)
    except HostError as error:
        tolerate(error, properties.name, provider.user_log)
        return state
    if there is None:
        state.entry = NOTHING
        return state
    found = FileInfo(there.found, False)
    state = provider.present(properties, found, "")
    if there.is_link:
        # Of a link the size is the length of its target.
        state.metadata.pop("size", None)
        state.ensure, state.irregular, state.metadata["target"] = LINK, "", there.target
    provider.compare_owners(properties, state)
    return state
