# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The run of resources: an order says which may start, and learns which are done."""

from __future__ import annotations

from ..host.machine import end_run
from ..model.event import Event
from .transaction import run_transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence

    from ..model.log import Log
    from ..model.resource import Resource
    from .context import Context

    RunGroup = Callable[[Sequence[Resource], Context], Iterator[Event]]


class Order:
    """The order of resources, which are known by their indexes in the list of the run."""

    #: Manages the resources of a group; set by an order that starts several together.
    run_group: RunGroup | None = None

    def start(self) -> Sequence[int]:
        """Return the resources that are managed together now; none when none may start yet."""
        raise NotImplementedError

    def managed(self, resources: Sequence[Resource], context: Context) -> Iterator[Event]:
        """Yield the events of resources that were started together."""
        if self.run_group and len(resources) > 1:
            yield from self.run_group(resources, context)
        else:
            yield run_transaction(resources[0], context)

    def finish(self, indexes: Sequence[int]) -> None:
        """Note that resources are done that were started together."""


class ListOrder(Order):
    """Starts so many resources one after the other."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._next = 0

    def start(self) -> Sequence[int]:
        """Return the next resource, none at the end of the list."""
        self._next += 1
        return (self._next - 1,) if self._next <= self._count else ()


class Run:
    """Manages `resources` in an `order`, by default in the order of the list, each alone.

    Each starts only when its event is asked for, in the thread of the run; engine/workers.py has a run with threads.
    """

    def __init__(self, resources: Sequence[Resource], context: Context, order: Order | None = None) -> None:
        self._resources = resources
        self._context = context
        self._order = order or ListOrder(len(resources))
        self._parallel = 1
        # How many resources or groups were given and not taken yet.
        self._running = 0
        self._current: Sequence[int] = ()
        self._unstarted = set(range(len(resources)))
        self._is_stopped = False

    def events(self) -> Iterator[Event]:
        """Yield the events of the resources in the order in which they ended, each passed to the sinks before.

        Raises what a sink raises, and KeyboardInterrupt when the run is interrupted for good.
        """
        self._begin()
        try:
            while True:
                while self._takes_more() and not self.is_ending:
                    indexes = self._order.start()
                    if not indexes:
                        break
                    self._unstarted.difference_update(indexes)
                    self._give(indexes)
                if not self._running:
                    return
                done, events = self._take()
                yield from events
                self._order.finish(done)
        except BaseException:
            self._kill()
            raise
        finally:
            self._end()
            end_run(self._context.machine)
            self._context.release()

    def run(self, report: Log, *, ends_at_failure: bool = False) -> list[Event]:
        """Manage the resources and return their events; with `ends_at_failure` none starts after a failed one.

        `report` gets what happens to the run. Raises as `events`.
        """
        events = []
        for event in self.events():
            events.append(event)
            if event.failed and ends_at_failure and not self.is_ending:
                report.warn("Terminating manifest execution due to failed resource")
                self._is_stopped = True
        return events

    @property
    def is_ending(self) -> bool:
        """Whether no further resource starts."""
        return self._is_stopped or self._context.is_interrupted

    def skip_rest(self) -> list[Event]:
        """Return the events of the resources that did not start, which are skipped, each passed to the sinks before."""
        events = []
        for resource in (self._resources[index] for index in sorted(self._unstarted)):
            properties = resource.properties
            event = Event(resource.type.name, properties.name, properties.alias, properties.ensure)
            event.resource, event.parent = resource, self._context.applied_by
            event.skipped = True
            event.finish(0)
            self._context.complete(event)
            events.append(event)
        return events

    def _begin(self) -> None:
        """Prepare for resources; here nothing is prepared, killed or ended."""

    def _takes_more(self) -> bool:
        """Return whether more resources may be given."""
        return self._running < self._parallel

    def _kill(self) -> None:
        """End what still runs after an error."""

    def _end(self) -> None:
        """Undo `_begin`."""

    def _give(self, indexes: Sequence[int]) -> None:
        """Have resources managed together."""
        self._current = indexes
        self._running = 1

    def _take(self) -> tuple[Sequence[int], Iterator[Event]]:
        """Return resources that are done, and their events, which the sinks have received."""
        self._running = 0
        return self._current, self._managed(self._current)

    def _managed(self, indexes: Sequence[int]) -> Iterator[Event]:
        for event in self._order.managed([self._resources[index] for index in indexes], self._context):
            self._context.complete(event)
            yield event


def run_one(resource: Resource, context: Context) -> Event:
    """Bring one resource to its wanted state and return its event. Raises what a sink raises."""
    try:
        [event] = Run([resource], context).events()
    finally:
        context.close()
    return event
