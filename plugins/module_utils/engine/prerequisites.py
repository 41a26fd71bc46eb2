# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of resources that are known before the first resource of their manifest is managed (decisions.md Q18)."""

from __future__ import annotations

from ..model.errors import InvalidResource
from ..model.property import ABSOLUTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Resource


def require_known_provider(resource: Resource) -> None:
    """Check that a named provider exists (decisions.md Q18). Raises InvalidResource."""
    named, known = resource.properties.provider, resource.type.provider_names
    if named and named not in known:
        raise InvalidResource(
            "invalid resource: provider not found",
            resource=resource.reference,
            property="provider",
            value=named,
            position=resource.position,
            advice=f"providers of {resource.type.name}: {', '.join(known)}",
        )


def require_absolute_paths(resource: Resource) -> None:
    """Refuse relative paths where an absolute one is needed; validation accepts them, as the original does.

    Raises InvalidResource.
    """
    for prop in resource.type.own_properties:
        value = getattr(resource.properties, prop.name) if prop.pattern == ABSOLUTE else ""
        if value and not value.startswith("/"):
            raise InvalidResource(
                f"{prop.name} path must be absolute",
                resource=resource.reference,
                property=prop.name,
                value=value,
                position=resource.position,
                advice="write a path that begins with /",
            )


def require_runnable(resource: Resource) -> None:
    """Check a resource before the first one of its manifest is managed. Raises InvalidResource."""
    require_known_provider(resource)
    require_absolute_paths(resource)
