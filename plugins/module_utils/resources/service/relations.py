# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What services want."""

from __future__ import annotations

from ...model.property import Property
from ...model.relations import UNIT, Identity, Relations
from .type import RUNNING, ServiceState
from .units import full_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data
    from .type import ServiceProperties


class ServiceRelations(Relations["ServiceProperties"]):
    """What services want."""

    sends = (
        Property("running", "boolean", help="Whether the service is running."),
        Property("enabled", "boolean", help="Whether it is started at boot."),
        Property("pid", "integer", help="Its main process, 0 when it has none."),
    )

    def wants(self, properties: ServiceProperties) -> list[Identity]:
        """Return the unit; an instance like `getty@tty1` wants its template."""
        name = full_name(properties.name)
        stem, at, instance = name.partition("@")
        template = [f"{stem}@.{instance.rpartition('.')[2]}"] if at else []
        return [Identity(UNIT, unit) for unit in (name, *template)]

    def watched_units(self, properties: ServiceProperties) -> list[str]:
        """Return the unit."""
        return [full_name(properties.name)]

    def remains(self, properties: ServiceProperties) -> str | None:
        """Return that its state shows it, unless the service is stopped or masked."""
        return "" if properties.ensure == RUNNING or properties.enable is True else None

    def is_there(self, state: State) -> bool:
        """Return whether it runs, or starts at boot."""
        return state.ensure == RUNNING or bool(state.metadata.get("enabled"))

    def sent(self, properties: ServiceProperties, state: State) -> Data:
        """Return whether the service is running and enabled, and its main process."""
        found = {key: state.metadata[key] for key in ("running", "enabled") if key in state.metadata}
        return {**found, "pid": state.pid} if isinstance(state, ServiceState) else found


RELATIONS = ServiceRelations()
