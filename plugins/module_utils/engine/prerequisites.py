# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of resources that are known before the first resource of their manifest is managed (decisions.md Q18)."""

from __future__ import annotations

from ..model.errors import InvalidResource
from ..model.property import ABSOLUTE, DEFERRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Resource


def require_known_provider(resource: Resource) -> None:
    """Check that a named provider exists (decisions.md Q18). Raises InvalidResource."""
    named, known = resource.properties.provider, resource.type.provider_names
    if named and named not in known:
        error = InvalidResource(
            "invalid resource: provider not found",
            resource=resource.reference,
            property="provider",
            value=named,
            advice=f"providers of {resource.type.name}: {', '.join(known)}",
        )
        raise resource.placed(error)


def require_absolute_paths(resource: Resource, *, is_resolved: bool = False) -> None:
    """Refuse relative paths in properties that need absolute ones; validation accepts them, as the original does.

    A late expression is checked when it is resolved; `is_resolved` says that all of them are. Raises InvalidResource.
    """
    for prop in resource.type.own_properties:
        value = getattr(resource.properties, prop.name) if prop.pattern == ABSOLUTE and prop.kind == "string" else ""
        is_late = not is_resolved and prop.when == DEFERRED and ("{{" in value or "${" in value)
        if value and not is_late and not value.startswith("/"):
            error = InvalidResource(
                f"{prop.name} path must be absolute",
                resource=resource.reference,
                property=prop.name,
                value=None if prop.secret else value,
                advice="write a path that begins with /",
            )
            raise resource.placed(error)


def require_runnable(resource: Resource) -> None:
    """Check a resource before the first one of its manifest is managed. Raises InvalidResource."""
    require_known_provider(resource)
    require_absolute_paths(resource)
