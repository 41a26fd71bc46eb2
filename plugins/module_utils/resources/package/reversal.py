# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the installation of packages, and a change of their mark, is undone."""

from __future__ import annotations

from ...model.reversal import Reversal
from .type import ABSENT, NONE, PRESENT, REMOVED, PackageProperties, PackageState
from .type import TYPE as PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.reversal import Parts
    from ...model.values import Data

_VERSION, _MARK = "version", "mark"
_MARKING = {"hold", "unhold"}


class PackageReversal(Reversal[PackageProperties, PackageState]):
    """A package that was not installed before is removed again, and one whose mark was changed has it again.

    Upgrades and removals are not undone. A package with another name than the resource is not removed: its undo fails.
    """

    def is_reversible(self, properties: PackageProperties, state: PackageState) -> bool:
        """Return whether the package is going to be installed, which it was not, or only its mark changes."""
        if properties.ensure in REMOVED:
            return False
        if state.ensure == ABSENT:
            return not state.partial
        return bool(state.mark) and _MARKING.issuperset(PACKAGE.decide(state, properties, False).verbs)

    def parts(self, properties: PackageProperties, state: PackageState) -> Parts:
        """Return the version, and the mark where that is managed."""
        found: Parts = {_VERSION: _version(properties, state)}
        if state.mark:
            found[_MARK] = state.mark
        return found

    def undone(self, properties: PackageProperties, parts: Parts) -> Data:
        """Return the properties of a package that is removed, or of one that has its former mark again."""
        if parts[_VERSION] == ABSENT:
            mark = {"mark": NONE} if _MARK in parts else {}
            return {"ensure": ABSENT, **mark, "provider": properties.provider}
        return {"ensure": PRESENT, "mark": parts.get(_MARK, NONE), "provider": properties.provider}


def _version(properties: PackageProperties, state: PackageState) -> str:
    """Return the version, or what provides the name: that is another text before and after, so no undo passes it."""
    if state.provided_by:
        return f"{state.ensure}, provided by {', '.join(state.provided_by)}"
    if state.package not in ("", properties.name, properties.name.partition(":")[0]):
        return f"{state.ensure} of {state.package}"
    return state.ensure


REVERSAL = PackageReversal()
