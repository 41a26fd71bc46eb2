# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A graph of dependencies: which resources come before which, and why (architecture.md, Graph order)."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

#: The kinds of edges. `require` and `subscribe` are properties, `before` and `notify` their inverses in `meta`, `sent`
#: edges lead to a resource whose expressions use what the other one sends, `auto` edges follow from what resources
#: provide and want.
REQUIRE, SUBSCRIBE, BEFORE, NOTIFY, SENT, AUTO = KINDS = ("require", "subscribe", "before", "notify", "sent", "auto")


class Edge:
    """`then` is managed after `first`, both places in the list of resources.

    `kind` is out of `KINDS`, `reason` says why in words, `places` are where the manifest says so.
    """

    __slots__ = ("first", "kind", "places", "reason", "then")

    def __init__(self, kind: str, first: int, then: int, reason: str, places: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.first = first
        self.then = then
        self.reason = reason
        self.places = places


class CycleFound(Exception):
    """Resources that depend on each other: `edges` lead from the first of them back to it."""

    def __init__(self, edges: list[Edge]) -> None:
        super().__init__("the resources depend on each other in a circle")
        self.edges = edges


class Graph:
    """The edges between `size` resources, which are known by their places in the list, from 0."""

    def __init__(self, size: int, edges: Iterable[Edge] = ()) -> None:
        self.edges: list[Edge] = []
        self._leaving: list[list[Edge]] = [[] for _place in range(size)]
        self._entering: list[list[Edge]] = [[] for _place in range(size)]
        for edge in edges:
            self.add(edge)

    def __len__(self) -> int:
        return len(self._leaving)

    def add(self, edge: Edge) -> None:
        """Add an edge; several between the same resources are kept, each with its reason."""
        self.edges.append(edge)
        self._leaving[edge.first].append(edge)
        self._entering[edge.then].append(edge)

    def leaving(self, place: int) -> Sequence[Edge]:
        """Return the edges from a resource to those that come after it."""
        return self._leaving[place]

    def entering(self, place: int) -> Sequence[Edge]:
        """Return the edges to a resource from those that come before it."""
        return self._entering[place]

    def order(self) -> list[int]:
        """Return all resources so that each comes after what it depends on, and else in the order of the list.

        Raises CycleFound.
        """
        missing = [len(edges) for edges in self._entering]
        ready = [place for place, count in enumerate(missing) if not count]
        heapify(ready)
        found: list[int] = []
        while ready:
            place = heappop(ready)
            found.append(place)
            for edge in self._leaving[place]:
                missing[edge.then] -= 1
                if not missing[edge.then]:
                    heappush(ready, edge.then)
        if len(found) < len(self):
            raise CycleFound(self._cycle(missing))
        return found

    def reaches(self, first: int, then: int) -> bool:
        """Return whether edges lead from one resource to another."""
        seen, waiting = {first}, [first]
        while waiting:
            for edge in self._leaving[waiting.pop()]:
                if edge.then == then:
                    return True
                if edge.then not in seen:
                    seen.add(edge.then)
                    waiting.append(edge.then)
        return False

    def _cycle(self, missing: list[int]) -> list[Edge]:
        """Return the edges of one circle; `missing` is above 0 for resources on circles, and for those after them.

        Going back from such a resource to one that is missing as well never ends, so it comes to a circle.
        """
        place = next(place for place, count in enumerate(missing) if count)
        path: list[Edge] = []
        at: dict[int, int] = {}
        while place not in at:
            at[place] = len(path)
            path.append(next(edge for edge in self._entering[place] if missing[edge.first]))
            place = path[-1].first
        circle = path[at[place] :][::-1]
        begin = min(range(len(circle)), key=lambda index: circle[index].first)
        return circle[begin:] + circle[:begin]
