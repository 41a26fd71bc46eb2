# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A graph of dependencies: which resources come before which, and why (architecture.md, Graph order)."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

#: The kinds of edges. `require` and `subscribe` are properties, `before` and `notify` their inverses in `meta`, `sent`
#: edges lead to a resource whose expressions use values that the other one sends, `auto` edges follow from the
#: identities that resources provide and want.
REQUIRE, SUBSCRIBE, BEFORE, NOTIFY, SENT, AUTO = KINDS = ("require", "subscribe", "before", "notify", "sent", "auto")


class Edge:
    """`then` is managed after `first`, both indexes in the list of resources.

    `kind` is out of `KINDS`, `reason` says why in words, `positions` are the positions of the reason in manifests.
    """

    __slots__ = ("first", "kind", "positions", "reason", "then")

    def __init__(self, kind: str, first: int, then: int, reason: str, positions: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.first = first
        self.then = then
        self.reason = reason
        self.positions = positions


class CycleFound(Exception):
    """Resources that depend on each other: `edges` lead from the first of them back to it."""

    def __init__(self, edges: list[Edge]) -> None:
        super().__init__("the resources depend on each other in a circle")
        self.edges = edges


class Graph:
    """The edges between `size` resources, which are known by their indexes in the list, from 0."""

    def __init__(self, size: int, edges: Iterable[Edge] = ()) -> None:
        self.edges: list[Edge] = []
        # Most resources have no edges.
        self._leaving: dict[int, list[Edge]] = {}
        self._entering: dict[int, list[Edge]] = {}
        #: How many edges lead to each resource.
        self.counts = [0] * size
        for edge in edges:
            self.add(edge)

    def __len__(self) -> int:
        return len(self.counts)

    def add(self, edge: Edge) -> None:
        """Add an edge; there may be several between the same resources, each with its own reason."""
        self.edges.append(edge)
        self._leaving.setdefault(edge.first, []).append(edge)
        self._entering.setdefault(edge.then, []).append(edge)
        self.counts[edge.then] += 1

    def leaving(self, index: int) -> Sequence[Edge]:
        """Return the edges from a resource to the resources that come after it."""
        return self._leaving.get(index, ())

    def entering(self, index: int) -> Sequence[Edge]:
        """Return the edges to a resource from the resources that come before it."""
        return self._entering.get(index, ())

    def order(self) -> list[int]:
        """Return all resources, each after its dependencies, else in the order of the list. Raises CycleFound."""
        if not self.edges:
            return list(range(len(self)))
        missing = self.counts.copy()
        ready = [index for index, count in enumerate(missing) if not count]
        heapify(ready)
        found: list[int] = []
        while ready:
            index = heappop(ready)
            found.append(index)
            for edge in self.leaving(index):
                missing[edge.then] -= 1
                if not missing[edge.then]:
                    heappush(ready, edge.then)
        if len(found) < len(self):
            raise CycleFound(self._cycle(missing))
        return found

    def after(self, indexes: Iterable[int]) -> set[int]:
        """Return the resources that come after any of these."""
        seen: set[int] = set()
        waiting = list(indexes)
        while waiting:
            for edge in self.leaving(waiting.pop()):
                if edge.then not in seen:
                    seen.add(edge.then)
                    waiting.append(edge.then)
        return seen

    def _cycle(self, missing: list[int]) -> list[Edge]:
        """Return the edges of one circle; `missing` is above 0 for resources on circles, and for resources after them.

        Each such resource has a predecessor with `missing` above 0, so that going back ends on a circle.
        """
        index = next(index for index, count in enumerate(missing) if count)
        path: list[Edge] = []
        at: dict[int, int] = {}
        while index not in at:
            at[index] = len(path)
            path.append(next(edge for edge in self._entering[index] if missing[edge.first]))
            index = path[-1].first
        circle = path[at[index] :][::-1]
        begin = min(range(len(circle)), key=lambda step: circle[step].first)
        return circle[begin:] + circle[:begin]
