# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What services want."""

from __future__ import annotations

from ...model.relations import UNIT, Identity, Relations
from .units import full_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ServiceProperties


class ServiceRelations(Relations["ServiceProperties"]):
    """What services want."""

    def wants(self, properties: ServiceProperties) -> list[Identity]:
        """Return the unit; an instance like `getty@tty1` wants its template."""
        name = full_name(properties.name)
        stem, at, instance = name.partition("@")
        template = [f"{stem}@.{instance.rpartition('.')[2]}"] if at else []
        return [Identity(UNIT, unit) for unit in (name, *template)]


RELATIONS = ServiceRelations()
