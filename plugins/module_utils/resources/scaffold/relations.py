# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What scaffolds provide and want."""

from __future__ import annotations

from ...model.relations import PATH, TREE, Identity, Relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ScaffoldProperties


class ScaffoldRelations(Relations["ScaffoldProperties"]):
    """What scaffolds provide and want."""

    def provides(self, properties: ScaffoldProperties) -> list[Identity]:
        """Return the directory with what is rendered into it."""
        return [Identity(TREE, properties.name)]

    def wants(self, properties: ScaffoldProperties) -> list[Identity]:
        """Return the directory, for the one above it, and a source on the node."""
        sources = [properties.source] if properties.source.startswith("/") else []
        return [Identity(PATH, path) for path in (properties.name, *sources)]


RELATIONS = ScaffoldRelations()
