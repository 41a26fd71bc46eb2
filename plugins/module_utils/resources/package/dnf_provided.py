# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that no package has, but that packages provide or obsolete (decisions.md Q96).

Only missing packages come here, so a run in which all packages are installed does without this file.
"""

from __future__ import annotations

from ...host.results import output_lines
from .dnf_grouping import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence

    from ...host.machine import Machine
    from ...host.results import Result

_PROVIDED = "[%{=NAME} %{PROVIDENAME}\\n]"
_OBSOLETED = "[%{=NAME} %{OBSOLETENAME} %{OBSOLETEFLAGS:depflags} %{OBSOLETEVERSION}\\n]"
_OFFERED = "@%{name} %{evr} %{arch}\\n"


class ProvidedNames:
    """What provides the names of a run that are not installed: queried for all together, and again after a change.

    `query` runs a dnf command that changes nothing, `missing` returns all names of the run that are not installed,
    `fingerprint` a value that changes with rpm's database.
    """

    def __init__(
        self,
        machine: Machine,
        query: Callable[[list[str]], Result],
        missing: Callable[[], list[str]],
        fingerprint: Callable[[], object],
    ) -> None:
        self._machine = machine
        self._query = query
        self._missing = missing
        self._fingerprint = fingerprint
        self._seen: object = None
        # The installed packages that provide a name, with the versions that they obsolete: an operator and a version,
        # nothing for all versions, None where they obsolete none.
        self._found: dict[str, dict[str, Sequence[str] | None]] = {}
        self._offered: dict[str, list[str]] = {}
        self._not_offered: dict[str, int] = {}

    def standing_in(self, name: str) -> list[str]:
        """Return the installed packages that provide or obsolete a name, when dnf can install no package of that name.

        A package is not installed in the place of a package that obsoletes it. A name of which dnf says nothing, as its
        repositories fail, has a package: its installation reports why.
        """
        now = (self._machine.generation, self._fingerprint())
        if now != self._seen or name not in self._found:
            self._seen = now
            asked = self._asked(name)
            self._found = {each: {} for each in asked}
            for package, provided, _versions in self._installed("--whatprovides", _PROVIDED, asked):
                self._found[provided].setdefault(package, None)
            for package, obsoleted, versions in self._installed("--whatobsoletes", _OBSOLETED, asked):
                self._found[obsoleted][package] = versions
        found = self._found[name]
        obsoleted_versions = [versions for versions in found.values() if versions is not None]
        for offered in self._versions(name) if found else ():
            if not any(len(versions) < 2 or fits(offered, *versions) for versions in obsoleted_versions):
                return []
        return sorted(found)

    def has_package(self, name: str) -> bool:
        """Return whether dnf is offered a package of a name."""
        return bool(self._versions(name))

    def installable(self, name: str) -> list[str]:
        """Return the offered packages, by name, that provide a name, or else packages that obsolete it."""
        for option in ("--whatprovides", "--whatobsoletes"):
            result = self._query(["repoquery", "--latest-limit=1", "--qf", _OFFERED, option, name])
            found = {words[0] for words in _offers(result)}
            if found:
                return sorted(found)
        return []

    def _asked(self, name: str) -> list[str]:
        return list(dict.fromkeys([name, *self._missing()]))

    def _installed(self, option: str, form: str, names: list[str]) -> Iterator[tuple[str, str, list[str]]]:
        """Yield installed packages, each with one of the names and the versions of this name."""
        result = self._machine.query(["rpm", "-q", option, *names, "--queryformat", form])
        for line in output_lines(result.stdout):
            fields = line.split()
            if len(fields) > 1 and fields[1] in names:
                yield fields[0], fields[1], fields[2:]

    def _versions(self, name: str) -> list[str]:
        """Return the offered versions of a name. An offered name stays offered: dnf reports when that changes."""
        if name not in self._offered and self._not_offered.get(name) != self._machine.generation:
            asked = [each for each in self._asked(name) if each not in self._offered]
            self._not_offered.update(dict.fromkeys(asked, self._machine.generation))
            result = self._query(["repoquery", "--latest-limit=1", "--qf", _OFFERED, *asked])
            if result.exit_code:
                return ["0"]
            for words in _offers(result):
                for label in _labels(*words).intersection(asked):
                    self._offered.setdefault(label, []).append(words[1])
        return self._offered.get(name, [])


def _offers(result: Result) -> list[list[str]]:
    """Return the name, version and architecture of each package."""
    lines = [line[1:].split() for line in output_lines(result.stdout) if line.startswith("@")]
    return [[*words, ""][:3] for words in lines if len(words) > 1]


def _labels(name: str, version: str, arch: str) -> set[str]:
    """Return how a package may be called: NAME, or with -VERSION, -RELEASE and .ARCH."""
    without_epoch = version.rpartition(":")[2]
    versions = (version, without_epoch, without_epoch.partition("-")[0])
    found = {name, *(f"{name}-{each}" for each in versions)}
    return found | {f"{each}.{arch}" for each in found}
