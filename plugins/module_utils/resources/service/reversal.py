# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the changes of services are undone."""

from __future__ import annotations

from ...model.reversal import Reversal
from .type import RUNNING, STOPPED, ServiceProperties, ServiceState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.reversal import Parts
    from ...model.values import Data

_RUNNING, _ENABLED = "running", "enabled"


class ServiceReversal(Reversal[ServiceProperties, ServiceState]):
    """A service runs again, or not, as before; it starts at boot as before where that was managed."""

    def parts(self, properties: ServiceProperties, state: ServiceState) -> Parts:
        """Return whether it runs, and whether it starts at boot where that is managed."""
        found: Parts = {_RUNNING: state.ensure == RUNNING}
        if properties.enable is not None:
            found[_ENABLED] = state.metadata["enabled"]
        return found

    def undone(self, properties: ServiceProperties, parts: Parts) -> Data:
        """Return the properties of a service as it was."""
        ensure = RUNNING if parts[_RUNNING] else STOPPED
        return {"ensure": ensure, "enable": parts.get(_ENABLED), "provider": properties.provider}


REVERSAL = ServiceReversal()
