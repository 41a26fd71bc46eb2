# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The versions that apt would install (behaviour.md 8.1, decisions.md Q26, Q55)."""

from __future__ import annotations

from ...host.results import output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_tools import last_lines, lines_of
from .queried import Queried

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine

_LABEL = "Candidate:"
_NONE = "(none)"


class Candidates(Queried):
    """The candidates of the `expected` names."""

    def __init__(self, machine: Machine, expected: Sequence[str]) -> None:
        super().__init__(machine)
        self._expected = list(dict.fromkeys(expected))
        self._found: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the candidate of a package.

        Raises ResourceFailed when there is none, CommandError when apt cannot run.
        """
        self.renew(self._query_all)
        candidate = self._found.get(name)
        if candidate is None:
            candidate = self._found[name] = _query_one(self._machine, name)
        if candidate == _NONE:
            raise ResourceFailed(f"no installation candidate for {name}", property="ensure")
        return candidate

    def _query_all(self) -> None:
        """Find the candidates of those whose exact names apt knows; a single one is queried by itself."""
        found = self._found = {}
        if len(self._expected) < 2:
            return
        name = ""
        result = apt_tools.query(self._machine, ["apt-cache", "policy", *self._expected])
        for line in output_lines(result.stdout) if not result.exit_code else ():
            if not line.startswith(" "):
                name = line[:-1] if line.endswith(":") else ""
            elif name in self._expected and line.strip().startswith(_LABEL):
                found.setdefault(name, line.strip()[len(_LABEL) :].strip())


def _query_one(machine: Machine, name: str) -> str:
    result = apt_tools.query(machine, ["apt-cache", "policy", name])
    messages = last_lines(lines_of(result.stderr)) if result.exit_code else ""
    for line in output_lines(result.stdout):
        if line.strip().startswith(_LABEL) and not messages:
            return line.strip()[len(_LABEL) :].strip()
    reason = f"could not find Candidate: line in apt-cache policy output for {name}"
    raise ResourceFailed(reason + (f": {messages}" if messages else ""), property="ensure")
