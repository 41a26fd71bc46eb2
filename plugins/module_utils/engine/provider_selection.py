# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which provider manages a resource (behaviour.md 2.6)."""

from __future__ import annotations

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyProvider
    from ..model.resource import Resource
    from .context import Context


def choose_provider(resource: Resource, context: Context) -> AnyProvider:
    """Return the instance of the provider for a resource: the named provider, else the lowest number of `manageable`.

    Among equal numbers the platform's family decides, then the name (decisions.md Q14). Raises ResourceFailed when
    there is none, or when the named one cannot manage the resource.
    """
    type, named = resource.type, resource.properties.provider
    usable = []
    reasons = []
    for name in (named,) if named else type.provider_names:
        programs = type.provider_programs.get(name)
        if programs:
            from ..host.programs import missing

            lacking = missing(programs)
            if lacking:
                reasons.append(f"{', '.join(lacking)} not found in PATH")
                continue
        found = type.provider(name)
        priority_or_reason = found.manageable(context.facts, resource.properties)
        if isinstance(priority_or_reason, int):
            usable.append((priority_or_reason, found))
        else:
            reasons.append(priority_or_reason)
    if not usable:
        lead = "provider is not manageable" if named else "no suitable provider found"
        raise ResourceFailed(f"{lead}: {'; '.join(reasons)}", resource=resource.reference, property="provider")
    lowest = min(priority for priority, found in usable)
    best = [found for priority, found in usable if priority == lowest]
    if len(best) > 1:
        family = context.facts().get("host", {}).get("info", {}).get("platformFamily", "")
        best.sort(key=lambda found: (family not in found.platform_families, found.name))
    return context.provider_instance(best[0], type)
