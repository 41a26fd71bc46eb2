# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What applied manifests want."""

from __future__ import annotations

from ...model.relations import PATH, Identity, Relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ApplyProperties


class ApplyRelations(Relations["ApplyProperties"]):
    """What applied manifests want."""

    def wants(self, properties: ApplyProperties) -> list[Identity]:
        """Return a manifest with a whole path."""
        return [Identity(PATH, properties.name)] if properties.name.startswith("/") else []


RELATIONS = ApplyRelations()
