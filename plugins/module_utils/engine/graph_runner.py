# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources run in the order of a graph, several at once: each starts when all that it depends on is done."""

from __future__ import annotations

import time
from functools import partial
from queue import Empty, SimpleQueue
from signal import SIGKILL

from ..host.errors import HostError
from ..host.threads import Threads, start_thread
from ..model.event import Event
from .graph.progress import Progress
from .grouping import may_join, run_group
from .interruptions import Interruptions
from .recording import Recording
from .runner import hand_over
from .transaction import run_transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Mapping, Sequence

    from ..model.log import Log
    from ..model.resource import Resource
    from .context import Context
    from .graph.graph import Graph
    from .passed_on import Notifying

    #: Returns the context of resources that are managed together; their logs and sinks are kept in a recording.
    ContextOf = Callable[[Sequence[Resource], Recording], Context]

# How long to wait, in seconds, for threads whose commands were killed.
_FAREWELL = 2.0
_LONGEST_WAIT = 0.1


class _Result:
    """What a thread leaves at its end: the events of its resources, or an unexpected error."""

    def __init__(self, places: list[int], recording: Recording, outcome: list[Event] | BaseException) -> None:
        self.places = places
        self.recording = recording
        self.outcome = outcome


def group_of(place: int, resources: Sequence[Resource], progress: Progress, notifying: Notifying | None) -> list[int]:
    """Return the place of a started resource, and of others that are started now to be managed with it.

    `notifying` says which resources others notify.
    """
    first = resources[place]
    if not first.type.is_groupable(first.properties):
        return [place]
    group = [first]

    def joins(other: int) -> bool:
        if not may_join(group, resources[other], notifying):
            return False
        group.append(resources[other])
        return True

    return [place, *progress.join(place, joins)]


class GraphRun:
    """The run of `resources` in the order of their `graph`, at most `parallel` at once, `semaphores` as in Progress.

    With `grouped`, resources that may start at the same time are managed together where they can share a group.
    `context` is that of the run, and `context_of` makes those of resources, which run in threads of their own. What
    happens to the run itself is written to `report`. After the first `interrupt` nothing starts, after the second one
    commands are ended, after the third one they are killed, and the fourth one ends the run. Commands that must not be
    ended, like those of package managers, are waited for.
    """

    def __init__(
        self,
        resources: Sequence[Resource],
        graph: Graph,
        context: Context,
        *,
        parallel: int,
        grouped: bool,
        semaphores: Sequence[Sequence[str]],
        limits: Mapping[str, int],
        context_of: ContextOf,
        report: Log,
    ) -> None:
        self._resources = resources
        self._context = context
        self._context_of = context_of
        self._parallel = parallel
        self._grouped = grouped
        self._progress = Progress(graph, semaphores, limits)
        self._deadline = context.machine.deadline
        self._threads = context.machine.threads = context.machine.threads or Threads()
        self._left = set(range(len(resources)))
        self._running = 0
        self._workers = 0
        # Places of resources for the workers, which are threads; None ends one of them.
        self._given: SimpleQueue[list[int] | None] = SimpleQueue()
        self._is_stopped = False
        self._interruptions = Interruptions(self._threads, report)
        # None wakes the run up after an interruption.
        self._results: SimpleQueue[_Result | None] = SimpleQueue()

    def events(self) -> Iterator[Event]:
        """Yield the events of the resources in the order in which they ended, each passed to the sinks before.

        Raises what a sink raises, and KeyboardInterrupt after the fourth interruption; commands that run then are
        killed.
        """
        try:
            while True:
                self._start()
                if not self._running:
                    return
                result = self._next_result()
                if result is None:
                    self._interruptions.act()
                    continue
                self._running -= 1
                result.recording.replay()
                if isinstance(result.outcome, BaseException):
                    raise result.outcome
                for place in result.places:
                    self._progress.finish(place)
                yield from result.outcome
        except BaseException:
            self._end_threads()
            raise
        finally:
            for _worker in range(self._workers):
                self._given.put(None)
            self._context.machine.run_postponed()

    def _next_result(self) -> _Result | None:
        """Return what a thread left, or None after an interruption.

        A signal that comes just before the wait does not end it: its handler runs only after the timeout.
        """
        self._context.machine.before_waiting()
        while True:
            try:
                return self._results.get(timeout=_LONGEST_WAIT)
            except Empty:
                continue

    def _end_threads(self) -> None:
        """Kill commands, and wait for those that must not be killed; what else threads do may go on for a moment."""
        self._threads.is_interrupted = True
        self._context.machine.before_waiting()
        end = time.monotonic() + _FAREWELL
        while self._running and (self._threads.must_be_waited_for or time.monotonic() < end):
            self._threads.signal_commands(SIGKILL)
            try:
                self._running -= self._results.get(timeout=_LONGEST_WAIT) is not None
            except Empty:
                continue

    def stop(self) -> None:
        """Start no further resource; those that run are finished."""
        self._is_stopped = True

    def interrupt(self) -> None:
        """Note an interruption. A handler of signals may call it."""
        self._threads.is_interrupted = True
        self._results.put(None)

    @property
    def is_interrupted(self) -> bool:
        """Whether this run was interrupted, or the one that it is a part of."""
        return self._threads.is_interrupted

    @property
    def is_ending(self) -> bool:
        """Whether no further resource starts."""
        return self._is_stopped or self.is_interrupted

    def skip_rest(self) -> list[Event]:
        """Return the events of the resources that did not start, which are skipped, each passed to the sinks before."""
        events = []
        for place in sorted(self._left):
            resource = self._resources[place]
            properties = resource.properties
            event = Event(resource.type.name, properties.name, properties.alias, properties.ensure)
            event.resource, event.parent = resource, self._context.applied_by
            event.skipped = True
            event.finish(0)
            hand_over(event, self._context)
            events.append(event)
        return events

    def _start(self) -> None:
        """Give what may run to workers, which are started when there are too few."""
        while self._running < self._parallel and not self.is_ending:
            place = self._progress.start_next()
            if place is None:
                return
            places = [place]
            if self._grouped:
                places = group_of(place, self._resources, self._progress, self._context.notifying)
            self._left.difference_update(places)
            if self._workers <= self._running:
                self._add_worker()
            self._running += 1
            self._given.put(places)

    def _add_worker(self) -> None:
        """Start a worker. Where no more can be made, those that there are do the work; without any, raise HostError."""
        try:
            start_thread(self._work)
        except HostError:
            if not self._workers:
                raise
            return
        self._workers += 1

    def _work(self) -> None:
        self._context.machine.deadline = self._deadline
        while True:
            places = self._given.get()
            if places is None:
                return
            self._run(places)

    def _run(self, places: list[int]) -> None:
        resources, recording = [self._resources[place] for place in places], Recording()
        outcome: list[Event] | BaseException
        try:
            outcome = []
            for event in self._managed(resources, self._context_of(resources, recording)):
                recording.add(partial(hand_over, event, self._context))
                outcome.append(event)
        except BaseException as error:
            outcome = error
        self._results.put(_Result(places, recording, outcome))

    def _managed(self, resources: list[Resource], context: Context) -> Iterator[Event]:
        if len(resources) == 1:
            yield run_transaction(resources[0], context)
            return
        with self._threads.exclusive(resources[0].type.semaphores):
            yield from run_group(resources, context)
