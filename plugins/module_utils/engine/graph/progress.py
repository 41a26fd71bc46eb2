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
    """The run of a `graph`. `semaphores` are the names that each resource needs, `limits` the counts of semaphores.

    A resource that waits for a semaphore does not count as running. The count of a name without a limit is 1. `kept`
    returns how many of a semaphore others have; one that no resource of this run has is not waited for.
    """

    def __init__(
        self,
        graph: Graph,
        semaphores: Sequence[Sequence[str]],
        limits: Mapping[str, int],
        kept: Callable[[str], int] = lambda _name: 0,
    ) -> None:
        self._graph = graph
        self._semaphores = semaphores
        self._limits = limits
        self._kept = kept
        self._missing = graph.counts.copy()
        self._ready = [index for index, count in enumerate(self._missing) if not count]
        heapify(self._ready)
        self._taken: dict[str, int] = {}
        # The resources that wait for a semaphore, by its name, as heaps.
        self._waiting: dict[str, list[int]] = {}
        self._joined: set[int] = set()

    def start_next(self) -> int | None:
        """Start the first resource in the list that may start, and return its index; None if no resource may start."""
        while self._ready:
            index = heappop(self._ready)
            names = self._semaphores[index]
            lacking = next((name for name in names if not self._is_free(name)), None) if names else None
            if lacking is None:
                for name in names:
                    self._taken[name] = self._taken.get(name, 0) + 1
                return index
            heappush(self._waiting.setdefault(lacking, []), index)
            # A semaphore that this resource cannot use yet may be the only semaphore of another resource.
            for name in names:
                self._wake(name)
        return None

    def join(self, index: int, may_join: Callable[[int], bool]) -> list[int]:
        """Start the ready resources that may join the started resource `index`, and return their indexes in order.

        They need the same semaphores as that resource, and share them with it.
        """
        ready = sorted({*self._ready, *(other for indexes in self._waiting.values() for other in indexes)})
        joined = [other for other in ready if self._semaphores[other] == self._semaphores[index] and may_join(other)]
        if joined:
            self._joined.update(joined)
            for indexes in (self._ready, *self._waiting.values()):
                indexes[:] = [other for other in indexes if other not in self._joined]
                heapify(indexes)
        return joined

    def finish(self, index: int) -> None:
        """Note that a resource is done."""
        for name in () if index in self._joined else self._semaphores[index]:
            self._taken[name] -= 1
            self._wake(name)
        for edge in self._graph.leaving(index):
            self._missing[edge.then] -= 1
            if not self._missing[edge.then]:
                heappush(self._ready, edge.then)

    def _is_free(self, name: str) -> bool:
        taken = self._taken.get(name, 0)
        return not taken or taken + self._kept(name) < self._limits.get(name, 1)

    def _wake(self, name: str) -> None:
        """Make the first resource that waits for a semaphore ready if the semaphore is free."""
        if self._waiting.get(name) and self._is_free(name):
            heappush(self._ready, heappop(self._waiting[name]))
