# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of a manifest's resources where it is not only that of the list: a graph, and references in `meta`."""

from __future__ import annotations

from ..engine.graph.automatic import Related, add_automatic, automatic_edges
from ..engine.graph.graph import CycleFound
from ..engine.graph.references import References, distinct
from ..engine.treatment import Treatment
from ..host.package_files import files_of_packages
from ..model.errors import InvalidResource, ManifestError
from ..model.meta import semaphore
from ..resources.types import relations
from .engine_settings import parallel_of

_ABSENT = "absent"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..engine.graph.graph import Edge, Graph
    from ..model.contract import AnyType
    from ..model.resource import Properties, Resource
    from .engine_settings import EngineSettings


class Schedule:
    """The `graph` of a manifest's resources, and how many of them may run at once.

    `semaphores` are the names that each resource needs, `limits` how many resources may have one at once. `dropped` are
    automatic edges that contradict others.
    """

    def __init__(
        self,
        graph: Graph,
        parallel: int,
        semaphores: list[list[str]],
        limits: dict[str, int],
        dropped: Sequence[Edge] = (),
    ) -> None:
        self.graph = graph
        self.dropped = dropped
        self.parallel = parallel
        self.semaphores = semaphores
        self.limits = limits


class Order:
    """What a manifest says of the order of its resources, and of their tries.

    `schedule` is None in the order of the list.
    """

    def __init__(self, references: References, schedule: Schedule | None) -> None:
        self.schedule = schedule
        self.treatment = Treatment(references.notifying())


def list_order(resources: Sequence[Resource]) -> Order:
    """Return the order of the list. Raises InvalidResource for a reference in `meta` that is wrong in it."""
    references = References(resources)
    references.check_list_order()
    return Order(references, None)


def graph_order(
    resources: Sequence[Resource], engine: EngineSettings | None, parallel: str | None
) -> tuple[list[Resource], Order]:
    """Return the resources, each once, and their order as a graph.

    `parallel`, how many run at once, wins over `engine`. Raises InvalidResource for a reference that is wrong, and
    ManifestError for resources that depend on each other in a circle.
    """
    resources = distinct(resources)
    references = References(resources)
    graph = references.graph()
    try:
        graph.order()
    except CycleFound as found:
        raise _circle(found, resources) from None
    dropped = add_automatic(graph, _automatic(resources)) if engine is None or engine.autoedges else []
    declared = engine.parallel if engine else 1
    at_once = declared if parallel is None else parallel_of(parallel, "parallel")
    return resources, Order(references, Schedule(graph, at_once, *_semaphores(resources), dropped))


def relations_of(type: AnyType, properties: Properties) -> Related:
    """Return what a resource provides and wants. Raises InvalidResource for a fault of a type of a package."""
    known = relations(type)
    if known is None:
        return Related()
    return Related(
        known.provides(properties),
        known.wants(properties),
        known.installs(properties),
        is_absent=properties.ensure == _ABSENT,
    )


def _automatic(resources: Sequence[Resource]) -> Iterator[Edge]:
    """Yield the automatic edges of resources, without those for which `meta` excludes them."""
    related = []
    for resource in resources:
        properties = resource.properties
        if properties.meta and properties.meta["autoedge"] is False:
            related.append(Related())
        else:
            related.append(relations_of(resource.type, properties))
    return automatic_edges(related, [resource.reference for resource in resources], files_of_packages)


def _semaphores(resources: Sequence[Resource]) -> tuple[list[list[str]], dict[str, int]]:
    """Return the names of the semaphores of each resource, and their counts.

    Raises InvalidResource for one with two counts.
    """
    limits: dict[str, int] = {}
    names: list[list[str]] = []
    for resource in resources:
        meta = resource.properties.meta
        declared = dict(semaphore(text) for text in meta["sema"]) if meta else {}
        for name, count in declared.items():
            if limits.setdefault(name, count) != count:
                raise InvalidResource(
                    f"the semaphore {name} has two counts, {limits[name]} and {count}",
                    resource=resource.reference,
                    property="meta.sema",
                    position=resource.position,
                    advice="give it the same count wherever it is named; without one it is 1",
                )
        # A name of a type's semaphore cannot be that of a manifest, which has no space.
        names.append(sorted([*declared, *(f"{name} of types" for name in resource.type.semaphores)]))
    return names, limits


def _circle(found: CycleFound, resources: Sequence[Resource]) -> ManifestError:
    steps = [f"{edge.reason} ({', '.join(edge.places)})" if edge.places else edge.reason for edge in found.edges]
    return ManifestError(
        f"the resources depend on each other in a circle: {'; '.join(steps)}",
        position=resources[found.edges[0].first].position,
        advice="remove one of these references",
    )
