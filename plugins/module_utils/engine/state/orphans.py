# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Find orphans: what the manifests of a run do not declare any more, and what it left on the host (docs/state.md).

A word for each resource says how its remains are found: a path, `state` if the state of the resource shows them, "" if
the resource leaves nothing.
"""

from __future__ import annotations

import os

from ...host.digests import short_sha256
from ...model.errors import CCMError
from ...model.resource import resource_of
from ...resources.types import relations, resource_type
from ..between_runs import KEY_SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Mapping, Sequence

    from ...model.facets import AnyRelations
    from ...model.resource import Resource
    from ...resources.undone.undo_record import Declared
    from ..between_runs import ManifestState
    from ..context import Context

_STATE = "state"


class Declarations:
    """The declarations of the manifest of a `state`."""

    def __init__(self, state: ManifestState) -> None:
        self._state = state
        self.resources = resources = state.declaring.resources
        self._declaring = state.declaring
        self._above = state.above.changes.declarations if state.above else None
        self._applying = [each.reference for each in resources if each.type.applies_manifests]
        self._known_written: Mapping[str, str] | None = None
        self._known_digests: frozenset[str] | None = None

    def key(self, reference: str) -> str:
        """Return the key of a resource of the manifest."""
        return self._state.key(reference)

    def declared(self, reference: str) -> Declared:
        """Return the declaration of a resource of the manifest, with the manifests above."""
        above = self._above.declared(self._state.applied_by) if self._above else []
        return [*above, (self._path, _digest(self._written().get(reference, "")), reference)]

    def declaration(self, declared: Declared) -> Declared | None:
        """Return the current declaration of a resource with an earlier one; None when it is no longer declared.

        If that is not known, because a child manifest was not applied, return the earlier declaration.
        """
        path, written, reference = declared[0]
        if self._above and (self._path != path or not self._state.acts):
            return declared
        now = self._written().get(reference)
        if now is None and written not in self._digests():
            return None
        here = (self._path, written if now is None else _digest(now), reference)
        if len(declared) == 1:
            return [here]
        child = self._child(reference)
        rest = child.declaration(declared[1:]) if child else declared[1:]
        return None if rest is None else [here, *rest]

    @property
    def _path(self) -> str:
        """The path of the manifest, relative to the directory of the first manifest of the run."""
        top = self
        while top._above:
            top = top._above
        return os.path.relpath(self._declaring.path or "/", os.path.dirname(top._declaring.path) or "/")

    def known(self) -> Iterator[Declarations]:
        """Yield these declarations, and the declarations of child manifests that were applied."""
        yield self
        for child in self._state.children.values():
            yield from child.changes.declarations.known()

    def _child(self, reference: str) -> Declarations | None:
        """Return the declarations of the manifest that a resource applied."""
        child = self._state.children.get(reference)
        return child.changes.declarations if child else None

    def has(self, reference: str) -> bool:
        """Return whether the manifest declares the resource of a reference."""
        return reference in self._written()

    def may_have(self, key: str) -> bool:
        """Return whether the manifest or a child has, or may have, the resource of a key."""
        if key.startswith(self._state.prefix) and key[len(self._state.prefix) :] in self._written():
            return True
        for reference in self._applying:
            if key.startswith(self.key(reference) + KEY_SEPARATOR):
                child = self._child(reference)
                if child is None or child.may_have(key):
                    return True
        return False

    def _digests(self) -> frozenset[str]:
        if self._known_digests is None:
            self._known_digests = frozenset(map(_digest, self._written().values()))
        return self._known_digests

    def _written(self) -> Mapping[str, str]:
        if self._known_written is None:
            self._known_written = {resource.reference: written for resource, written in self._declaring.declared}
        return self._known_written


def _digest(text: str) -> str:
    """Return a short digest of the text of a declaration, which may hold secrets."""
    return short_sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
    resource = resource_of(type, {"name": name})
    return related.is_there(context.provider_of(resource).status(resource.properties))


def orphans(entries: Iterable[tuple[str, Sequence[str]]], top: Declarations, context: Context) -> list[tuple[str, str]]:
    """Return the keys of resources with remains that are no longer declared, each with its path or "".

    `entries` are the keys of all resources, each with its word and others; `top` are the declarations of the manifest
    of the run. Raises as `is_there` does.
    """
    found = []
    for key, (word, *_entry) in sorted(entries):
        if word and not _is_elsewhere(key, top) and is_there(key, word, context):
            found.append((key, word if word.startswith("/") else ""))
    return found


def _is_elsewhere(key: str, top: Declarations) -> bool:
    """Return whether the manifest or any child has, or may have, the resource of a key, also under another parent."""
    if top.may_have(key):
        return True
    names = key.split(KEY_SEPARATOR)
    references = {KEY_SEPARATOR.join(names[at:]) for at in range(len(names))}
    return any(level.has(reference) for level in top.known() for reference in references)
