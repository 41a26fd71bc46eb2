# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What archives provide and want."""

from __future__ import annotations

from ...model.property import Property
from ...model.relations import PATH, TREE, Identity, Relations
from .type import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data
    from .type import ArchiveProperties


class ArchiveRelations(Relations["ArchiveProperties"]):
    """What archives provide and want."""

    sends = (Property("checksum", help="The SHA-256 of the archive in hexadecimal."),)

    def provides(self, properties: ArchiveProperties) -> list[Identity]:
        """Return the archive itself, and the directory that it is unpacked into."""
        unpacked = [Identity(TREE, properties.extract_parent)] if properties.extract_parent else []
        return [Identity(PATH, properties.name), *unpacked]

    def wants(self, properties: ArchiveProperties) -> list[Identity]:
        """Return both places, for the directories above them."""
        return [Identity(PATH, path) for path in (properties.name, properties.extract_parent) if path]

    def watches(self, properties: ArchiveProperties) -> list[str]:
        """Return the archive, and what is unpacked from it."""
        return [path for path in (properties.name, properties.creates) if path]

    def remains(self, properties: ArchiveProperties) -> str | None:
        """Return what is unpacked, else the archive, unless it is removed."""
        if properties.ensure == ABSENT:
            return None
        return properties.creates or (properties.extract_parent if properties.cleanup else properties.name)

    def sent(self, properties: ArchiveProperties, state: State) -> Data:
        """Return the checksum of the archive, when that is there."""
        return {key: state.metadata[key] for key in ("checksum",) if key in state.metadata}


RELATIONS = ArchiveRelations()
