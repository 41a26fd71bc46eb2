# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What rules share of the machine: looked at once a try."""

from __future__ import annotations

from ...host.ports import listening
from ...host.processes import running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine


class Snapshot:
    """The `machine` as one try sees it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._ports: dict[str, list[str]] | None = None
        self._processes: set[str] | None = None

    def ports(self) -> dict[str, list[str]]:
        """See host.ports.listening."""
        if self._ports is None:
            self._ports = listening()
        return self._ports

    def processes(self) -> set[str]:
        """See host.processes.running."""
        if self._processes is None:
            self._processes = running()
        return self._processes
