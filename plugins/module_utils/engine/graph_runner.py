# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources run in the order of a graph, several at once: each starts when all that it depends on is done."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from signal import SIGKILL, SIGTERM

from ..host.children import signal_commands
from ..model.event import Event
from .graph.progress import Progress
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

    #: Returns the context of one resource, whose logs and sinks are kept in a recording.
    ContextOf = Callable[[Recording], Context]

_INTERRUPTED = (
    "Interrupted: waiting for what runs; Ctrl-C again ends its commands",
    "Interrupted again: ending commands; Ctrl-C again kills them",
    "Interrupted again: killing commands",
)


class _Ended:
    """What a thread leaves at its end: the event of its resource, or an unexpected error."""

    def __init__(self, place: int, recording: Recording) -> None:
        self.place = place
        self.recording = recording
        self.event: Event | None = None
        self.error: BaseException | None = None


class GraphRun:
    """The run of `resources` in the order of their `graph`, at most `parallel` at once, `semaphores` as in Progress.

    `context` is that of the run, and `context_of` makes those of resources, which run in threads of their own. What
    happens to the run itself is written to `report`. After the first `interrupt` nothing starts, after the second one
    commands are ended, after the third one they are killed.
    """

    def __init__(
        self,
        resources: Sequence[Resource],
        graph: Graph,
        context: Context,
        *,
        parallel: int,
        semaphores: Sequence[Sequence[str]],
        limits: Mapping[str, int],
        context_of: ContextOf,
        report: Log,
    ) -> None:
        self._interruptions = 0
        self._resources = resources
        self._context = context
        self._context_of = context_of
        self._parallel = parallel
        self._progress = Progress(graph, semaphores, limits)
        self._report = report
        self._left = set(range(len(resources)))
        self._is_stopped = False
        self._seen_interruptions = 0
        # None wakes the run up after an interruption.
        self._ended: SimpleQueue[_Ended | None] = SimpleQueue()

    def events(self) -> Iterator[Event]:
        """Yield the events of the resources in the order in which they ended, each passed to the sinks before.

        Raises what a sink raises; commands that run then are killed.
        """
        running = 0
        try:
            while True:
                running += self._start(self._parallel - running)
                if not running:
                    return
                ended = self._ended.get()
                if ended is None:
                    self._act_on_interruption()
                    continue
                running -= 1
                ended.recording.replay()
                if ended.error:
                    raise ended.error
                if ended.event:
                    hand_over(ended.event, self._context)
                    self._progress.finish(ended.place)
                    yield ended.event
        except BaseException:
            signal_commands(SIGKILL)
            raise
        finally:
            self._context.machine.run_postponed()

    def stop(self) -> None:
        """Start no further resource; those that run are finished."""
        self._is_stopped = True

    def interrupt(self) -> None:
        """Note an interruption. A handler of signals may call it."""
        self._interruptions += 1
        self._ended.put(None)

    @property
    def is_interrupted(self) -> bool:
        """Whether this run was interrupted, or the one that it is a part of."""
        return self._interruptions > 0 or self._context.is_ending()

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

    def _act_on_interruption(self) -> None:
        self._seen_interruptions += 1
        count = min(self._seen_interruptions, len(_INTERRUPTED))
        self._report.warn(_INTERRUPTED[count - 1])
        if count > 1:
            signal_commands(SIGTERM if count == 2 else SIGKILL)

    def _start(self, most: int) -> int:
        """Start at most so many resources, each in its thread; return how many."""
        for count in range(most):
            place = None if self.is_ending else self._progress.start_next()
            if place is None:
                return count
            self._left.discard(place)
            threading.Thread(target=self._run, args=(place,), daemon=True).start()
        return most

    def _run(self, place: int) -> None:
        ended = _Ended(place, Recording())
        try:
            ended.event = run_transaction(self._resources[place], self._context_of(ended.recording))
        except BaseException as error:
            ended.error = error
        self._ended.put(ended)
