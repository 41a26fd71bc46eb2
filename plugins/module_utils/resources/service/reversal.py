# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the changes of services are undone."""

from __future__ import annotations

from ...model.reversal import Reversal
from .type import (
    MASK,
    RUNNING,
    STOPPED,
    UNMANAGED,
    UNMASK_AND_DISABLE,
    UNMASK_AND_ENABLE,
    ServiceProperties,
    ServiceState,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.reversal import Parts
    from ...model.values import Data

_RUNNING, _ENABLED, _MASKED = "running", "enabled", "masked"
_ABOUT_MASKS = (MASK, UNMASK_AND_ENABLE, UNMASK_AND_DISABLE)


class ServiceReversal(Reversal[ServiceProperties, ServiceState]):
    """A service runs again, or not, as before, and starts at boot or is masked as before, where that was managed."""

    def parts(self, properties: ServiceProperties, state: ServiceState) -> Parts:
        """Return whether it runs, and whether it starts at boot or is masked, where that is managed."""
        found: Parts = {} if properties.ensure == UNMANAGED else {_RUNNING: state.ensure == RUNNING}
        if properties.enable is not None:
            found[_ENABLED] = state.metadata["enabled"]
        if properties.enable in _ABOUT_MASKS:
            found[_MASKED] = state.is_masked
        return found

    def undone(self, properties: ServiceProperties, parts: Parts) -> Data:
        """Return the properties of a service as it was."""
        ensure = RUNNING if parts.get(_RUNNING) else STOPPED if _RUNNING in parts else UNMANAGED
        enable = parts.get(_ENABLED)
        if parts.get(_MASKED) is False:
            enable = UNMASK_AND_ENABLE if enable else UNMASK_AND_DISABLE
        return {"ensure": ensure, "enable": enable, "provider": properties.provider}


REVERSAL = ServiceReversal()
