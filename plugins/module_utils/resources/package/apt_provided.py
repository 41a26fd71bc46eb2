# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that no package has, but that packages provide (decisions.md Q96).

Only missing packages come here, so a run in which all packages are installed does without this file.
"""

from __future__ import annotations

from ...host.results import output_lines
from . import apt_tools
from .provided import ProvidedLog
from .queried import Queried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from ...host.machine import Machine

_LABEL = "Candidate:"
_NONE = "(none)"
_REVERSE = "Reverse Provides:"
_REFUSED = " is a virtual package provided by:"


class VirtualNames(Queried):
    """Which of the `expected` names are only provided by packages, and by which that can be installed."""

    def __init__(self, machine: Machine, expected: Iterable[str]) -> None:
        super().__init__(machine)
        self._expected = list(dict.fromkeys(expected))
        # A name with a candidate keeps it: apt-get reports when that changes.
        self._with_candidate: set[str] = set()
        self._virtual: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Return whether apt knows a name, but no candidate of that name. Raises CommandError when apt cannot run."""
        if name in self._with_candidate:
            return False
        self.renew(lambda: self._query_all(name))
        if name not in self._virtual:
            self._virtual.update({name: False, **self._query([name])})
        return self._virtual[name]

    def installable(self, name: str) -> list[str]:
        """Return the packages, by name, whose candidates provide a name."""
        offered: dict[str, set[str]] = {}
        is_listed = False
        for line in output_lines(apt_tools.query(self._machine, ["apt-cache", "showpkg", name]).stdout):
            words = line.split()
            if is_listed and len(words) > 1:
                offered.setdefault(words[0], set()).add(words[1])
            is_listed = is_listed or line.startswith(_REVERSE)
        candidates = dict(_candidates(self._machine, sorted(offered))) if offered else {}
        found = [each for each in sorted(offered) if candidates.get(each) in offered[each]]
        # apt prefers the architecture of the machine.
        return [each for each in found if ":" not in each or each.partition(":")[0] not in found]

    def _query_all(self, name: str) -> None:
        names = [each for each in self._expected if each not in self._with_candidate]
        self._virtual = self._query(names if name in names else [*names, name])

    def _query(self, names: list[str]) -> dict[str, bool]:
        found = {}
        candidates = dict(_candidates(self._machine, names))
        for name in names:
            candidate = candidates.get(name, candidates.get(name.partition(":")[0]))
            if candidate is not None:
                found[name] = candidate == _NONE
        self._with_candidate.update(name for name, is_virtual in found.items() if not is_virtual)
        return found


def require_only_one(name: str, output: bytes) -> None:
    """Raise ResourceFailed when apt-get refused a name as several packages provide it; `output` is what it printed."""
    found = set()
    is_listed = False
    for line in output_lines(output):
        words = line.split()
        # What cannot be installed has a remark in brackets.
        if line.startswith(" ") and is_listed and "[" not in line:
            found.add(words[0])
        is_listed = (is_listed and line.startswith(" ")) or line.rstrip().endswith(_REFUSED)
    ProvidedLog.require_one(name, sorted(found))


def _candidates(machine: Machine, names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names as apt writes them, with their candidates."""
    result = apt_tools.query(machine, ["apt-cache", "policy", *names])
    name = ""
    for line in output_lines(result.stdout) if not result.exit_code else ():
        if not line.startswith(" "):
            name = line[:-1] if line.endswith(":") else ""
        elif name and line.strip().startswith(_LABEL):
            yield name, line.strip()[len(_LABEL) :].strip()
