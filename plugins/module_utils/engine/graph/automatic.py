# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Edges between resources that provide and want the same identities (docs/graph.md, Automatic edges)."""

from __future__ import annotations

from ...model.facets import DIRECTORY, GROUP, PATH, TREE, UNIT, UNIT_DIRECTORIES, USER, Identity
from .graph import AUTO, Edge, Graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, Mapping, Sequence

    #: Returns the files of installed packages by the names of packages.
    FilesOf = Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
    #: Returns which of some groups is now the primary group of each of some users, by their names.
    PrimaryGroups = Callable[[Iterable[str], Iterable[str]], Mapping[str, str]]

#: Notes on edges whose package is only a guess.
_NOT_INSTALLED = " (a guess by name: it is not installed yet)"
_NOT_OF_ANY = " (a guess by name: no package of the manifest has it)"


class Related:
    """The identities that a resource provides and wants, or removes if it `is_absent`; `installs` are its packages."""

    def __init__(
        self,
        provides: Sequence[Identity] = (),
        wants: Sequence[Identity] = (),
        installs: Sequence[str] = (),
        *,
        is_absent: bool = False,
    ) -> None:
        self.provides = provides
        self.wants = wants
        self.installs = installs
        self.is_absent = is_absent


def automatic_edges(
    related: Sequence[Related],
    names: Sequence[str],
    files_of: FilesOf | None = None,
    primary_groups: PrimaryGroups | None = None,
) -> Iterator[Edge]:
    """Yield the edges of resources, whose references are `names`: providers come before the resources that want them.

    A resource that removes something comes after the resources that want it. A group can only be removed when it is the
    primary group of no user, so users want the group that is theirs now. Without `files_of` packages provide nothing.
    """
    providers = _Providers(related, names, files_of)
    left = _groups_to_leave(related, primary_groups) if primary_groups else {}
    for index, resource in enumerate(related):
        seen = {index}
        groups = [left[identity] for identity in resource.provides if identity in left] if left else []
        for wanted in (*resource.wants, *groups):
            for other, reason in providers.of(wanted, index):
                if other in seen or names[other] == names[index]:
                    continue
                seen.add(other)
                if related[other].is_absent:
                    yield Edge(AUTO, index, other, f"{names[index]} {reason}, which is removed")
                else:
                    yield Edge(AUTO, other, index, f"{names[index]} {reason}")


def _groups_to_leave(related: Sequence[Related], primary_groups: PrimaryGroups) -> dict[Identity, Identity]:
    """Return the primary groups, by users that resources provide or remove, which other resources remove."""
    groups, users = (
        {each.name for resource in resources for each in resource.provides if each.kind == kind}
        for kind, resources in ((GROUP, [each for each in related if each.is_absent]), (USER, related))
    )
    found = primary_groups(users, groups) if users and groups else {}
    return {Identity(USER, user): Identity(GROUP, group) for user, group in found.items()}


class _Providers:
    """Finds resources by the identities that they provide."""

    def __init__(self, related: Sequence[Related], names: Sequence[str], files_of: FilesOf | None) -> None:
        self._names = names
        self._indexes: dict[tuple[str, str], list[int]] = {}
        self._directories: dict[str, list[int]] = {}
        self._trees: dict[str, list[int]] = {}
        self._packages: dict[str, int] = {}
        above = {DIRECTORY: self._directories, TREE: self._trees}
        for index, resource in enumerate(related):
            for identity in resource.provides:
                self._indexes.setdefault((identity.kind, identity.name), []).append(index)
                if identity.kind in above:
                    above[identity.kind].setdefault(identity.name, []).append(index)
            for package in resource.installs if files_of else ():
                self._packages.setdefault(package, index)
        # The packages that ship the wanted identities and the directories /etc/NAME.
        self._shipped: dict[Identity, str] = {}
        self._installed: set[str] = set()
        wanted = {identity for resource in related for identity in resource.wants} if self._packages else ()
        if files_of and wanted:
            sought: dict[str, list[Identity]] = {}
            for identity in wanted:
                for path in _paths_of(identity):
                    sought.setdefault(path, []).append(identity)
            for package in self._packages:
                path = f"/etc/{package}"
                sought.setdefault(path, []).append(Identity(PATH, path))
            for package, files in files_of(self._packages).items():
                self._installed.add(package)
                for path in files:
                    for identity in sought.get(path, ()):
                        self._shipped.setdefault(identity, package)

    def of(self, wanted: Identity, index: int) -> list[tuple[int, str]]:
        """Return the providers of an identity that the resource `index` wants, other than it, each with the reason."""
        found = []
        for other in self._indexes.get((wanted.kind, wanted.name), ()):
            if other != index:
                found.append((other, f"wants the {wanted.kind} {wanted.name} of {self._names[other]}"))
        package, note = self._package_of(wanted) if self._packages else ("", "")
        if package:
            other = self._packages[package]
            found.append((other, f"wants the {wanted.kind} {wanted.name} of {self._names[other]}{note}"))
        if wanted.kind == PATH and (self._directories or self._trees):
            found += self._above(wanted.name, index)
        return found

    def _package_of(self, wanted: Identity) -> tuple[str, str]:
        """Return the package that has an identity, "" for none, and a note if the package is a guess."""
        shipped = self._shipped.get(wanted)
        if shipped:
            return shipped, ""
        parts = wanted.name.split("/")
        if wanted.kind == UNIT:
            package = wanted.name.rpartition(".")[0]
        elif wanted.kind in (USER, GROUP):
            package = wanted.name
        else:
            package = parts[2] if wanted.kind == PATH and len(parts) > 3 and parts[1] == "etc" else ""
        if package not in self._packages:
            return "", ""
        shipped = self._shipped.get(Identity(PATH, f"/etc/{package}"))
        if shipped and wanted.kind == PATH:
            return shipped, ""
        return package, _NOT_OF_ANY if package in self._installed else _NOT_INSTALLED

    def _above(self, path: str, index: int) -> Iterator[tuple[int, str]]:
        """Yield the providers of the nearest managed directory that is the path or holds it."""
        is_own = index in self._directories.get(path, ())
        while True:
            found = [*self._directories.get(path, ()), *(() if is_own else self._trees.get(path, ()))]
            nearest = [other for other in found if other != index]
            if nearest or path in ("/", ""):
                break
            path, is_own = path.rpartition("/")[0] or "/", False
        for other in nearest:
            yield other, f"is in {path} of {self._names[other]}"


def _paths_of(identity: Identity) -> list[str]:
    """Return the paths that a package would have for a wanted identity."""
    if identity.kind == UNIT:
        return [directory + identity.name for directory in UNIT_DIRECTORIES]
    return [identity.name] if identity.kind == PATH else []


def add_automatic(graph: Graph, edges: Iterable[Edge]) -> list[Edge]:
    """Add automatic edges to a graph without circles, and return the edges left out because they contradict others.

    No edge is added where the graph already has one between the same resources.
    """
    known = {(edge.first, edge.then) for edge in graph.edges}
    added = [edge for edge in edges if (edge.first, edge.then) not in known]
    rank = {index: at for at, index in enumerate(graph.order())} if added else {}
    # First the edges that agree with the order: they make no circle.
    added.sort(key=lambda edge: rank[edge.first] > rank[edge.then])
    dropped = []
    for edge in added:
        if rank[edge.first] > rank[edge.then] and edge.first in graph.after((edge.then,)):
            dropped.append(edge)
        else:
            graph.add(edge)
    return dropped
