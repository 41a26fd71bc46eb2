# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the resources of a manifest say of each other: require, subscribe, and in `meta` before and notify."""

from __future__ import annotations

from ...lang.near import nearest
from ...model.errors import InvalidResource
from ...redaction.texts import without_text_secrets
from .graph import BEFORE, NOTIFY, REQUIRE, SUBSCRIBE, Edge, Graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ...model.resource import Resource

_WORDS = {REQUIRE: "requires", SUBSCRIBE: "subscribes to", BEFORE: "comes before", NOTIFY: "notifies"}
#: The properties, as errors name them.
_PROPERTIES = {REQUIRE: "require", SUBSCRIBE: "subscribe", BEFORE: "meta.before", NOTIFY: "meta.notify"}


class References:
    """The references among `resources`, whose places in the list they are found by."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._resources = resources
        self._places: dict[str, int] = {}
        for place, resource in enumerate(resources):
            properties = resource.properties
            for name in (properties.name, properties.alias):
                if name:
                    self._places.setdefault(f"{resource.type.name}#{name}", place)

    def edges(self, kinds: Sequence[str]) -> Iterator[Edge]:
        """Yield the edges of these kinds, in the order of the list.

        Raises InvalidResource for a reference to nothing in the list, and to the resource itself.
        """
        for place, resource in enumerate(self._resources):
            for kind, reference in _declared(resource):
                if kind in kinds:
                    yield self._edge(kind, place, reference)

    def _edge(self, kind: str, place: int, reference: str) -> Edge:
        resource = self._resources[place]
        other = self._places.get(reference)
        if other is None:
            raise self._refused(
                kind, place, reference, "there is no such resource in this manifest", self._near(reference)
            )
        if other == place:
            raise self._refused(kind, place, reference, "the resource refers to itself", "remove the reference")
        first, then = (place, other) if kind in (BEFORE, NOTIFY) else (other, place)
        reason = f"{resource.reference} {_WORDS[kind]} {self._resources[other].reference}"
        return Edge(kind, first, then, reason, (str(resource.position),) if resource.position else ())

    def _refused(self, kind: str, place: int, reference: str, text: str, advice: str) -> InvalidResource:
        resource = self._resources[place]
        return InvalidResource(
            f"{text}: {without_text_secrets(reference)}",
            resource=resource.reference,
            property=_PROPERTIES[kind],
            value=without_text_secrets(reference),
            position=resource.position,
            advice=advice,
        )

    def _near(self, reference: str) -> str:
        near = nearest(reference, list(self._places))
        return f"did you mean {without_text_secrets(near)}?" if near else "declare it, or remove the reference"

    def check_list_order(self) -> None:
        """Raise InvalidResource for a `before` or `notify` of a resource that comes earlier in the list."""
        for edge in self.edges((BEFORE, NOTIFY)):
            if edge.then < edge.first:
                reference = self._resources[edge.then].reference
                text = "this resource comes earlier in the list"
                advice = "move one of the two, or set engine: {order: graph}"
                raise self._refused(edge.kind, edge.first, reference, text, advice)

    def graph(self) -> Graph:
        """Return the graph of all references. Raises InvalidResource."""
        return Graph(len(self._resources), self.edges((REQUIRE, SUBSCRIBE, BEFORE, NOTIFY)))

    def notifying(self) -> dict[tuple[str, str], list[str]]:
        """Return the references of the resources that notify others, by type and name of these.

        Raises InvalidResource for a reference to nothing in the list, and to the resource itself.
        """
        found: dict[tuple[str, str], list[str]] = {}
        for edge in self.edges((NOTIFY,)):
            first, then = self._resources[edge.first], self._resources[edge.then]
            key = (then.type.name, then.properties.name)
            found.setdefault(key, []).append(f"{first.type.name}#{first.properties.name}")
        return found


def _declared(resource: Resource) -> Iterator[tuple[str, str]]:
    """Yield the kinds and references that a resource declares."""
    properties = resource.properties
    for reference in properties.require:
        yield REQUIRE, reference
    for reference in resource.type.subscriptions(properties):
        yield SUBSCRIBE, reference
    if properties.meta:
        for reference in properties.meta["before"]:
            yield BEFORE, reference
        for reference in properties.meta["notify"]:
            yield NOTIFY, reference


def distinct(resources: Sequence[Resource]) -> list[Resource]:
    """Return the resources, those that are declared again in the same way once.

    Raises InvalidResource for one that is declared again in another way.
    """
    found: dict[tuple[str, str], Resource] = {}
    for resource in resources:
        key = (resource.type.name, resource.properties.name)
        first = found.setdefault(key, resource)
        if first is not resource and vars(first.properties) != vars(resource.properties):
            raise InvalidResource(
                "is declared twice, with different properties",
                resource=resource.reference,
                position=resource.position,
                advice=f"the other one is at {first.position}: in graph order each resource is managed once",
            )
    return list(found.values())
