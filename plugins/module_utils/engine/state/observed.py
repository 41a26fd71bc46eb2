# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What of a resource is compared from one run to the next, as digests: what is wanted, and what was found."""

from __future__ import annotations

import marshal

from ...host.digests import sha256_hex
from ...resources.types import relations
from .cause import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.resource import Resource
    from ...model.state import State

_LENGTH = 16
_TIME = "mtime"


def converged(state: State) -> Any:
    """Return what of a state can be compared, without asking its type: all but times."""
    details = state.details
    metadata = details.get("metadata")
    if metadata and _TIME in metadata:
        return state.ensure, [value for key, value in metadata.items() if key != _TIME]
    return state.ensure, details


def shows_changes(resource: Resource) -> bool:
    """Return whether the state of a resource shows all that was changed."""
    related = relations(resource.type)
    return related.shows_changes if related else True


def seen(resource: Resource, state: State) -> Any:
    """Return what of a state shows that something else changed the resource."""
    related = relations(resource.type)
    found = related.observed(resource.properties, state) if related else None
    return converged(state) if found is None else found


def change_of(
    resource: Resource, before: State, after: State | None, found: str = "", *, is_refresh: bool = False
) -> Change:
    """Return a change of a resource; `found` is the digest of the state before it, where that is known already."""
    related = relations(resource.type)
    state = after or before
    properties = vars(resource.properties)
    names = ("ensure", "provider", *(prop.name for prop in resource.type.own_properties))
    content = related.content(resource.properties, state) if related else ""
    wanted = digest_of([properties.get(name) for name in names])
    return Change(
        f"{wanted}:{digest_of(content)}" if content else wanted,
        found or digest_of(seen(resource, before)),
        digest_of(seen(resource, after)) if after else "",
        is_refresh=is_refresh,
        visible=shows_changes(resource),
    )


def digest_of(value: Any) -> str:
    """Return a short digest of plain values, the same in every process."""
    try:
        text = marshal.dumps(value, 2)
    except ValueError:
        text = repr(value).encode("utf-8", "surrogateescape")
    return sha256_hex(text)[:_LENGTH]
