# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which provider manages a resource, where the type alone does not say (behaviour.md 2.6)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyProvider
    from ..model.resource import Resource
    from .context import Context


def choose_provider(resource: Resource, context: Context) -> AnyProvider:
    """The instance of the provider for a resource: the named one, else the usable one with the lowest priority.

    Equal priorities are decided by what the platform's family prefers, then by name (decisions.md Q14). Raises
    ResourceFailed when there is none, or when the named one cannot manage the resource.
    """
    type, named = resource.type, resource.properties.provider
    usable = []
    reasons = []
    for name in (named,) if named else type.provider_names:
        lacking = _lacking(type.provider_programs.get(name, ()))
        if lacking:
            reasons.append(f"{', '.join(lacking)} not found in PATH")
            continue
        found = type.provider(name)
        answer = found.manageable(context.facts, resource.properties)
        if isinstance(answer, int):
            usable.append((answer, found))
        else:
            reasons.append(answer)
    if not usable:
        from .preference import no_provider

        raise no_provider(resource, "; ".join(reasons))
    lowest = min(priority for priority, found in usable)
    best = [found for priority, found in usable if priority == lowest]
    if len(best) > 1:
        from .preference import preferred_first

        best = preferred_first(best, context)
    return context.instance_of(best[0], type)


def _lacking(programs: tuple[str, ...]) -> list[str]:
    """Those programs of a provider that are not there; most providers need none."""
    if not programs:
        return []
    from ..host.programs import missing

    return missing(programs)
