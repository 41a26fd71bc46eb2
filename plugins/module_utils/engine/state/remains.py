# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether what a resource managed is still there, when its manifest does not have it any more (docs/state.md).

A word says how that is seen: the path that is there then, `state` when the state of the resource shows it, "" when it
leaves nothing.
"""

from __future__ import annotations

import os

from ...model.errors import CCMError
from ...model.resource import Resource, complete
from ...resources.types import relations, resource_type
from ..provider_selection import provider_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..context import Context
    from .declarations import Declarations

_STATE = "state"
BELOW = " > "


def remains_word(resource: Resource) -> str:
    """Return how it is seen that what a resource manages is there; a type without verbs makes nothing."""
    related = relations(resource.type) if resource.type.verbs and not resource.type.applies_manifests else None
    path = related.remains(resource.properties) if related else None
    secrets = [vars(resource.properties)[prop.name] for prop in resource.declared if prop.secret]
    # A path that was made from a sensitive value is not kept, and so it is not known whether it is there.
    return "" if path is None or (path and path in secrets) else path or _STATE


def is_there(key: str, word: str, context: Context) -> bool:
    """Return whether what the resource of a key managed is there.

    Raises CCMError and HostError when that cannot be seen.
    """
    if word != _STATE:
        return os.path.lexists(word)
    type_name, _hash, name = key.rpartition(BELOW)[2].partition("#")
    type = resource_type(type_name)
    related = relations(type) if type else None
    if not name:
        return False
    if type is None or related is None:
        raise CCMError(f"there is no type {type_name} any more", value=type_name)
    resource = Resource(type, type.made(complete(type, {"name": name})))
    return related.is_there(provider_of(resource, context).status(resource.properties))


def orphans(remains: Mapping[str, str], top: Declarations, context: Context) -> list[tuple[str, str]]:
    """Return the keys of resources that are there, but not declared, each with its path or "".

    `remains` has the words of all resources by their keys; `top` is what the manifest of the run declares. Raises as
    `is_there` does.
    """
    found = []
    for key, word in sorted(remains.items()):
        if not _is_elsewhere(key, top) and is_there(key, word, context):
            found.append((key, word if word.startswith("/") else ""))
    return found


def _is_elsewhere(key: str, top: Declarations) -> bool:
    """Return whether the manifest has the resource of a key, or may have it, perhaps in another place."""
    if top.may_have(key):
        return True
    names = key.split(BELOW)
    references = {BELOW.join(names[at:]) for at in range(len(names))}
    return any(level.has(reference) for level in top.known() for reference in references)
