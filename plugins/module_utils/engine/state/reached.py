# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The digest of the states that the resources of a run reached."""

from __future__ import annotations

import marshal

from ...host.digests import sha256_hex, short_sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.contract import AnyType
    from ...model.resource import Resource
    from ...model.state import State

_LENGTH = 16
_TIME = "mtime"


class Reached:
    """A digest of the states that the resources of a run reached, in any order; threads may add to it at once."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._own: dict[str, list[str]] = {}
        self._digest = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not self._pieces

    def add(self, about: tuple[object, ...], resource: Resource, state: State | None) -> None:
        """Add the state of a resource, None if it is not known, and other facts `about` the resource."""
        type, values = resource.type, vars(resource.properties)
        own = self._own.get(type.name)
        if own is None:
            own = self._own[type.name] = ["name", *names_of(type)]
        wanted = tuple([values[name] for name in own])
        piece = (about, type.name, wanted, state and (converged(state), state.cause))
        self._pieces.append(_bytes_of(piece))
        self._digest = ""

    def add_text(self, prefix: str, text: str) -> None:
        """Add the text of a manifest, whose resources have keys with this prefix."""
        self._pieces.append(f"{prefix} {digest_of(text)}".encode())
        self._digest = ""

    def digest(self) -> str:
        """Return the digest of all that was added."""
        if not self._digest:
            self._digest = sha256_hex(b"".join(sorted(self._pieces)))
        return self._digest


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
