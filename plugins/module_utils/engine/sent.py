# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The values that a resource sent to others, now or in an earlier run (docs/state.md)."""

from __future__ import annotations

from ..model.errors import ResourceFailed
from ..resources.types import relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Mapping

    from ..model.contract import AnyType
    from ..model.event import Event
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Value

    #: Returns what the resource of an event of this run sent in an earlier one, nothing when that is not known. Raises
    #: ValueLost.
    SentLast = Callable[[Event], Dict[str, Value]]


class ValueLost(ResourceFailed):
    """What a resource sent last does not count any more, `since` a time as text, "" where that is not known."""

    def __init__(self, reason: str, since: str = "") -> None:
        super().__init__(reason)
        self.since = since


class SentValues(dict):
    """Values by their keys; to ask for another key is an error."""

    def __init__(self, reference: str, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        self._reference = reference

    def __missing__(self, key: object) -> Value:
        raise ResourceFailed(f"{self._reference} sends no {key}, only {', '.join(self) or 'nothing'}")


def sent_now(resource: Resource, state: State) -> dict[str, Value] | None:
    """Return the values that a resource sends, None if it did nothing in this run. Raises as the type of a package."""
    known = relations(resource.type)
    values = known.sent(resource.properties, state) if known and known.sends else None
    return None if values is None else dict(values)


def sends_secret(of_type: AnyType, values: Mapping[str, Value]) -> bool:
    """Return whether one of the values that a resource of a type sends is declared as secret."""
    known = relations(of_type)
    return known is not None and any(prop.secret and values.get(prop.name) for prop in known.sends)


def sent_by(event: Event, last: SentLast | None) -> SentValues | None:
    """Return what the resource of an event of this run sends, else what it sent last; None when that is not known.

    Raises ResourceFailed when resources of its type send nothing, and ValueLost.
    """
    resource = event.resource
    if resource is None:
        return None
    known = relations(resource.type)
    if known is None or not known.sends:
        raise ResourceFailed(f"{resource.reference} sends nothing: resources of its type have no values for others")
    values = sent_now(resource, event.status) if event.status else None
    if values is None:
        values = (last(event) if last else None) or None
    if values is None:
        return None
    shown = {
        key: SentValues(f"{resource.reference} ({key})", value) if isinstance(value, dict) else value
        for key, value in values.items()
    }
    return SentValues(resource.reference, shown)
