# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which packages apt-get may install, upgrade or remove together, with the same result as one after the other.

One after the other means that each finds the result of those before it: a package that an earlier one installed as a
dependency exists and stays marked as automatic, and dependencies are chosen without the packages that follow. So
packages are managed together only when apt has no choice and none is related to another:

- apt, in a simulation with all of them, would remove nothing and upgrade nothing but them;
- all else that it would install is needed or recommended by one of them, in the only way or as the first of several
  alternatives, and nothing recommended is left out;
- none is among the dependencies of another, nor in its conflicts, breaks or replaces.

When a package is removed, all that need it are removed too, so no installed package that stays may depend on it.
"""

from __future__ import annotations

from ...host.errors import HostError
from ...model.errors import CCMError
from . import apt_relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

    from ...host.machine import Machine
    from .apt import AptProvider
    from .apt_relations import Relations
    from .type import PackageProperties

# Only the name of a package: apt-get reads a sign at the end as an order and a colon as an architecture.
_SIMPLE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+.-")


class Reach:
    """What an action on a package may change: `packages`, itself included.

    The same command must not change any of the `refused` names. `alone` when the result depends on others in ways that
    are not checked.
    """

    def __init__(self, packages: set[str], refused: set[str], *, alone: bool) -> None:
        self.packages = packages
        self.refused = refused
        self.alone = alone


class Plan:
    """The known relations of some resources, valid only while these are managed.

    `acting` were to be checked, the first `count` of them were. `collections` are packages of the sections metapackages
    and tasks: apt does not mark their dependencies as automatic.
    """

    def __init__(
        self,
        verb: str,
        acting: Sequence[PackageProperties],
        count: int,
        reaches: dict[str, Reach],
        collections: set[str],
    ) -> None:
        self._verb = verb
        # The resources themselves, not their names: the same package may be managed again later in the run.
        self._to_check = {id(properties): properties for properties in acting}
        self._checked = {id(properties) for properties in acting[:count]}
        self._reaches = reaches
        self._collections = collections

    @classmethod
    def make(cls, verb: str, acting: Sequence[PackageProperties], provider: AptProvider, last: Plan | None) -> Plan:
        """Check all of the resources, or the first half when apt would not change all together, and so on.

        When the `last` plan was for the same resources, the next begins with twice its number.
        """
        count = len(acting)
        if last is not None and last.was_to_check(acting):
            count = min(count, 2 * last.size)
        while count > 1:
            names = [properties.name for properties in acting[:count]]
            found = _analysed(verb, names, provider)
            if found is not None:
                return cls(verb, acting, count, *found)
            count //= 2
        return cls(verb, acting, 1, {}, set())

    def covers(self, verb: str, acting: Sequence[PackageProperties]) -> bool:
        """Return whether all of these resources were checked for the verb."""
        return verb == self._verb and all(id(properties) in self._checked for properties in acting)

    def was_to_check(self, acting: Sequence[PackageProperties]) -> bool:
        """Return whether these resources are among the resources to be checked."""
        return all(id(properties) in self._to_check for properties in acting)

    @property
    def size(self) -> int:
        """The number of resources that were checked."""
        return len(self._checked)

    def parts(
        self, acting: Sequence[PackageProperties], settled: Sequence[PackageProperties]
    ) -> list[list[PackageProperties]]:
        """Return the resources cut at each resource that is related to an earlier one of its part.

        With uninstall `settled` are absent. A package whose relations mention one of them gets a part of its own.
        """
        absent = {properties.name for properties in settled} if self._verb == "uninstall" else set()
        for reach in self._reaches.values():
            reach.alone = reach.alone or not absent.isdisjoint(reach.refused)
        parts: list[list[PackageProperties]] = []
        for properties in acting:
            if parts and all(self._are_independent(member.name, properties.name) for member in parts[-1]):
                parts[-1].append(properties)
            else:
                parts.append([properties])
        return parts

    def _are_independent(self, one: str, other: str) -> bool:
        first, second = self._reaches.get(one), self._reaches.get(other)
        if first is None or second is None or first.alone or second.alone:
            return False
        if other in first.packages or one in second.packages:
            return False
        # A collection marks a shared dependency otherwise.
        reached = first.packages | second.packages
        if self._collections & reached and first.packages & second.packages:
            return False
        return not (first.refused & second.packages or second.refused & first.packages)


def _analysed(verb: str, names: list[str], provider: AptProvider) -> tuple[dict[str, Reach], set[str]] | None:
    """Return the reach of an action on each of the names, and the collections of a Plan; None when that is unknown."""
    if not all(_SIMPLE.issuperset(name) and name[0].isalnum() and name[-1] not in "+-" for name in names):
        return None
    try:
        if verb == "uninstall":
            return _removals(names, provider), set()
        return _installations(verb, names, provider)
    except (CCMError, HostError):
        return None


def _removals(names: list[str], provider: AptProvider) -> dict[str, Reach]:
    """Return the reach of each removal: the package, and the packages that depend on it.

    It is alone when one of those stays, or when it has several architectures.
    """
    installed = apt_relations.installed_relations(provider.machine)
    needed_by: dict[str, set[str]] = {}
    for package in installed.values():
        for alternative in {each for group in package.needs for each in group}:
            needed_by.setdefault(alternative, set()).add(package.name)
    reaches = {}
    for name in names:
        own = installed[name].names if name in installed else {name}
        touched = {name}.union(*(needed_by.get(each, ()) for each in own))
        alone = not touched.issubset(names) or bool(provider.package(name).others)
        # dpkg keeps a record of an absent package only while the relations of an installed one mention it.
        forgotten = installed[name].mentioned | installed[name].hints if name in installed else set()
        reaches[name] = Reach(touched, forgotten, alone=alone)
    return reaches


def _installations(verb: str, names: list[str], provider: AptProvider) -> tuple[dict[str, Reach], set[str]] | None:
    wanted = [f"{name}={provider.candidate(name)}" for name in names] if verb == "install_latest" else names
    expected = apt_relations.simulated_installs(provider.machine, wanted)
    if not set(names) <= set(expected) or any(version and name not in names for name, version in expected.items()):
        return None
    candidates = apt_relations.candidate_relations(provider.machine, expected)
    if set(candidates) != set(expected):
        return None
    installed = apt_relations.installed_relations(provider.machine)
    walk = _Walk(provider.machine, candidates, installed)
    reaches = {name: walk.reach(name) for name in names}
    if set().union(*(reach.packages for reach in reaches.values())) != set(expected):
        return None
    for name in names:
        if expected[name]:
            walk.widen_for_upgrade(reaches[name], name)
    return reaches, {name for name, package in candidates.items() if package.is_collection}


class _Walk:
    """A search, among the `candidates` that apt would install, for packages that come with one package."""

    def __init__(self, machine: Machine, candidates: dict[str, Relations], installed: dict[str, Relations]) -> None:
        self._machine = machine
        self._candidates = candidates
        self._installed = installed
        self._providers: dict[str, set[str]] = {}
        for package in candidates.values():
            for name in package.names:
                self._providers.setdefault(name, set()).add(package.name)
        self._there = set().union(*(package.names for package in installed.values())) if installed else set()
        self._recommended: bool | None = None

    def reach(self, name: str) -> Reach:
        """Return what an installation of only this package would install, and what that conflicts with."""
        packages: set[str] = set()
        refused: set[str] = set()
        alone = False
        waiting = [name]
        while waiting:
            at = waiting.pop()
            if at in packages:
                continue
            packages.add(at)
            package = self._candidates[at]
            refused |= self._all_of(package.refuses)
            for group in package.wants:
                chosen = self._all_of(group).intersection(self._candidates)
                waiting.extend(chosen)
                alone = alone or not self._is_plain(group, chosen, needed=group in package.needs)
        return Reach(packages, refused, alone=alone)

    def widen_for_upgrade(self, reach: Reach, name: str) -> None:
        """Add to `refused` what the old and the new version are related to, and what others accept in its place."""
        package = self._candidates[name]
        before = self._installed.get(name, package)
        own = package.names | before.names
        reach.refused |= self._all_of(before.mentioned | package.mentioned)
        for other in (*self._installed.values(), *self._candidates.values()):
            for group in other.needs:
                if len(group) > 1 and own.intersection(group):
                    reach.refused |= self._all_of(group)

    def _all_of(self, names: Iterable[str]) -> set[str]:
        """Return the names, and the packages to be installed that provide them."""
        return {*names}.union(*(self._providers.get(each, ()) for each in names))

    def _is_plain(self, group: tuple[str, ...], chosen: set[str], *, needed: bool) -> bool:
        """Return whether a requirement leaves no choice, independent of the other installed packages."""
        if chosen:
            there = self._there.intersection(group) - chosen
            return chosen == {group[0]} and not there
        if not self._there.isdisjoint(group):
            return True
        return not needed and not (self._recommends_count() and apt_relations.candidate_relations(self._machine, group))

    def _recommends_count(self) -> bool:
        if self._recommended is None:
            self._recommended = apt_relations.installs_recommended(self._machine)
        return self._recommended
