# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A run that manages resources in threads, several at once."""

from __future__ import annotations

import time

from ..host.thread_pool import Pool
from ..host.threads import Threads
from .interruptions import SIGKILL, InterruptibleRun
from .recording import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, List, Sequence, Tuple, Union

    from ..model.event import Event
    from ..model.log import Log
    from ..model.resource import Resource
    from .context import Context
    from .run import Order

    #: What a thread leaves: the indexes of its resources, and their events, an unexpected error, or None if the run was
    #: ending before they began.
    Result = Tuple[Sequence[int], Recording, Union[List[Event], BaseException, None]]

# How long to wait, in seconds, for threads whose commands were killed.
_FAREWELL = 2.0
_LONGEST_WAIT = 0.1


class ThreadedRun(InterruptibleRun):
    """Manages resources in threads, at most `parallel` at once; what waits for nothing in the thread of the run."""

    def __init__(
        self, resources: Sequence[Resource], context: Context, order: Order, *, parallel: int, report: Log
    ) -> None:
        super().__init__(resources, context, order, report)
        self._parallel = parallel
        self._deadline = context.machine.deadline
        self._threads = context.machine.threads = context.machine.threads or Threads()
        # Most sinks receive only events.
        self._watching = [sink for sink in context.sinks if sink.watches_attempts]
        self._pool: Pool[Sequence[int], Result] = Pool(self._work, parallel)
        self._ends_at_failure = self._has_failed = False

    def run(self, report: Log, *, ends_at_failure: bool = False) -> list[Event]:
        """Manage the resources as `Run.run`; resources given to threads do not begin after a failure either."""
        self._ends_at_failure = ends_at_failure
        return super().run(report, ends_at_failure=ends_at_failure)

    def _begin(self) -> None:
        self._threads.begin()
        super()._begin()

    def _takes_more(self) -> bool:
        return not self._current and self._running < self._parallel and not self._pool.done

    def _give(self, indexes: Sequence[int]) -> None:
        """Have resources managed together. Raises HostError when there is no thread, and none can be made."""
        self._running += 1
        first = self._resources[indexes[0]]
        if len(indexes) == 1 and first.type.waits_for_nothing(first.properties) and self._pool.leaves_short():
            self._current = indexes
        else:
            self._pool.give(indexes)

    def _take(self) -> tuple[Sequence[int], Iterator[Event]]:
        """Wait for resources that are done, and return them and their events, which the sinks have received.

        Raises what a sink raises, and KeyboardInterrupt after the fourth interruption.
        """
        if self._current:
            indexes, self._current = self._current, ()
            self._running -= 1
            return indexes, self._managed_here(indexes)
        if not self._pool.done:
            self._context.machine.before_waiting()
        indexes, recording, outcome = self._pool.take()
        self._running -= 1
        recording.replay()
        if outcome is None:
            self._unstarted.update(indexes)
        elif isinstance(outcome, BaseException):
            raise outcome
        return indexes, iter(outcome or ())

    def _managed_here(self, indexes: Sequence[int]) -> Iterator[Event]:
        for event in self._managed(indexes):
            self._pool.note_left(event.duration)
            yield event

    def _kill(self) -> None:
        """Kill commands, give up calls, and wait for what must not be killed; other work may go on for a moment."""
        self._commands.is_interrupted = True
        from ..host.given_up import cut_calls

        self._context.machine.before_waiting()
        cut_calls()
        end = time.monotonic() + _FAREWELL
        while self._commands.must_be_waited_for or time.monotonic() < end:
            self._commands.signal(SIGKILL)
            if self._pool.is_done_in(_LONGEST_WAIT):
                return

    def _end(self) -> None:
        super()._end()
        self._threads.end()
        self._pool.end()

    def _work(self) -> None:
        self._context.machine.deadline = self._deadline
        for indexes in self._pool.given():
            resources, recording = [self._resources[index] for index in indexes], Recording()
            outcome: list[Event] | BaseException | None = None
            try:
                if not (self.is_ending or self._has_failed):
                    outcome = []
                    context = self._recorded(resources, recording)
                    for event in self._order.managed(resources, context):
                        recording.add(self._completion(event))
                        outcome.append(event)
                        if self._ends_at_failure and event.failed:
                            self._has_failed = True
                    context.release()
            except BaseException as error:
                outcome = error
            self._pool.add((indexes, recording, outcome))

    def _completion(self, event: Event) -> Callable[[], None]:
        return lambda: self._context.complete(event)

    def _recorded(self, resources: Sequence[Resource], recording: Recording) -> Context:
        """Return the context of resources that are managed together in a thread.

        What they say is kept in `recording`; providers and values of expressions are their own.
        """
        context = self._context
        return context.changed(
            seen_together=resources,
            log=recording.log(context.log),
            user_log=recording.log(context.user_log),
            sinks=recording.sinks(self._watching),
            child_sinks=recording.sinks(context.child_sinks) if resources[0].type.applies_manifests else (),
            environment=context.environment.fresh() if context.environment else None,
        )
