# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A run that manages resources in threads, several at once."""

from __future__ import annotations

import time
from functools import partial
from queue import Empty, SimpleQueue
from signal import SIGKILL

from ..host.errors import HostError
from ..host.threads import Threads, start_thread
from .interruptions import InterruptibleRun
from .recording import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, List, Sequence, Tuple, Union

    from ..model.event import Event
    from ..model.log import Log
    from ..model.resource import Resource
    from .context import Context
    from .run import Order

    #: What a thread leaves: the indexes of its resources, and their events or an unexpected error.
    Result = Tuple[Sequence[int], Recording, Union[List[Event], BaseException]]

# How long to wait, in seconds, for threads whose commands were killed.
_FAREWELL = 2.0
_LONGEST_WAIT = 0.1


class ThreadedRun(InterruptibleRun):
    """Manages resources in threads, at most `parallel` at once."""

    def __init__(
        self, resources: Sequence[Resource], context: Context, order: Order, *, parallel: int, report: Log
    ) -> None:
        super().__init__(resources, context, order, report)
        self._parallel = parallel
        self._deadline = context.machine.deadline
        self._threads = context.machine.threads = context.machine.threads or Threads()
        # Most sinks receive only events.
        self._watching = [sink for sink in context.sinks if sink.watches_attempts]
        self._workers = 0
        # Indexes of resources for the threads; None ends one of them.
        self._given: SimpleQueue[Sequence[int] | None] = SimpleQueue()
        self._results: SimpleQueue[Result] = SimpleQueue()

    def _begin(self) -> None:
        self._threads.begin()
        super()._begin()

    def _give(self, indexes: Sequence[int]) -> None:
        """Have resources managed together. Where no more threads can be made, the present threads do the work.

        Raises HostError when there is none.
        """
        if self._workers <= self._running:
            try:
                start_thread(self._work)
                self._workers += 1
            except HostError:
                if not self._workers:
                    raise
        self._running += 1
        self._given.put(indexes)

    def _take(self) -> tuple[Sequence[int], Iterator[Event]]:
        """Wait for resources that are done, and return them and their events, which the sinks have received.

        Raises what a sink raises, and KeyboardInterrupt after the fourth interruption.
        """
        if self._results.empty():
            self._context.machine.before_waiting()
        indexes, recording, outcome = self._results.get()
        self._running -= 1
        recording.replay()
        if isinstance(outcome, BaseException):
            raise outcome
        return indexes, iter(outcome)

    def _kill(self) -> None:
        """Kill commands, and wait for commands that must not be killed; other work may go on for a moment."""
        self._commands.is_interrupted = True
        self._context.machine.before_waiting()
        end = time.monotonic() + _FAREWELL
        while self._running and (self._commands.must_be_waited_for or time.monotonic() < end):
            self._commands.signal(SIGKILL)
            try:
                self._results.get(timeout=_LONGEST_WAIT)
            except Empty:
                continue
            self._running -= 1

    def _end(self) -> None:
        """End the threads when they have done what they do."""
        super()._end()
        self._threads.end()
        for _worker in range(self._workers):
            self._given.put(None)

    def _work(self) -> None:
        self._context.machine.deadline = self._deadline
        while True:
            indexes = self._given.get()
            if indexes is None:
                return
            resources, recording = [self._resources[index] for index in indexes], Recording()
            outcome: list[Event] | BaseException
            try:
                outcome = []
                for event in self._order.managed(resources, self._recorded(resources, recording)):
                    recording.add(partial(self._context.complete, event))
                    outcome.append(event)
            except BaseException as error:
                outcome = error
            self._results.put((indexes, recording, outcome))

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
