# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A graph as text: a tree, the languages of Graphviz and Mermaid, and data for JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ...model.values import Data
    from .graph import Edge, Graph


def tree_lines(graph: Graph, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a tree: below each resource those that come after it, each with the kind of its edge.

    What is below a resource is shown where it occurs first.
    """
    shown: set[int] = set()
    waiting = [(place, 0, "") for place in reversed(graph.order()) if not graph.entering(place)]
    while waiting:
        place, depth, kind = waiting.pop()
        is_repeated = place in shown and bool(graph.leaving(place))
        shown.add(place)
        notes = [kind] if kind else []
        if is_repeated:
            notes.append("see above")
        yield "  " * depth + names[place] + (f" ({', '.join(notes)})" if notes else "")
        if is_repeated:
            continue
        kinds: dict[int, list[str]] = {}
        for edge in graph.leaving(place):
            below = kinds.setdefault(edge.then, [])
            if edge.kind not in below:
                below.append(edge.kind)
        waiting += [(then, depth + 1, ", ".join(below)) for then, below in sorted(kinds.items(), reverse=True)]


def dot_lines(graph: Graph, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a digraph in the language of Graphviz."""
    yield "digraph manifest {"
    for place, name in enumerate(names):
        yield f"  n{place} [label={_quoted(name)}];"
    for edge in graph.edges:
        label, hint = _quoted(edge.kind), _quoted(" ".join([edge.reason, *edge.places]))
        yield f"  n{edge.first} -> n{edge.then} [label={label}, tooltip={hint}];"
    yield "}"


def mermaid_lines(graph: Graph, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a flowchart in the language of Mermaid."""
    yield "flowchart TD"
    for place, name in enumerate(names):
        yield f'  n{place}["{_entities(name)}"]'
    for edge in graph.edges:
        yield f"  n{edge.first} -->|{edge.kind}| n{edge.then}"


def as_data(graph: Graph, names: Sequence[str], places: Sequence[str], dropped: Sequence[Edge] = ()) -> Data:
    """Return nodes, edges and dropped edges for JSON; `places` are those of the resources in the manifest."""
    return {
        "nodes": [{"id": name, "place": place} for name, place in zip(names, places)],
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
