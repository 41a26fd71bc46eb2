# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of a manifest's resources beyond the order of the list: a graph, and references in `meta`."""

from __future__ import annotations

from ..engine.graph.automatic import Related, add_automatic, automatic_edges
from ..engine.graph.graph import CycleFound
from ..engine.graph.references import Circle, References, distinct
from ..engine.late_calls import senders_in
from ..engine.notifying import Notifying
from ..host.package_files import files_of_packages
from ..model.errors import CCMError, InvalidResource
from ..model.facets import PATH, Identity
from ..model.meta import semaphore, type_semaphore
from ..resources.types import relations
from .applied import Applied, applied_manifests, names_of_applied
from .engine_settings import parallel_of
from .files_read import files_read

_REMOVED = ("absent", "purged")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Sequence

    from ..engine.graph.graph import Edge, Graph
    from ..engine.graph.references import Around
    from ..model.facets import AnyRelations
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.values import Data
    from .engine_settings import EngineSettings
    from .loader import Inputs
    from .manifest import Manifest


class Schedule:
    """The `graph` of a manifest's resources, and how many of them may run at once.

    `semaphores` are the names that each resource needs, `limits` how many resources may have one at once. `dropped` are
    automatic edges that contradict others, `applied` the child manifests, by the indexes of the resources that apply
    them.
    """

    def __init__(
        self,
        graph: Graph,
        parallel: int,
        semaphores: list[list[str]],
        limits: dict[str, int],
        dropped: Sequence[Edge],
        applied: dict[int, Applied],
    ) -> None:
        self.graph = graph
        self.dropped = dropped
        self.applied = applied
        self.parallel = parallel
        self.semaphores = semaphores
        self.limits = limits


def arrange(manifest: Manifest, engine: EngineSettings | None, *, is_graph: bool, reads_applied: bool) -> None:
    """Give a manifest the order of its resources, whom they notify, and the senders that its outputs name.

    Raises as `_graph_order`, `_notified_in_list` and `_senders_of_outputs`.
    """
    resources, inputs = manifest.resources, manifest.inputs
    if is_graph:
        graph = _graph_order(resources, engine, manifest.directory, manifest.data, inputs, reads_applied)
        manifest.resources, notified, manifest.schedule = graph
    else:
        notified = _notified_in_list(resources, inputs.above)
    has_meta = any(resource.properties.meta for resource in resources)
    manifest.notifying = Notifying(notified) if has_meta or notified else None
    if engine and engine.outputs:
        manifest.senders = _senders_of_outputs(engine, manifest.resources, inputs.above)


def _notified_in_list(resources: Sequence[Resource], above: Sequence[Around]) -> dict[str, list[str]]:
    """Return what notifies what in the order of the list, as for Notifying; `above` as in References.

    Raises WrongReference for a wrong reference in `meta`, or in `sent()`.
    """
    references = References(resources, above)
    references.check_list_order()
    return references.notifying()


def _senders_of_outputs(
    engine: EngineSettings, resources: Sequence[Resource], above: Sequence[Around]
) -> frozenset[str]:
    """Return the references in the outputs of a manifest; `above` as in References. Raises WrongReference."""
    senders = senders_in(engine.outputs)
    References(resources, above).check_outputs(senders, engine.outputs_position)
    return frozenset(senders)


def _graph_order(
    resources: Sequence[Resource],
    engine: EngineSettings | None,
    directory: str,
    data: Data,
    inputs: Inputs,
    reads_applied: bool,
) -> tuple[list[Resource], dict[str, list[str]], Schedule]:
    """Return the resources, each once, what notifies what, also in child manifests, and their order as a graph.

    `inputs.parallel`, how many run at once, and `inputs.autoedges` win over `engine`. Manifests that resources apply
    are read for their references when `reads_applied`. Raises InvalidResource for a reference that is wrong, and
    ManifestError for resources that depend on each other in a circle.
    """
    resources = distinct(resources)
    applied = applied_manifests(resources, directory, data, inputs) if reads_applied else {}
    references = References(resources, inputs.above, names_of_applied(applied))
    graph = references.graph()
    outward = [(index, name, declared) for index, each in applied.items() for name, declared in each.outward()]
    for index, name, declared in outward:
        edge = references.edge(index, declared, name)
        if edge:
            graph.add(edge)
    try:
        graph.order()
    except CycleFound as found:
        raise circle(found, resources) from None
    has_automatic = inputs.autoedges and (engine is None or engine.autoedges)
    dropped = add_automatic(graph, _automatic(resources, directory, inputs.log)) if has_automatic else []
    at_once = engine.parallel if engine else 1
    if inputs.parallel is not None:
        at_once = parallel_of(inputs.parallel, "parallel")
    schedule = Schedule(graph, at_once, *semaphores_of(resources), dropped, applied)
    notified = references.notifying(declared for _index, _name, declared in outward)
    return resources, notified, schedule


def relations_of(resource: Resource, directory: str, known: AnyRelations | None) -> Related:
    """Return what a resource provides and wants by the relations of its type, and the files that it reads late.

    Relative names of files are in `directory`. Raises InvalidResource for a fault of a type of a package.
    """
    properties = resource.properties
    try:
        read = [Identity(PATH, path) for path in files_read(resource, directory)]
        if known is None:
            return Related(wants=read)
        provided, wanted, installed = known.provides(properties), known.wants(properties), known.installs(properties)
    except CCMError as error:
        error.resource = error.resource or resource.reference
        error.position = error.position or resource.position
        raise
    return Related(provided, [*wanted, *read] if read else wanted, installed, is_absent=properties.ensure in _REMOVED)


def _automatic(resources: Sequence[Resource], directory: str, log: Log) -> Iterator[Edge]:
    """Yield the automatic edges of resources whose `meta` does not exclude them; relative names are in `directory`."""

    def installed_files(packages: Iterable[str]) -> dict[str, list[str]]:
        log.before_waiting()
        return files_of_packages(packages)

    def primary_groups(users: Iterable[str], groups: Iterable[str]) -> dict[str, str]:
        from ..host.accounts import primary_groups_of

        log.before_waiting()
        return primary_groups_of(users, groups)

    of_types = {type: relations(type) for type in {resource.type for resource in resources}}
    related = []
    for resource in resources:
        meta = resource.properties.meta
        is_excluded = meta and meta["autoedge"] is False
        related.append(Related() if is_excluded else relations_of(resource, directory, of_types[resource.type]))
    names = [resource.reference for resource in resources]
    return automatic_edges(related, names, installed_files, primary_groups)


def semaphores_of(resources: Sequence[Resource]) -> tuple[list[list[str]], dict[str, int]]:
    """Return the semaphores of each resource, and their counts. Raises InvalidResource for a name with two counts."""
    limits: dict[str, int] = {}
    names: list[list[str]] = []
    for resource in resources:
        meta, own = resource.properties.meta, resource.type.semaphores
        declared = [semaphore(text) for text in meta["sema"]] if meta else []
        for name, count in declared:
            if limits.setdefault(name, count) != count:
                raise InvalidResource(
                    f"the semaphore {name} has two counts, {limits[name]} and {count}",
                    resource=resource.reference,
                    property="meta.sema",
                    position=resource.position,
                    advice="give it the same count wherever it is named; without one it is 1",
                )
        names.append(sorted([*dict(declared), *map(type_semaphore, own)]) if meta or own else [])
    return names, limits


def circle(found: CycleFound, resources: Sequence[Resource]) -> Circle:
    """Return the error for resources that depend on each other, with the reasons and positions of their edges."""
    steps = [f"{edge.reason} ({', '.join(edge.positions)})" if edge.positions else edge.reason for edge in found.edges]
    return Circle(
        f"the resources depend on each other in a circle: {'; '.join(steps)}",
        position=resources[found.edges[0].first].position,
        advice="remove one of these references",
    )
