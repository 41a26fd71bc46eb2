# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which packages one dnf command may install or remove, with the same result as one after the other.

One after the other means that each finds the result of those before it: a package that an earlier one installed as a
dependency exists, is marked as a dependency, and its own resource is stable.

Packages are installed together when each of them

- requires and recommends only names that it or an installed package provides,
- supplements and enhances nothing, is of no module, and has no configuration of dnf,
- neither conflicts with nor obsoletes another of them or anything installed,
- provides nothing that another of them provides.

Packages that supplement them are not checked.

Packages are removed together when the removal of none reaches another. It reaches

- the packages that need the removed one, directly or through others,
- what these need and what supplements them, directly or through others.
"""

from __future__ import annotations

import os

from ...host.results import decode, output_lines
from ...lang.versions.rpm import compare_part, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from ...host.machine import Machine
    from ...host.results import Result

# For two packages, the check costs as much as it saves.
WORTHWHILE = 3

# A package that adds repositories changes the packages after it.
_CONFIGURATION = ("/etc/yum.repos.d", "/etc/dnf", "/etc/yum", "/etc/distro.repos.d")

_RELATIONS = ("requires", "recommends", "supplements", "enhances", "conflicts", "obsoletes", "provides", "files")
_QUERY = "@%{name} %{release}\\n" + "".join(f"={relation}\\n%{{{relation}}}\\n" for relation in _RELATIONS)
_PROVIDED = "[%{PROVIDENAME} %{PROVIDEFLAGS:depflags} %{PROVIDEVERSION}\\n]"
_INSTALLED = (
    "@%{NAME}\\n=provides\\n[%{PROVIDENAME}\\n]=needs\\n[%{REQUIRENAME}\\n][%{RECOMMENDNAME}\\n][%{SUGGESTNAME}\\n]"
    "=supplements\\n[%{SUPPLEMENTNAME}\\n][%{ENHANCENAME}\\n]"
)


class Offers:
    """The repositories' data of some packages, queried once; `look` runs a dnf command that changes nothing."""

    def __init__(self, names: list[str], look: Callable[[list[str]], Result]) -> None:
        self._names = set(names)
        self._repository_files = _repositories()
        self.packages: dict[str, dict[str, set[str]]] = {}
        result = look(["repoquery", "--latest-limit=1", "--qf", _QUERY, *names])
        for head, relations in _records(decode(result.stdout)) if result.exit_code == 0 else ():
            name, _space, release = head.partition(" ")
            found = self.packages.setdefault(name, {relation: set() for relation in _RELATIONS})
            for relation in _RELATIONS:
                found[relation] |= relations.get(relation, set())
            if ".module" in release:
                found["supplements"].add(release)

    def cover(self, names: list[str]) -> bool:
        """Return whether the packages were queried, and the repositories are the same."""
        return self._names.issuperset(names) and self._repository_files == _repositories()


def installable(machine: Machine, names: list[str], offered: dict[str, dict[str, set[str]]]) -> set[str]:
    """Return the absent packages that one command may install; `offered` is as in Offers."""
    there = _provided(machine)
    plain = {name for name in names if name in offered and _brings_nothing(machine, offered[name], there)}
    free: set[str] = set()
    refused: set[str] = set()
    for name in names:
        if name in plain:
            own = {_name_of(each) for each in offered[name]["provides"]} | {name}
            refuses = {_name_of(each) for each in offered[name]["conflicts"] | offered[name]["obsoletes"]}
            others = {_name_of(each) for other in plain - {name} for each in offered[other]["provides"]}
            if refuses.isdisjoint(others | set(there)) and own.isdisjoint(others) and own.isdisjoint(refused):
                free.add(name)
            refused |= refuses
    return free


def _repositories() -> list[tuple[int, int] | None]:
    stamps: list[tuple[int, int] | None] = []
    for path in _CONFIGURATION:
        try:
            found = os.stat(path)
            stamps.append((found.st_ino, found.st_mtime_ns))
        except OSError:
            stamps.append(None)
    return stamps


def removable(machine: Machine, names: list[str]) -> set[str]:
    """Return the installed packages that one command may remove."""
    packages = _installed(machine)
    if not packages or not all(name in packages for name in names):
        return set()
    removed_with, keeps = _ties(machine, packages)
    reaches = {}
    for name in names:
        gone = _closure({name}, removed_with)
        reaches[name] = _closure(gone, keeps)
    bound = {name for name in names for other in names if other != name and other in reaches[name]}
    bound |= {name for name in names if not bound.isdisjoint(reaches[name])}
    return set(names) - bound


def _records(text: str) -> list[tuple[str, dict[str, set[str]]]]:
    """Return the records of a text: the head of each, and its groups of lines by name.

    A line `@HEAD` begins a record, a line `=NAME` in it begins a group; each other line belongs to the last group.
    """
    records: list[tuple[str, dict[str, set[str]]]] = []
    lines: set[str] = set()
    for line in text.split("\n"):
        if line.startswith("@"):
            records.append((line[1:], {}))
        elif line.startswith("=") and records:
            lines = records[-1][1].setdefault(line[1:], set())
        elif line and line != "(none)":
            lines.add(line)
    return records


def _brings_nothing(machine: Machine, package: dict[str, set[str]], there: dict[str, list[tuple[str, str]]]) -> bool:
    if (
        package["supplements"]
        or package["enhances"]
        or any(path.startswith(_CONFIGURATION) for path in package["files"])
    ):
        return False
    own = _by_name(package["provides"])
    paths = []
    for wanted in package["requires"] | package["recommends"]:
        if wanted.startswith("/"):
            paths.append(wanted)
        elif not wanted.startswith("rpmlib(") and not (_is_satisfied(wanted, there) or _is_satisfied(wanted, own)):
            return False
    return not paths or _are_provided(machine, paths)


def _by_name(lines: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Capabilities, each `NAME` or `NAME OPERATOR VERSION`, by name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        name, operator, version = ([*line.split(), "", ""])[:3]
        found.setdefault(name, []).append((operator, version))
    return found


def _is_satisfied(wanted: str, there: dict[str, list[tuple[str, str]]]) -> bool:
    """Return whether a requirement is certainly met; one with conditions never is."""
    name, operator, version, *_rest = [*wanted.split(), "", ""]
    if wanted.startswith("(") or name not in there:
        return False
    if not operator:
        return True
    return any(has == "=" and fits(provided, operator, version) for has, provided in there[name])


def fits(provided: str, operator: str, wanted: str) -> bool:
    """Return whether a version is `=`, `<`, `>`, `<=` or `>=` another one; both are [EPOCH:]VERSION[-RELEASE]."""
    have, want = parse(provided), parse(wanted)
    order = (have.epoch or 0) - (want.epoch or 0) or compare_part(have.version, want.version)
    if not order and have.release and want.release:
        order = compare_part(have.release, want.release)
    return ("=" in operator and order == 0) or (">" in operator and order > 0) or ("<" in operator and order < 0)


def _name_of(capability: str) -> str:
    return capability.split()[0]


def _provided(machine: Machine) -> dict[str, list[tuple[str, str]]]:
    result = machine.query(["rpm", "-qa", "--queryformat", _PROVIDED])
    return _by_name(output_lines(result.stdout)) if result.exit_code == 0 else {}


def _are_provided(machine: Machine, paths: list[str]) -> bool:
    return machine.query(["rpm", "-q", "--whatprovides", *paths]).exit_code == 0


def _installed(machine: Machine) -> dict[str, dict[str, set[str]]]:
    result = machine.query(["rpm", "-qa", "--queryformat", _INSTALLED])
    packages: dict[str, dict[str, set[str]]] = {}
    for name, relations in _records(decode(result.stdout)) if result.exit_code == 0 else ():
        found = packages.setdefault(name, {})
        for relation, lines in relations.items():
            found.setdefault(relation, set()).update(lines)
    return packages


def _ties(
    machine: Machine, packages: dict[str, dict[str, set[str]]]
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return, by package, the packages removed with it and the packages that it keeps installed; more when unclear.

    It keeps the packages that it needs, and the packages that supplement it. A needed path means all packages with any
    needed path, a condition all that it names.
    """
    providers: dict[str, set[str]] = {}
    paths: set[str] = set()
    for name, package in packages.items():
        for capability in (*package.get("provides", ()), name):
            providers.setdefault(capability, set()).add(name)
        paths |= {need for need in package.get("needs", ()) if need.startswith("/")}
    owners = _owners(machine, sorted(paths))
    removed_with: dict[str, set[str]] = {name: set() for name in packages}
    keeps: dict[str, set[str]] = {name: set() for name in packages}
    for name, package in packages.items():
        for need in package.get("needs", ()):
            for other in _meant(need, providers, owners):
                removed_with[other].add(name)
                keeps[name].add(other)
        for supplemented in package.get("supplements", ()):
            for other in _meant(supplemented, providers, owners):
                keeps[other].add(name)
    return removed_with, keeps


def _meant(capability: str, providers: dict[str, set[str]], owners: set[str]) -> set[str]:
    if capability.startswith("/"):
        return owners | providers.get(capability, set())
    if not capability.startswith("("):
        return providers.get(capability, set())
    words = (
        word.strip("()") if word.startswith("(") or word.count("(") < word.count(")") else word
        for word in capability.split()
    )
    return set().union(*(providers.get(word, set()) for word in words))


def _owners(machine: Machine, paths: list[str]) -> set[str]:
    if not paths:
        return set()
    result = machine.query(["rpm", "-q", "--whatprovides", "--queryformat", "%{NAME}\\n", *paths])
    return {line for line in output_lines(result.stdout) if " " not in line}


def _closure(start: set[str], ties: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(ties.get(name, ()))
    return reached
