# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Digests of the wanted and the found states of a resource, for comparisons between runs."""

from __future__ import annotations

from ...resources.types import relations
from .cause import Change
from .reached import converged, digest_of, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.contract import AnyProvider
    from ...model.facets import AnyRelations
    from ...model.resource import Resource
    from ...model.state import State


def shows_changes(resource: Resource) -> bool:
    """Return whether the state of a resource shows all that was changed."""
    related = relations(resource.type)
    return related.shows_changes if related else True


def seen(resource: Resource, state: State) -> object:
    """Return the parts of a state that show whether something else changed the resource."""
    return _seen(relations(resource.type), resource, state)


def readable_state(resource: Resource, provider: AnyProvider) -> State | None:
    """Return the state of a resource, None when it cannot be read."""
    try:
        state: State = provider.status(resource.properties)
    except Exception:
        return None
    return state


def change_of(
    resource: Resource,
    related: AnyRelations | None,
    before: State,
    after: State | None,
    found: str = "",
    *,
    is_refresh: bool = False,
) -> Change:
    """Return a change of a resource; `found` is the digest of the state before it, if that is known already."""
    state = after or before
    properties = vars(resource.properties)
    content = related.content(resource.properties, state) if related else ""
    reached = digest_of(_seen(related, resource, after)) if after else ""
    if not found:
        found = reached if before is after else digest_of(_seen(related, resource, before))
    wanted = digest_of([properties.get(name) for name in names_of(resource.type)])
    return Change(
        f"{wanted}:{digest_of(content)}" if content else wanted,
        found,
        reached,
        is_refresh=is_refresh,
        visible=related.shows_changes if related else True,
    )


def _seen(related: AnyRelations | None, resource: Resource, state: State) -> object:
    found = related.observed(resource.properties, state) if related else None
    return converged(state) if found is None else found
