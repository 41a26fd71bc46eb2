# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Records what a thread logs until its resource is done, so that lines of two resources are never mixed."""

from __future__ import annotations

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

    def sinks(self, sinks: Sequence[Sink]) -> Sequence[Sink]:
        """Return sinks that record their events for `sinks`."""
        return [_RecordedSink(self, sink) for sink in sinks]

    def replay(self) -> None:
        """Make all calls. Raises their errors."""
        calls, self._calls = self._calls, []
        for call in calls:
            call()


class _RecordedLog(Log):
    def __init__(self, recording: Recording, log: Log) -> None:
        self.levels = log.levels
        self._recording = recording
        self._log = log

    def write(self, level: str, message: str, fields: Fields) -> None:
        self._recording.add(lambda: self._log.write(level, message, fields))

    def before_waiting(self) -> None:
        self._log.before_waiting()


class _RecordedSink(Sink):
    def __init__(self, recording: Recording, sink: Sink) -> None:
        self._recording = recording
        self._sink = sink
        self.shows_differences = sink.shows_differences

    def begun(self, resource: Resource) -> None:
        self._recording.add(lambda: self._sink.begun(resource))

    def decided(self, attempt: Attempt) -> None:
        # A further try changes the attempt before the call is made.
        decided = object.__new__(type(attempt))
        vars(decided).update(vars(attempt))
        self._recording.add(lambda: self._sink.decided(decided))

    def finished(self, event: Event) -> None:
        self._recording.add(lambda: self._sink.finished(event))
