# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The versions that apt would install (behaviour.md 8.1, decisions.md Q26, Q55)."""

from __future__ import annotations

from ...host.results import output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_tools import last_lines, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine

_LABEL = "Candidate:"
_NONE = "(none)"


class Candidates:
    """The candidates of the `expected` names, queried together, and again after anything that may have changed them."""

    def __init__(self, machine: Machine, expected: Sequence[str]) -> None:
        self._machine = machine
        self._expected = list(dict.fromkeys(expected))
        self._found: dict[str, str] = {}
        self._generation: int | None = None

    def of(self, name: str) -> str:
        """Return the candidate of a package.

        Raises ResourceFailed when there is none, CommandError when apt cannot run.
        """
        generation = self._machine.generation
        if self._generation != generation:
            self._found = self._query_all() if len(self._expected) > 1 else {}
            self._generation = generation
        candidate = self._found.get(name)
        if candidate is None:
            candidate = self._found[name] = _query_one(self._machine, name)
        if candidate == _NONE:
            raise ResourceFailed(f"no installation candidate for {name}", property="ensure")
        return candidate

    def _query_all(self) -> dict[str, str]:
        """Return the candidates of those whose exact names apt knows."""
        found: dict[str, str] = {}
        name = ""
        result = apt_tools.query(self._machine, ["apt-cache", "policy", *self._expected])
        for line in output_lines(result.stdout) if not result.exit_code else ():
            if not line.startswith(" "):
                name = line[:-1] if line.endswith(":") else ""
            elif name in self._expected and line.strip().startswith(_LABEL):
                found.setdefault(name, line.strip()[len(_LABEL) :].strip())
        return found


def _query_one(machine: Machine, name: str) -> str:
    result = apt_tools.query(machine, ["apt-cache", "policy", name])
    messages = last_lines(lines_of(result.stderr)) if result.exit_code else ""
    for line in output_lines(result.stdout):
        if line.strip().startswith(_LABEL) and not messages:
            return line.strip()[len(_LABEL) :].strip()
    reason = f"could not find Candidate: line in apt-cache policy output for {name}"
    raise ResourceFailed(reason + (f": {messages}" if messages else ""), property="ensure")
