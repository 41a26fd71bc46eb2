# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which provider manages a resource (features.md 2.6)."""

from __future__ import annotations

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import Resource
    from .context import Context


def choose_provider(resource: Resource, context: Context) -> Any:
    """An instance of the provider for a resource: the named one, else the usable one with the lowest priority.

    Equal priorities are decided by what the platform's family prefers, then by name (decisions.md Q14). Raises
    ResourceFailed when there is none, or when the named one cannot manage the resource.
    """
    type, properties = resource.type, resource.properties
    named = properties.provider
    usable = []
    reason = ""
    for name in (named,) if named else type.provider_names:
        found = type.provider(name)
        answer = found.manageable(context.facts, properties)
        if isinstance(answer, int):
            usable.append((answer, found))
        else:
            reason = answer
    if not usable:
        raise ResourceFailed(_refusal(resource, reason), resource=resource.reference, property="provider")
    lowest = min(priority for priority, found in usable)
    best = [found for priority, found in usable if priority == lowest]
    if len(best) > 1:
        from .preference import preferred_first

        best = preferred_first(best, context)
    return _instance(best[0], resource, context)


def _instance(provider: Any, resource: Resource, context: Context) -> Any:
    """The one instance of a provider that serves the run, and knows of all resources of the type."""
    found = context.providers.get(provider)
    if found is None:
        found = context.providers[provider] = provider(context.directory, context.user_log)
        found.expected = [other.properties for other in context.resources if other.type is resource.type]
        if context.lock_timeout is not None:
            found.lock_timeout = context.lock_timeout
    return found


def _refusal(resource: Resource, reason: str) -> str:
    if resource.properties.provider and resource.type.provider_names:
        return f"provider is not manageable: {reason or 'not applicable to instance'}"
    if not resource.type.provider_names:
        reason = f"this version has none for {resource.type.name} resources"
    return "no suitable provider found" + (f": {reason}" if reason else "")
