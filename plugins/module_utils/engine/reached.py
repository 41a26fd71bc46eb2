# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The digest of the states that resources of a run reached, as far as its manifests do not say them."""

from __future__ import annotations

import marshal

from ..host.digests import short_sha256
from .between_runs import digest_of_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from ..model.contract import AnyType
    from ..model.event import Event
    from ..model.resource import Resource
    from ..model.state import State
    from .between_runs import ManifestState

_LENGTH = 16
_TIME = "mtime"


class Reached:
    """Digests of the states that resources of a run reached, beside the digests `texts` of its manifests."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        # Digests of what was reached, and for what changed in this run as the next run has them if nothing changes.
        self._texts = texts
        self._pieces: list[bytes] = []
        self._changed: list[bytes] = []
        self._settled: list[bytes] = []
        self._is_known = True
        self._own: dict[str, list[str]] = {}

    def add_event(self, level: ManifestState, event: Event, *, is_as_written: bool) -> None:
        """Add what a resource reached, and where the manifest of a `level` declares it.

        Where the state `is_as_written` a run in which it does not change adds nothing for it.
        """
        resource, state = event.resource, event.status
        if resource is None:
            return
        about = (level.prefix, level.changes.declared(resource) if resource.properties.meta else None)
        if state is None or event.failed or event.skipped or (event.changed and event.noop):
            self.add_missing((*about, event.failed), resource)
        elif state.changed:
            found = level.run.changes.causes.found(level.key(resource.reference))
            self.add_changed(about, found, resource, state, is_as_written=is_as_written)
        else:
            self.add(about, resource, state)

    def add(self, about: tuple[object, ...], resource: Resource, state: State) -> None:
        """Add the state of a resource that did not change, and other facts `about` the resource."""
        self._pieces.append(self._added(about, resource, (converged(state), state.cause)))

    def add_missing(self, about: tuple[object, ...], resource: Resource) -> None:
        """Add a resource whose state is not known."""
        self._pieces.append(self._added(about, resource, None))
        self._is_known = False

    def add_changed(
        self, about: tuple[object, ...], found: str, resource: Resource, state: State, *, is_as_written: bool
    ) -> None:
        """Add the state of a resource that changed, and that was `found` in the state of this digest before.

        Where the state `is_as_written` the next run adds nothing for it.
        """
        parts = converged(state)
        self._changed.append(self._added((*about, found), resource, (parts, state.cause)))
        if not state.stable:
            self._is_known = False
        elif not is_as_written:
            self._settled.append(self._added(about, resource, (parts, "")))

    def digests(self) -> tuple[str, str]:
        """Return the digest of all that was added, and the digest that the next run has if nothing changes.

        The second one is "" where it is not known or the same.
        """
        pieces = [*self._texts, *self._pieces]
        settled = digest_of_set(pieces + self._settled) if self._changed and self._is_known else ""
        return digest_of_set(pieces + self._changed), settled

    def _added(self, about: tuple[object, ...], resource: Resource, reached: object) -> bytes:
        type, values = resource.type, vars(resource.properties)
        own = self._own.get(type.name)
        if own is None:
            own = self._own[type.name] = ["name", *names_of(type)]
        return short_sha256(_bytes_of((about, type.name, tuple([values[name] for name in own]), reached))).digest()


def converged(state: State) -> object:
    """Return the parts of a state that can be compared without asking its type: all but times."""
    details = state.details
    metadata = details.get("metadata")
    if metadata and _TIME in metadata:
        return state.ensure, [value for key, value in metadata.items() if key != _TIME]
    return state.ensure, details


def names_of(type: AnyType) -> list[str]:
    """Return the names of the properties that say which state a resource of a type wants."""
    return ["ensure", "provider", *(prop.name for prop in type.own_properties)]


def digest_of(value: object) -> str:
    """Return a short digest of plain values, the same in every process."""
    return short_sha256(_bytes_of(value)).hexdigest()[:_LENGTH]


def _bytes_of(value: Any) -> bytes:
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        return repr(value).encode("utf-8", "surrogateescape")
