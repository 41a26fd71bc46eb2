# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What apt-get would do, in noop (decisions.md Q98)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_changes import AptChanges
from .apt_get import INSTALL, REMOVE, failure_words
from .apt_provided import require_only_one
from .removals import simulated_by_apt
from .simulation import Simulation
from .type import NONE, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .apt import AptProvider
    from .simulation import Members


class AptSimulation(Simulation):
    """Simulates with `apt-get -s`, which needs no lock."""

    _provider: AptProvider

    def removed(self, verb: str, members: Members) -> list[str]:
        """Return the names after `Remv` and `Purg`."""
        provider, names = self._provider, [state.package for _member, state in members]
        if verb in ("uninstall", "purge"):
            program, *words = *REMOVE, *(["--purge"] if verb == "purge" else [])
        else:
            AptChanges(provider).require_known(names)
            program, *words = *INSTALL, "--allow-downgrades"
            names = [
                state.package if member.ensure in WORDS else f"{state.package}={member.ensure}"
                for member, state in members
            ]
        # A hold is ended before.
        words += ["--allow-change-held-packages"] if any(member.mark == NONE for member, _state in members) else []
        result = apt_tools.query(provider.machine, [program, "-s", *words, *names])
        if result.exit_code:
            if len(names) == 1:
                require_only_one(names[0], result.stdout)
            raise ResourceFailed(f"apt-get exited {result.exit_code}{failure_words(result, ', '.join(names))}")
        return simulated_by_apt(result.stdout)
