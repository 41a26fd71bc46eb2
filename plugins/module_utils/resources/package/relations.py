# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What resources of packages provide."""

from __future__ import annotations

from ...model.property import Property
from ...model.relations import Relations
from .type import REMOVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data
    from .type import PackageProperties

# What is in them after the last change: of dpkg, of rpm, and of rpm where it is with the files of the system.
_DATABASES = (
    "/var/lib/dpkg/status",
    "/var/lib/rpm/rpmdb.sqlite",
    "/var/lib/rpm/rpmdb.sqlite-wal",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite-wal",
)


class PackageRelations(Relations["PackageProperties"]):
    """What resources of packages provide."""

    sends = (
        Property("version", help="The installed version, or absent."),
        Property("arch", help="The architecture of what is installed."),
    )

    def installs(self, properties: PackageProperties) -> list[str]:
        """Return the package."""
        return [properties.name]

    def watches(self, properties: PackageProperties) -> list[str]:
        """Return the databases of package managers."""
        return list(_DATABASES)

    def remains(self, properties: PackageProperties) -> str | None:
        """Return that its state shows it, unless the package is removed."""
        return None if properties.ensure in REMOVED else ""

    def sent(self, properties: PackageProperties, state: State) -> Data:
        """Return what is installed."""
        return {key: state.metadata[key] for key in ("version", "arch") if key in state.metadata}


RELATIONS = PackageRelations()
