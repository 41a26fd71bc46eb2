# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The resources that the manifests of a run declare, compared with earlier declarations (docs/state.md)."""

from __future__ import annotations

import os

from ...host.digests import short_sha256
from ...model.facets import DIRECTORY, PATH, TREE
from ...resources.types import relations
from .manifest_state import KEY_SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Mapping

    from .manifest_state import ManifestState
    from .undo_record import Declared


class Declarations:
    """The declarations of the manifest of a `state`."""

    def __init__(self, state: ManifestState) -> None:
        self._state = state
        self._resources = resources = state.declaring.resources
        self._declaring = state.declaring
        self._above = state.above.changes.declarations if state.above else None
        self._applying = [each.reference for each in resources if each.type.applies_manifests]
        self._known_written: Mapping[str, str] | None = None
        self._known_digests: frozenset[str] | None = None
        self._known_paths: set[str] | None = None
        self._known_trees: tuple[str, ...] = ()

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

    def has_path(self, path: str) -> bool:
        """Return whether a resource of the manifest manages a path, or a whole directory tree that holds it."""
        if self._known_paths is None:
            found = ((each, relations(each.type)) for each in self._resources)
            provided = [
                identity for each, related in found if related for identity in related.provides(each.properties)
            ]
            self._known_paths = {identity.name for identity in provided if identity.kind in (PATH, DIRECTORY, TREE)}
            self._known_trees = tuple(f"{identity.name}/" for identity in provided if identity.kind == TREE)
        return path in self._known_paths or path.startswith(self._known_trees)

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
            self._known_written = self._declaring.written()
        return self._known_written


def _digest(text: str) -> str:
    """Return a short digest of the text of a declaration, which may hold secrets."""
    return short_sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
