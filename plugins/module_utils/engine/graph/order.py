# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of a graph: each resource starts when all that it depends on is done."""

from __future__ import annotations

from ..grouping import may_join, run_group
from ..run import Order
from .progress import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ...model.resource import Resource
    from ..notifying import Notifying
    from .graph import Graph


class GraphOrder(Order):
    """Starts `resources` in the order of their `graph`; see Progress for `semaphores` and their `limits`.

    With `grouped`, resources that may start at the same time are managed together where they can share a group.
    `notifying` says which resources others notify.
    """

    def __init__(
        self,
        resources: Sequence[Resource],
        graph: Graph,
        semaphores: Sequence[Sequence[str]],
        limits: Mapping[str, int],
        *,
        grouped: bool,
        notifying: Notifying | None,
    ) -> None:
        self.run_group = run_group
        self._resources = resources
        self._grouped = grouped
        self._notifying = notifying
        # The references of the resources that have started, and are not done.
        self._running: set[str] = set()
        if any(semaphores):
            from ..semaphores import taken_by_calls

            running = self._running
            self._progress = Progress(graph, semaphores, limits, lambda name: taken_by_calls(name, running))
        else:
            self._progress = Progress(graph, semaphores, limits)

    def start(self) -> Sequence[int]:
        """Return a resource that may start, and the resources that are managed with it; none when none may yet."""
        started = self._started()
        self._running.update(self._resources[index].written for index in started)
        return started

    def _started(self) -> Sequence[int]:
        index = self._progress.start_next()
        if index is None:
            return ()
        first = self._resources[index]
        if not self._grouped or not first.type.is_groupable(first.properties):
            return (index,)
        group = [first]

        def joins(other: int) -> bool:
            if not may_join(group, self._resources[other], self._notifying):
                return False
            group.append(self._resources[other])
            return True

        return (index, *self._progress.join(index, joins))

    def finish(self, indexes: Sequence[int]) -> None:
        """Note that resources are done."""
        for index in indexes:
            self._running.discard(self._resources[index].written)
            self._progress.finish(index)
