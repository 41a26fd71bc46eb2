# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The service type: a service of the operating system, running or stopped, started at boot or not."""

from __future__ import annotations

from ...lang.gofmt import quote
from ...model.errors import InvalidResource
from ...model.property import Property
from ...model.resource import REFERENCE_PATTERN, Properties, ResourceType
from ..names import check_name

RUNNING = "running"
STOPPED = "stopped"


class ServiceType(ResourceType):
    """Services (features.md 10)."""

    name = "service"
    default_ensure = RUNNING
    ensure_choices = (RUNNING, STOPPED)
    own_properties = (
        Property("enable", "boolean", nullable=True, help="Whether it starts at boot; left as it is when not given."),
        Property(
            "subscribe", "strings", pattern=REFERENCE_PATTERN, help="References whose change restarts the service."
        ),
    )

    def validate_own(self, properties: Properties) -> None:
        """Refuse unknown states, names that are no unit name (template units are, Q23) and broken references."""
        if properties.ensure not in self.ensure_choices:
            raise InvalidResource(
                f"invalid ensure value: invalid ensure property {quote(properties.ensure)}"
                f' expects "{RUNNING}" or "{STOPPED}"',
                property="ensure",
                value=properties.ensure,
            )
        check_name("service", properties.name, also_allowed="@")
        if any("#" not in reference for reference in properties.subscribe):
            raise InvalidResource(
                "invalid subscribe format", property="subscribe", advice="write references as type#name"
            )

    def subscriptions(self, properties: Properties) -> list[str]:
        """References whose change restarts the service."""
        found: list[str] = properties.subscribe
        return found


SERVICE = ServiceType()
