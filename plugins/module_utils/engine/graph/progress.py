# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which resources of a graph may start, while others run."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Sequence

    from .graph import Graph


class Progress:
    """The run of a `graph`. `semaphores` are the names that each resource needs, `limits` how many may have one.

    Waiting for a semaphore holds no place of those that run. A name without a limit is for one resource at once.
    """

    def __init__(self, graph: Graph, semaphores: Sequence[Sequence[str]], limits: Mapping[str, int]) -> None:
        self._graph = graph
        self._semaphores = semaphores
        self._limits = limits
        self._missing = [len(graph.entering(place)) for place in range(len(graph))]
        self._ready = [place for place, count in enumerate(self._missing) if not count]
        heapify(self._ready)
        self._taken: dict[str, int] = {}
        # Those that wait for a semaphore, in the order of the list, by its name.
        self._waiting: dict[str, list[int]] = {}
        self._joined: set[int] = set()

    def start_next(self) -> int | None:
        """Return the resource that starts now, the first in the list of those that may; None when none may yet."""
        while self._ready:
            place = heappop(self._ready)
            lacking = self._lacking(place)
            if lacking is None:
                for name in self._semaphores[place]:
                    self._taken[name] = self._taken.get(name, 0) + 1
                return place
            heappush(self._waiting.setdefault(lacking, []), place)
            # What it cannot use yet may be enough for another one.
            for name in self._semaphores[place]:
                self._wake(name)
        return None

    def join(self, place: int, may_join: Callable[[int], bool]) -> list[int]:
        """Start what is ready and may join the resource at `place`, which has started, and return it in order.

        What joins has the semaphores of the other one, and must need the same ones.
        """
        ready = sorted({*self._ready, *(other for places in self._waiting.values() for other in places)})
        joined = [other for other in ready if self._semaphores[other] == self._semaphores[place] and may_join(other)]
        if joined:
            self._joined.update(joined)
            for places in (self._ready, *self._waiting.values()):
                places[:] = [other for other in places if other not in self._joined]
                heapify(places)
        return joined

    def finish(self, place: int) -> None:
        """Note that a resource is done."""
        for name in () if place in self._joined else self._semaphores[place]:
            self._taken[name] -= 1
            self._wake(name)
        for edge in self._graph.leaving(place):
            self._missing[edge.then] -= 1
            if not self._missing[edge.then]:
                heappush(self._ready, edge.then)

    def _lacking(self, place: int) -> str | None:
        """Return the first semaphore that a resource cannot have now."""
        return next((name for name in self._semaphores[place] if not self._is_free(name)), None)

    def _is_free(self, name: str) -> bool:
        return self._taken.get(name, 0) < self._limits.get(name, 1)

    def _wake(self, name: str) -> None:
        """Make the first one that waits for a semaphore ready when the semaphore is free."""
        if self._waiting.get(name) and self._is_free(name):
            heappush(self._ready, heappop(self._waiting[name]))
