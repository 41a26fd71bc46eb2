# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages that dnf holds at their version, with its plugin versionlock (behaviour.md 8.2, decisions.md Q97)."""

from __future__ import annotations

import os

from ...host.results import output_lines
from ...model.errors import ResourceFailed
from .dnf_reasons import reason
from .queried import Queried
from .type import HOLD, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.machine import Machine
    from ...host.results import Result

# The settings of the plugin, of dnf 4 and of dnf 5.
SETTINGS = ("/etc/dnf/plugins/versionlock.conf", "/etc/dnf/versionlock.toml")
_DNF5 = "Package name:"


class Holds(Queried):
    """The packages that versionlock holds; `query` runs a dnf command that changes nothing."""

    def __init__(self, machine: Machine, query: Callable[[list[str]], Result]) -> None:
        super().__init__(machine)
        self._query = query
        self._held: set[str] = set()

    def mark(self, package: str) -> str:
        """Return the mark of a package. Raises ResourceFailed when dnf has no versionlock."""
        self.renew(self._query_all)
        return HOLD if package in self._held else NONE

    def _query_all(self) -> None:
        result = self._query(["versionlock", "list"])
        if result.exit_code:
            raise ResourceFailed(
                f"mark needs the plugin versionlock of dnf, dnf exited {result.exit_code}{reason(result)}",
                property="mark",
                advice="install it, or leave mark out",
            )
        self._held = {name for name in map(_held, output_lines(result.stdout)) if name}

    def is_held(self, package: str) -> bool:
        """Return whether a package is held, False when that cannot be known: dnf then refuses the change itself."""
        try:
            return any(map(os.path.exists, SETTINGS)) and self.mark(package) == HOLD
        except ResourceFailed:
            return False


def _held(line: str) -> str:
    """Return the package of a line, NAME-EPOCH:VERSION-RELEASE.ARCH for dnf 4; "" for another, also an exclusion."""
    if line.startswith(_DNF5):
        return line[len(_DNF5) :].strip()
    name, dash, _release = line.strip().rpartition("-")
    name, also, _version = name.rpartition("-")
    return name if dash and also and line[0] not in "!# " else ""
