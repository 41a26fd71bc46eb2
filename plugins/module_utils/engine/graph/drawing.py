# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A graph as text: a tree, the languages of Graphviz and Mermaid, and data for JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Sequence

    from ...model.values import Data
    from .graph import Edge, Graph


#: The parent of the resources of the first manifest, which no resource applies.
NONE = -1
#: How many resources are drawn below each other, each further to the right.
_DEEPEST = 32


def tree_lines(graph: Graph, names: Sequence[str], parents: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a tree: below each resource the resources that come after it, with the kinds of the edges.

    `parents` are the indexes of the resources that apply the manifest of each resource, or NONE; without them there is
    one manifest. The resources below a resource are shown once, and at the left margin where they would be too far to
    the right, so that text and time grow with the number of edges.
    """
    first = _below((index for index in graph.order() if not graph.entering(index)), parents)
    expanded: set[int] = set()
    # The resources whose children are shown at the margin, in order.
    continued: dict[int, None] = {}
    waiting = [(index, 0, "") for index in reversed(first.get(NONE, ()))]
    while waiting or continued:
        if not waiting:
            index = next(iter(continued), NONE)
            del continued[index]
            waiting.append((index, 0, "continued"))
        index, depth, kind = waiting.pop()
        notes = [kind] if kind else []
        has_children = bool(graph.leaving(index)) or index in first
        if has_children and index in expanded:
            notes.append("see above")
        elif has_children and (depth >= _DEEPEST or index in continued):
            notes.append("see below")
            continued[index] = None
        elif has_children:
            expanded.add(index)
            kinds: dict[int, list[str]] = {}
            for edge in graph.leaving(index):
                edge_kinds = kinds.setdefault(edge.then, [])
                if edge.kind not in edge_kinds:
                    edge_kinds.append(edge.kind)
            children = sorted(kinds.items(), reverse=True)
            waiting += [(then, depth + 1, ", ".join(edge_kinds)) for then, edge_kinds in children]
            waiting += [(child, depth + 1, "applied") for child in reversed(first.get(index, ()))]
        yield "  " * depth + names[index] + (f" ({', '.join(notes)})" if notes else "")


def dot_lines(graph: Graph, names: Sequence[str], parents: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a digraph in the language of Graphviz; `parents` as in `tree_lines`."""
    nodes = [f"n{index} [label={_quoted(name)}];" for index, name in enumerate(names)]
    yield "digraph manifest {"
    yield from _nested(parents, nodes, [f"subgraph cluster_{index} {{" for index in range(len(names))], "}")
    for edge in graph.edges:
        label, hint = _quoted(edge.kind), _quoted(" ".join([edge.reason, *edge.positions]))
        yield f"  n{edge.first} -> n{edge.then} [label={label}, tooltip={hint}];"
    yield "}"


def mermaid_lines(graph: Graph, names: Sequence[str], parents: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a flowchart in the language of Mermaid; `parents` as in `tree_lines`."""
    nodes = [f'n{index}["{_entities(name)}"]' for index, name in enumerate(names)]
    yield "flowchart TD"
    yield from _nested(parents, nodes, [f"subgraph s{node[1:]}" for node in nodes], "end")
    for edge in graph.edges:
        yield f"  n{edge.first} -->|{edge.kind}| n{edge.then}"


def _nested(parents: Sequence[int], nodes: Sequence[str], begins: Sequence[str], end: str) -> Iterator[str]:
    """Yield the lines of all resources; a resource that applies a manifest is in a box with its child resources."""
    children = _below(range(len(nodes)), parents)

    def lines(index: int, indent: str) -> Iterator[str]:
        if index not in children:
            yield indent + nodes[index]
            return
        yield indent + begins[index]
        yield f"{indent}  {nodes[index]}"
        for child in children[index]:
            yield from lines(child, f"{indent}  ")
        yield indent + end

    for index in children.get(NONE, ()):
        yield from lines(index, "  ")


def _below(indexes: Iterable[int], parents: Sequence[int]) -> dict[int, list[int]]:
    """Return resources by their parents."""
    found: dict[int, list[int]] = {}
    for index in indexes:
        found.setdefault(parents[index] if parents else NONE, []).append(index)
    return found


def as_data(
    graph: Graph,
    names: Sequence[str],
    positions: Sequence[str],
    dropped: Sequence[Edge] = (),
    parents: Sequence[int] = (),
) -> Data:
    """Return nodes, edges and dropped edges for JSON; `positions` are in manifests, `parents` as in `tree_lines`."""
    nodes: list[dict[str, str]] = [{"id": name, "place": position} for name, position in zip(names, positions)]
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
        "places": list(edge.positions),
    }


def lost_orders(graph: Graph) -> Iterator[tuple[int, list[int]]]:
    """Yield the resources that have later resources in the list without a path to them, each with these."""
    reached = [0] * len(graph)
    for index in reversed(graph.order()):
        for edge in graph.leaving(index):
            reached[index] |= reached[edge.then] | 1 << edge.then
    for index, found in enumerate(reached):
        lost = [later for later in range(index + 1, len(graph)) if not found >> later & 1]
        if lost:
            yield index, lost


def critical_path(graph: Graph, durations: Sequence[int]) -> list[int]:
    """Return the path whose resources take longest in total; `durations` has one for each resource, in any unit."""
    if not len(graph):
        return []
    total = list(durations)
    before = [-1] * len(graph)
    for index in graph.order():
        for edge in graph.leaving(index):
            if total[index] + durations[edge.then] > total[edge.then]:
                total[edge.then] = total[index] + durations[edge.then]
                before[edge.then] = index
    index = max(range(len(graph)), key=lambda at: (total[at], -at))
    path = [index]
    while before[path[-1]] >= 0:
        path.append(before[path[-1]])
    return path[::-1]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _entities(text: str) -> str:
    """Return the text with the characters of Mermaid's syntax as entities."""
    return "".join(each if each.isalnum() or each in " /._-=,:@%+" else f"#{ord(each)};" for each in text)
