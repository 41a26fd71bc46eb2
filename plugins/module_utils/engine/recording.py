# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Records what a thread logs until its resource is done, so that lines of two resources are never mixed."""

from __future__ import annotations

from copy import copy

from ..model.log import Log
from .sink import Sink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..model.event import Event
    from ..model.log import Fields
    from ..model.resource import Resource
    from .attempt import Attempt


class Recording:
    """Calls of logs and sinks, in their order, which `replay` makes."""

    def __init__(self) -> None:
        self._calls: list[Callable[[], None]] = []

    def add(self, call: Callable[[], None]) -> None:
        """Keep a call."""
        self._calls.append(call)

    def log(self, log: Log) -> Log:
        """Return a log that records its lines for `log`."""
        return _RecordedLog(self, log)

    def sink(self, sinks: Sequence[Sink]) -> Sink:
        """Return a sink that records its events for `sinks`."""
        return _RecordedSink(self, sinks)

    def replay(self) -> None:
        """Make all calls. Raises their errors."""
        calls, self._calls = self._calls, []
        for call in calls:
            call()


class _RecordedLog(Log):
    def __init__(self, recording: Recording, log: Log) -> None:
        self._recording = recording
        self._log = log

    def write(self, level: str, message: str, fields: Fields) -> None:
        self._recording.add(lambda: self._log.write(level, message, fields))

    def before_waiting(self) -> None:
        self._log.before_waiting()


class _RecordedSink(Sink):
    def __init__(self, recording: Recording, sinks: Sequence[Sink]) -> None:
        self._recording = recording
        self._sinks = sinks
        self.shows_differences = any(sink.shows_differences for sink in sinks)

    def begun(self, resource: Resource) -> None:
        def call() -> None:
            for sink in self._sinks:
                sink.begun(resource)

        self._recording.add(call)

    def decided(self, found: Attempt) -> None:
        # A further try changes the attempt before the call is made.
        first = copy(found)

        def call() -> None:
            for sink in self._sinks:
                sink.decided(first)

        self._recording.add(call)

    def finished(self, event: Event) -> None:
        def call() -> None:
            for sink in self._sinks:
                sink.finished(event)

        self._recording.add(call)
