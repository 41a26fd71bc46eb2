# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm graph`: the dependencies between the resources of a manifest, with their reasons."""

from __future__ import annotations

import os
import sys

from ..engine.graph.drawing import NONE, as_data, critical_path, dot_lines, lost_orders, mermaid_lines, tree_lines
from ..engine.graph.graph import AUTO, KINDS, Edge, Graph
from ..engine.graph.order import GraphOrder
from ..engine.session_directory import DirectorySession
from ..lang.controls import escaped, in_json
from ..lang.go.json import marshal
from ..lang.spans import format_go
from ..manifest.source import fetch_manifest
from ..model.errors import CCMError, ResourceFailed
from ..model.flags import Flag
from .apply import AUTOMATIC, CONNECTION, MANIFEST, SOURCES, manifest_inputs, read_given
from .command import Command
from .console import Console
from .run import nats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..manifest.applied import Applied
    from ..manifest.manifest import Manifest
    from ..manifest.ordering import Schedule
    from ..model.flags import Values
    from ..model.resource import Resource

_FORMATS = ("text", "dot", "mermaid", "json")


def _graph(values: Values) -> int:
    console = Console(values)
    _refuse_other_views(values)
    kinds = _kinds(values.edges)
    with fetch_manifest(values.manifest, console.user_log, lambda: nats_of(values)) as text:
        inputs = manifest_inputs(values, console)
        inputs.parallel = "1"
        manifest = read_given(text, inputs, values)
    schedule = manifest.schedule
    whole = schedule.graph if schedule else Graph(len(manifest.resources))
    graph = Graph(len(whole), (edge for edge in whole.edges if edge.kind in kinds))
    dropped = schedule.dropped if schedule and AUTO in kinds else ()
    if values.grouped and schedule:
        lines = _grouped_lines(schedule, manifest)
    elif values.implicit or values.critical_path:
        lines = _lines_of_order(values, graph, manifest.resources)
    else:
        lines = _lines(values, _Expanded(graph, manifest, schedule.applied if schedule else {}, kinds), dropped)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _refuse_other_views(values: Values) -> None:
    """Raise CCMError for flags that exclude each other, and for a session that does not exist."""
    views = [name for name in ("implicit", "grouped", "critical_path") if getattr(values, name)]
    flags = [f"--{name.replace('_', '-')}" for name in views]
    if "format" in values.given and views:
        flags.append("--format")
    if len(flags) > 1:
        raise CCMError(f"{' and '.join(flags)} exclude each other", advice="give one of them")
    if values.session and not os.path.isdir(values.session):
        raise CCMError(f"there is no session in {values.session}", property="session", value=values.session)


def _kinds(given: str) -> Sequence[str]:
    """Return the kinds of edges of `--edges`. Raises CCMError."""
    kinds = [kind.strip() for kind in given.split(",")] if given else list(KINDS)
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong:
        raise CCMError(f"there is no kind of edges {wrong[0]}", value=given, advice=f"kinds: {', '.join(KINDS)}")
    return kinds


class _Expanded:
    """A graph with the resources of child manifests: `names`, `positions`, and `parents`, which apply them."""

    def __init__(self, graph: Graph, manifest: Manifest, applied: dict[int, Applied], kinds: Sequence[str]) -> None:
        self.names: list[str] = []
        self.positions: list[str] = []
        self.parents: list[int] = []
        self._kinds = kinds
        self._edges = list(graph.edges)
        self._add(manifest.resources, applied, NONE)
        self.graph = Graph(len(self.names), self._edges)

    def _add(self, resources: Sequence[Resource], applied: dict[int, Applied], parent: int) -> None:
        start = len(self.names)
        self.names += [resource.reference for resource in resources]
        self.positions += [str(resource.position or "") for resource in resources]
        self.parents += [parent] * len(resources)
        for index, each in applied.items():
            schedule, begin = each.manifest.schedule, len(self.names)
            for edge in schedule.graph.edges if schedule else ():
                if edge.kind in self._kinds:
                    first, then = begin + edge.first, begin + edge.then
                    self._edges.append(Edge(edge.kind, first, then, edge.reason, edge.positions))
            self._add(each.manifest.resources, each.applied, start + index)


def _lines(values: Values, drawn: _Expanded, dropped: Sequence[Edge]) -> Iterator[str]:
    if values.format == "dot":
        yield from dot_lines(drawn.graph, [*map(escaped, drawn.names)], drawn.parents)
    elif values.format == "mermaid":
        yield from mermaid_lines(drawn.graph, [*map(escaped, drawn.names)], drawn.parents)
    elif values.format == "json":
        data = as_data(drawn.graph, drawn.names, drawn.positions, dropped, drawn.parents)
        yield in_json(marshal(data, indent="  ", sort_keys=False))
    else:
        yield from map(escaped, tree_lines(drawn.graph, drawn.names, drawn.parents))
        for edge in dropped:
            yield escaped(f"dropped, because other edges say the opposite: {edge.reason}")


def _lines_of_order(values: Values, graph: Graph, resources: Sequence[Resource]) -> Iterator[str]:
    names = [escaped(resource.reference) for resource in resources]
    if values.implicit:
        for index, later in lost_orders(graph):
            yield f"{names[index]}: {', '.join(names[each] for each in later)}"
    else:
        yield from _path_lines(graph, names, values.session, resources)


def _path_lines(graph: Graph, names: Sequence[str], directory: str, resources: Sequence[Resource]) -> Iterator[str]:
    """Yield the resources of the longest path, with a session each with its time there, and the whole time."""
    durations = _durations(directory, resources) if directory else [1] * len(names)
    path = critical_path(graph, durations)
    for index in path:
        yield names[index] + (f" {format_go(durations[index])}" if directory else "")
    if directory:
        yield f"in all {format_go(sum(durations[index] for index in path))}"


def _grouped_lines(schedule: Schedule, manifest: Manifest) -> Iterator[str]:
    resources = manifest.resources
    order = GraphOrder(
        resources,
        schedule.graph,
        schedule.semaphores,
        schedule.limits,
        grouped=manifest.is_grouped,
        notifying=manifest.notifying,
    )
    for together in iter(order.start, ()):
        yield escaped(", ".join(resources[each].reference for each in together))
        order.finish(together)


def _durations(directory: str, resources: Sequence[Resource]) -> list[int]:
    """Return how long each resource took in a session, in nanoseconds; 0 for one without an event there."""
    session = DirectorySession(directory)
    found = []
    for resource in resources:
        try:
            found.append(session.last_event(resource.type.name, resource.properties.name).duration)
        except ResourceFailed:
            found.append(0)
    return found


COMMAND = Command(
    "graph",
    "Show what depends on what in a manifest",
    details="""Show the resources of a manifest as they would run in graph order, each below what it comes after, with
the kind of its edge. The manifest need not ask for graph order: references are checked as if it did. Nothing
is changed.""",
    arguments=(MANIFEST,),
    flags=(
        *SOURCES,
        Flag(
            "format",
            "text",
            "How the graph is written: text, dot (Graphviz), mermaid or json",
            default="text",
            choices=_FORMATS,
        ),
        Flag("edges", "text", f"Only edges of these kinds: {', '.join(KINDS)}", placeholder="KIND,..."),
        Flag("implicit", "set", "Only list pairs whose order in the list the graph does not keep"),
        Flag("grouped", "set", "Show the order in which resources start, those of one transaction on one line"),
        Flag("critical-path", "set", "Only show the path that takes longest"),
        Flag("session", "text", "Session store with the times of resources for --critical-path", path="directory"),
        *AUTOMATIC,
        *CONNECTION,
    ),
    run=_graph,
)
