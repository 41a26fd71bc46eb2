# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules for the properties that resources of every type have (behaviour.md 2.3)."""

from __future__ import annotations

from .errors import InvalidResource
from .registration import validate_registrations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .resource import Properties, ResourceType


def validate_common(type: ResourceType, properties: Properties) -> None:
    """Check name, ensure, requirements and registrations. Raises InvalidResource with the recorded text."""
    if not properties.name:
        raise InvalidResource("name is required", property="name")
    if not properties.ensure:
        advice = f"one of {', '.join(type.ensure_choices)}" if type.ensure_choices else ""
        raise InvalidResource("ensure is required", property="ensure", advice=advice)
    for reference in properties.require:
        if "#" not in reference:
            raise InvalidResource(
                "invalid require properties",
                property="require",
                value=reference,
                advice="write references as type#name",
            )
    if properties.register_when_stable:
        validate_registrations(properties.register_when_stable)
