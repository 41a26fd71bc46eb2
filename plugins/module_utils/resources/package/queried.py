# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a package manager was asked about many packages at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.machine import Machine


class Queried:
    """What was queried together, and is again after anything that may have changed it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._generation: int | None = None

    def renew(self, query: Callable[[], None]) -> None:
        """Call `query`, unless nothing was done since it last ended. Raises what it raises."""
        generation = self._machine.generation
        if self._generation != generation:
            query()
            self._generation = generation
