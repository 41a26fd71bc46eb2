# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the installation of packages is undone."""

from __future__ import annotations

from ...model.reversal import Reversal
from .type import ABSENT, PackageProperties, PackageState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.reversal import Parts
    from ...model.values import Data

_VERSION = "version"


class PackageReversal(Reversal[PackageProperties, PackageState]):
    """A package that was not installed before is removed again; upgrades and removals are not undone."""

    def is_reversible(self, properties: PackageProperties, state: PackageState) -> bool:
        """Return whether the package is going to be installed, which it was not."""
        return properties.ensure != ABSENT and state.ensure == ABSENT and not state.partial

    def parts(self, properties: PackageProperties, state: PackageState) -> Parts:
        """Return the version."""
        return {_VERSION: state.ensure}

    def undone(self, properties: PackageProperties, parts: Parts) -> Data:
        """Return the properties of a package that is removed."""
        return {"ensure": ABSENT, "provider": properties.provider}


REVERSAL = PackageReversal()
