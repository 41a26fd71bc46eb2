# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Find orphans: what removed resources managed and left on the host (docs/state.md).

A word for each resource says how its remains are found: a path, `state` if the state of the resource shows them, "" if
the resource leaves nothing.
"""

from __future__ import annotations

import os

from ...model.errors import CCMError
from ...model.resource import Resource, properties_of
from ...resources.types import relations, resource_type
from .manifest_state import KEY_SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ...model.facets import AnyRelations
    from ..context import Context
    from .declarations import Declarations

_STATE = "state"


def remains_word(resource: Resource, related: AnyRelations | None) -> str:
    """Return the word that says how the remains of a resource are found; a type without verbs leaves nothing.

    `related` are the relations of its type.
    """
    leaves_any = resource.type.verbs and not resource.type.applies_manifests
    path = related.remains(resource.properties) if related and leaves_any else None
    secrets = [vars(resource.properties)[prop.name] for prop in resource.declared if prop.secret]
    # A path that was made from a sensitive value is not saved, so its remains are not found.
    return "" if path is None or (path and path in secrets) else path or _STATE


def is_there(key: str, word: str, context: Context) -> bool:
    """Return whether the resource of a key left remains. Raises CCMError and HostError if that is not known."""
    if word != _STATE:
        return os.path.lexists(word)
    type_name, _hash, name = key.rpartition(KEY_SEPARATOR)[2].partition("#")
    type = resource_type(type_name)
    related = relations(type) if type else None
    if not name:
        return False
    if type is None or related is None:
        raise CCMError(f"there is no type {type_name} any more", value=type_name)
    resource = Resource(type, properties_of(type, {"name": name}))
    return related.is_there(context.provider_of(resource).status(resource.properties))


def orphans(remains: Mapping[str, str], top: Declarations, context: Context) -> list[tuple[str, str]]:
    """Return the keys of resources with remains that are no longer declared, each with its path or "".

    `remains` has the words of all resources by their keys; `top` are the declarations of the manifest of the run.
    Raises as `is_there` does.
    """
    found = []
    for key, word in sorted(remains.items()):
        if not _is_elsewhere(key, top) and is_there(key, word, context):
            found.append((key, word if word.startswith("/") else ""))
    return found


def _is_elsewhere(key: str, top: Declarations) -> bool:
    """Return whether the manifest or any child has, or may have, the resource of a key, also under another parent."""
    if top.may_have(key):
        return True
    names = key.split(KEY_SEPARATOR)
    references = {KEY_SEPARATOR.join(names[at:]) for at in range(len(names))}
    return any(level.has(reference) for level in top.known() for reference in references)
