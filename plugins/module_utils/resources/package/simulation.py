# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a package manager would do in noop: one simulation for each group that would change (decisions.md Q98).

A simulation that fails is a warning, not a failure: what makes it possible may come in the run, from a resource before
it, from a refreshed index, or from dpkg when it completes what was interrupted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...model.errors import CCMError
from .removals import log_removed
from .type import TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple

    from ...model.batch_provider import BatchProvider
    from .type import PackageProperties, PackageState

    #: Packages with their states.
    Members = List[Tuple[PackageProperties, PackageState]]

_MARKS = ("hold", "unhold")


class Simulation(ABC):
    """Simulates the changes of a run in noop, each package once."""

    def __init__(self, provider: BatchProvider[PackageProperties, PackageState]) -> None:
        self._provider = provider
        self._shown: set[tuple[str, str]] = set()

    @abstractmethod
    def removed(self, verb: str, members: Members) -> list[str]:
        """Return the names of the packages that a verb would remove. Raises ResourceFailed with the reason."""

    def show(self, verb: str, properties: PackageProperties, state: PackageState) -> None:
        """Log which other packages the verb would remove, for a package and those after it that may be its group."""
        if verb in _MARKS or (properties.name, properties.ensure) in self._shown:
            return
        members = self._group(verb, properties, state)
        self._shown |= {(member.name, member.ensure) for member, _state in members}
        if len(members) > 1 and self._show(verb, members, warn=False):
            return
        for member in members:
            self._show(verb, [member], warn=True)

    def _show(self, verb: str, members: Members, warn: bool) -> bool:
        log, label = self._provider.user_log, ", ".join(member.name for member, _state in members)
        try:
            removed = self.removed(verb, members)
        except CCMError as error:
            if warn:
                log.warn("The package manager would fail now", resource=f"package#{label}", reason=error.message)
            return False
        own = [name for _member, state in members for name in (state.package, state.metadata["name"])]
        log_removed(log, removed, own, label, "Would have removed other packages")
        return True

    def _group(self, verb: str, properties: PackageProperties, state: PackageState) -> Members:
        """Return the package, and the packages after it that the same verb would change, up to another verb."""
        members = [(properties, state)]
        siblings = list(self._provider.siblings)
        places = [at for at, sibling in enumerate(siblings) if _same(sibling, properties)]
        following = siblings[places[0] + 1 :] if places and _may_join(properties) else []
        for sibling in following:
            if sibling.ensure != properties.ensure or not _may_join(sibling):
                break
            try:
                found = self._provider.status(sibling)
                verbs = TYPE.decide(found, sibling, False).verbs
            except CCMError:
                break
            if verbs not in ((), (verb,)):
                break
            members += [(sibling, found)] if verbs else []
        return members


def _same(one: PackageProperties, other: PackageProperties) -> bool:
    return one.name == other.name and one.ensure == other.ensure


def _may_join(properties: PackageProperties) -> bool:
    """Return whether nothing but its wanted state decides whether a package is managed."""
    return not (properties.control or properties.require or properties.meta)
