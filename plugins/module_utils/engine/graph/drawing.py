# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A graph as text: a tree, the languages of Graphviz and Mermaid, and data for JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence

    from ...model.values import Data
    from .graph import Edge, Graph


#: No resource: what the first manifest declares is applied by none.
NONE = -1
#: How many resources are drawn below each other, each further to the right.
_DEEPEST = 32


def tree_lines(graph: Graph, names: Sequence[str], parents: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a tree: below each resource those that come after it, each with the kind of its edge.

    `parents` are the resources that apply the manifest of each one, or NONE; without them there is one manifest. What
    is below a resource is shown once, and at the left margin where it would be too far to the right, so that text and
    time grow with the number of edges.
    """
    first: dict[int, list[int]] = {}
    for place in graph.order():
        if not graph.entering(place):
            first.setdefault(parents[place] if parents else NONE, []).append(place)
    expanded: set[int] = set()
    # What is continued at the margin, in order.
    continued: dict[int, None] = {}
    waiting = [(place, 0, "") for place in reversed(first.get(NONE, ()))]
    while waiting or continued:
        if not waiting:
            place = next(iter(continued), NONE)
            del continued[place]
            waiting.append((place, 0, "continued"))
        place, depth, kind = waiting.pop()
        notes = [kind] if kind else []
        has_below = bool(graph.leaving(place)) or place in first
        if has_below and place in expanded:
            notes.append("see above")
        elif has_below and (depth >= _DEEPEST or place in continued):
            notes.append("see below")
            continued[place] = None
        elif has_below:
            expanded.add(place)
            kinds: dict[int, list[str]] = {}
            for edge in graph.leaving(place):
                below = kinds.setdefault(edge.then, [])
                if edge.kind not in below:
                    below.append(edge.kind)
            waiting += [(then, depth + 1, ", ".join(below)) for then, below in sorted(kinds.items(), reverse=True)]
            waiting += [(child, depth + 1, "applied") for child in reversed(first.get(place, ()))]
        yield "  " * depth + names[place] + (f" ({', '.join(notes)})" if notes else "")


def dot_lines(graph: Graph, names: Sequence[str], parents: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a digraph in the language of Graphviz; `parents` as in `tree_lines`."""

    def box(place: int) -> tuple[str, str]:
        return f"subgraph cluster_{place} {{", "}"

    yield "digraph manifest {"
    yield from _nested(names, parents, lambda place: f"n{place} [label={_quoted(names[place])}];", box)
    for edge in graph.edges:
        label, hint = _quoted(edge.kind), _quoted(" ".join([edge.reason, *edge.places]))
        yield f"  n{edge.first} -> n{edge.then} [label={label}, tooltip={hint}];"
    yield "}"


def mermaid_lines(graph: Graph, names: Sequence[str], parents: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a flowchart in the language of Mermaid; `parents` as in `tree_lines`."""

    def box(place: int) -> tuple[str, str]:
        return f'subgraph s{place}["{_entities(names[place])}"]', "end"

    yield "flowchart TD"
    yield from _nested(names, parents, lambda place: f'n{place}["{_entities(names[place])}"]', box)
    for edge in graph.edges:
        yield f"  n{edge.first} -->|{edge.kind}| n{edge.then}"


def _nested(
    names: Sequence[str], parents: Sequence[int], node: Callable[[int], str], box: Callable[[int], tuple[str, str]]
) -> Iterator[str]:
    """Yield the lines of all resources, one that applies a manifest in a box with the resources of that."""
    children: dict[int, list[int]] = {}
    for place in range(len(names)):
        children.setdefault(parents[place] if parents else NONE, []).append(place)

    def lines(place: int, indent: str) -> Iterator[str]:
        if place not in children:
            yield indent + node(place)
            return
        begin, end = box(place)
        yield indent + begin
        yield f"{indent}  {node(place)}"
        for child in children[place]:
            yield from lines(child, f"{indent}  ")
        yield indent + end

    for place in children.get(NONE, ()):
        yield from lines(place, "  ")


def as_data(
    graph: Graph,
    names: Sequence[str],
    places: Sequence[str],
    dropped: Sequence[Edge] = (),
    parents: Sequence[int] = (),
) -> Data:
    """Return nodes, edges and dropped edges for JSON.

    `places` are those of the resources in their manifests, `parents` as in `tree_lines`.
    """
    nodes: list[dict[str, str]] = [{"id": name, "place": place} for name, place in zip(names, places)]
    for node, parent in zip(nodes, parents):
        if parent != NONE:
            node["parent"] = names[parent]
    return {
        "nodes": nodes,
        "edges": [_edge(edge, names) for edge in graph.edges],
        "dropped": [_edge(edge, names) for edge in dropped],
    }


def _edge(edge: Edge, names: Sequence[str]) -> Data:
    return {
        "kind": edge.kind,
        "from": names[edge.first],
        "to": names[edge.then],
        "reason": edge.reason,
        "places": list(edge.places),
    }


def lost_orders(graph: Graph) -> Iterator[tuple[int, list[int]]]:
    """Yield each resource with the later ones of the list that nothing makes come after it, where there are any."""
    reached = [0] * len(graph)
    for place in reversed(graph.order()):
        for edge in graph.leaving(place):
            reached[place] |= reached[edge.then] | 1 << edge.then
    for place, found in enumerate(reached):
        lost = [later for later in range(place + 1, len(graph)) if not found >> later & 1]
        if lost:
            yield place, lost


def critical_path(graph: Graph, durations: Sequence[int]) -> list[int]:
    """Return the path whose resources take longest together; `durations` are theirs, in any unit."""
    if not len(graph):
        return []
    total = list(durations)
    before = [-1] * len(graph)
    for place in graph.order():
        for edge in graph.leaving(place):
            if total[place] + durations[edge.then] > total[edge.then]:
                total[edge.then] = total[place] + durations[edge.then]
                before[edge.then] = place
    place = max(range(len(graph)), key=lambda at: (total[at], -at))
    path = [place]
    while before[path[-1]] >= 0:
        path.append(before[path[-1]])
    return path[::-1]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _entities(text: str) -> str:
    """Return the text with what Mermaid would read as syntax written as entities."""
    return "".join(each if each.isalnum() or each in " /._-=,:@%+" else f"#{ord(each)};" for each in text)
