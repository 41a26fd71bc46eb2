# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What archives provide and want."""

from __future__ import annotations

from ...model.relations import PATH, TREE, Identity, Relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ArchiveProperties


class ArchiveRelations(Relations["ArchiveProperties"]):
    """What archives provide and want."""

    def provides(self, properties: ArchiveProperties) -> list[Identity]:
        """Return the archive itself, and the directory that it is unpacked into."""
        unpacked = [Identity(TREE, properties.extract_parent)] if properties.extract_parent else []
        return [Identity(PATH, properties.name), *unpacked]

    def wants(self, properties: ArchiveProperties) -> list[Identity]:
        """Return both places, for the directories above them."""
        return [Identity(PATH, path) for path in (properties.name, properties.extract_parent) if path]


RELATIONS = ArchiveRelations()
