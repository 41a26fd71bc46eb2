# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""References between the resources of a manifest: require, subscribe, and in `meta` before and notify."""

from __future__ import annotations

from ...lang.near import nearest
from ...model.errors import InvalidResource, ManifestError
from ...redaction.texts import without_text_secrets
from ..late_calls import senders_named
from .graph import BEFORE, NOTIFY, REQUIRE, SENT, SUBSCRIBE, Edge, Graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Mapping, Sequence, Tuple

    from ...model.errors import Position
    from ...model.resource import Resource

    #: The resources of a manifest that applies a child manifest, and whether its graph knows the child.
    Around = Tuple[Sequence[Resource], bool]

_WORDS = {
    REQUIRE: "requires",
    SUBSCRIBE: "subscribes to",
    BEFORE: "comes before",
    NOTIFY: "notifies",
    SENT: "uses what is sent by",
}
#: The properties, as errors name them.
_PROPERTIES = {REQUIRE: "require", SUBSCRIBE: "subscribe", BEFORE: "meta.before", NOTIFY: "meta.notify"}
_NOTHING = "there is no such resource in this manifest"


class WrongReference(InvalidResource):
    """A reference to a missing resource, to the resource itself, or backwards in the list."""


class Circle(ManifestError):
    """Resources that depend on each other in a circle."""


class Declared:
    """A reference in a `property` of a `resource`, also in an expression there, with the `kind` of its edge."""

    def __init__(self, kind: str, resource: Resource, reference: str, property: str = "") -> None:
        self.kind = kind
        self.resource = resource
        self.reference = reference
        self.property = property or _PROPERTIES[kind]

    def refused(self, text: str, advice: str) -> WrongReference:
        """Return the error for a reference that is wrong."""
        shown = without_text_secrets(self.reference)
        return WrongReference(
            f"{text}: {shown}",
            resource=self.resource.reference,
            property=self.property,
            value=shown,
            position=self.resource.position,
            advice=advice,
        )


class References:
    """Finds the resources that the references of `resources` lead to, as indexes in their list.

    `above` are the manifests that apply this one: references may lead to their resources, too, `before` and `notify`
    only if a graph knows this manifest. `applied` has, by the index of a resource that applies a child manifest, the
    references to the resources of the child, which are also allowed.
    """

    def __init__(
        self,
        resources: Sequence[Resource],
        above: Sequence[Around] = (),
        applied: Mapping[int, Iterable[str]] | None = None,
    ) -> None:
        self._resources = resources
        self._above = above
        self._names_above: dict[bool, set[str]] = {}
        self._indexes: dict[str, int] = {}
        named = ((index, resource.names) for index, resource in enumerate(resources))
        for index, references in (*named, *(applied or {}).items()):
            for reference in references:
                self._indexes.setdefault(reference, index)

    def holds(self, reference: str) -> bool:
        """Return whether a reference is to one of the resources."""
        return reference in self._indexes

    def edge(self, index: int, declared: Declared, name: str = "") -> Edge | None:
        """Return the edge of a reference that the resource `index`, or a resource of its child `name`, declares.

        None for a reference to a resource of a manifest above. Raises WrongReference.
        """
        other, resource = self._indexes.get(declared.reference), declared.resource
        if other is None:
            if self._is_above(declared.reference, needs_graph=declared.kind in (BEFORE, NOTIFY)):
                return None
            raise declared.refused(_NOTHING, self._near(declared.reference, resource.names))
        if other == index:
            text = "the resource refers to what applies it" if name else "the resource refers to itself"
            if not name and declared.reference not in resource.names:
                text = "the resource applies what it refers to"
            raise declared.refused(text, "remove the reference")
        first, then = (index, other) if declared.kind in (BEFORE, NOTIFY) else (other, index)
        origin = f" of {name}" if name else ""
        reason = f"{resource.reference}{origin} {_WORDS[declared.kind]} {self._resources[other].reference}"
        position = resource.position
        return Edge(declared.kind, first, then, reason, (str(position),) if position else ())

    def check_outputs(self, senders: Iterable[str], position: Position | None) -> None:
        """Raise WrongReference for a missing resource in the outputs of the manifest, which are at `position`."""
        for reference in sorted(senders):
            if not self.holds(reference) and not self._is_above(reference, needs_graph=False):
                shown, advice = without_text_secrets(reference), self._near(reference, ())
                raise WrongReference(
                    f"{_NOTHING}: {shown}", property="engine.outputs", value=shown, position=position, advice=advice
                )

    def _is_above(self, reference: str, *, needs_graph: bool) -> bool:
        if needs_graph not in self._names_above:
            lists = [resources for resources, is_known in self._above if is_known or not needs_graph]
            names = {name for resources in lists for resource in resources for name in resource.names}
            self._names_above[needs_graph] = names
        return reference in self._names_above[needs_graph]

    def _near(self, reference: str, own: Sequence[str]) -> str:
        near = nearest(reference, [name for name in self._indexes if name not in own])
        return f"did you mean {without_text_secrets(near)}?" if near else "declare it, or remove the reference"

    def check_list_order(self) -> None:
        """Raise WrongReference for a `before` or `notify` of an earlier resource, and for a value of a later one."""
        for index, resource in enumerate(self._resources):
            for declared in declared_by(resource):
                is_checked = declared.kind in (BEFORE, NOTIFY, SENT)
                edge = self.edge(index, declared) if is_checked else None
                if edge and edge.then < edge.first:
                    text = f"this resource comes {'later' if declared.kind == SENT else 'earlier'} in the list"
                    raise declared.refused(text, "move one of the two, or set engine: {order: graph}")

    def graph(self) -> Graph:
        """Return the graph of all references but for references to resources of manifests above.

        Raises WrongReference for a reference to a missing resource or to the resource itself.
        """
        declared = ((index, each) for index, resource in enumerate(self._resources) for each in declared_by(resource))
        edges = (self.edge(index, each) for index, each in declared)
        return Graph(len(self._resources), (edge for edge in edges if edge))

    def notifying(self, declared_by_children: Iterable[Declared] = ()) -> dict[str, list[str]]:
        """Return the references of the resources that notify others, by the references in their `notify`.

        `declared_by_children` are the references that resources of child manifests declare.
        """
        found: dict[str, list[str]] = {}
        with_meta = (resource for resource in self._resources if resource.properties.meta)
        own = (declared for resource in with_meta for declared in declared_by(resource))
        for declared in (*own, *declared_by_children):
            if declared.kind == NOTIFY and self.holds(declared.reference):
                first = declared.resource.names[0]
                found.setdefault(declared.reference, []).append(first)
        return found


def declared_by(resource: Resource) -> Iterator[Declared]:
    """Yield the references that a resource declares to others."""
    properties = resource.properties
    for reference in properties.require:
        yield Declared(REQUIRE, resource, reference)
    for reference, property in senders_named(resource).items():
        yield Declared(SENT, resource, reference, property)
    for reference in resource.type.subscriptions(properties):
        yield Declared(SUBSCRIBE, resource, reference)
    meta = properties.meta
    for kind, references in ((BEFORE, meta["before"]), (NOTIFY, meta["notify"])) if meta else ():
        for reference in references:
            yield Declared(kind, resource, reference)


def distinct(resources: Sequence[Resource]) -> list[Resource]:
    """Return the resources without equal declarations. Raises InvalidResource for two declarations that differ."""
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
