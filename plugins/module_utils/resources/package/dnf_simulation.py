# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What dnf would do, in noop (decisions.md Q98)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from .dnf_reasons import reason
from .removals import NOTHING_REMOVED, removed_by_dnf
from .simulation import Simulation
from .type import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .dnf import DnfProvider
    from .simulation import Members

_ABORTED = b"Operation aborted"


class DnfSimulation(Simulation):
    """Simulates with `dnf --assumeno`."""

    _provider: DnfProvider

    def removed(self, verb: str, members: Members) -> list[str]:
        """Return the names in the table of the transaction."""
        words = {"uninstall": "remove", "purge": "remove", "downgrade": "downgrade"}
        names = [
            state.package if member.ensure in WORDS else f"{state.package}-{member.ensure}" for member, state in members
        ]
        result = self._provider.simulate([words.get(verb, "install"), *names])
        fails = result.exit_code and _ABORTED not in result.stderr
        if fails or NOTHING_REMOVED in result.stderr:
            raise ResourceFailed(f"dnf exited {result.exit_code}{reason(result)}")
        return removed_by_dnf(result.stdout)
