# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What resources of packages provide."""

from __future__ import annotations

from ...model.relations import Relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import PackageProperties


class PackageRelations(Relations["PackageProperties"]):
    """What resources of packages provide."""

    def installs(self, properties: PackageProperties) -> list[str]:
        """Return the package."""
        return [properties.name]


RELATIONS = PackageRelations()
