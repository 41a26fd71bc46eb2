# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package type: a package of the operating system, present, absent, at its latest or at one version."""

from __future__ import annotations

from ...lang.gofmt import quote
from ...model.errors import InvalidResource
from ...model.resource import Properties, ResourceType
from ..names import DANGEROUS, check_name

PRESENT = "present"
ABSENT = "absent"
LATEST = "latest"


class PackageType(ResourceType):
    """Packages (features.md 8)."""

    name = "package"

    def validate_own(self, properties: Properties) -> None:
        """Refuse names and versions that are no word for a package manager."""
        check_name("package", properties.name)
        if properties.ensure not in (PRESENT, ABSENT, LATEST) and DANGEROUS.intersection(properties.ensure):
            raise InvalidResource(
                f"package version/ensure contains dangerous characters: {quote(properties.ensure)}",
                property="ensure",
                value=properties.ensure,
            )


PACKAGE = PackageType()
