# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The session in memory: the events so far, used by require and subscribe."""

from __future__ import annotations

import _thread
import time

from ..model.errors import ResourceFailed
from ..redaction.texts import without_text_secrets
from .sink import Sink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ..model.event import Event


class Session(Sink):
    """Events in the order in which they were recorded.

    The last event of a resource counts, found by its type and by its name or alias (decisions.md Q48).
    """

    def __init__(self) -> None:
        self.started: int | None = None
        self._newest: Event | None = None
        self._events: list[Event] = []
        self._last: dict[tuple[str, str], Event] = {}
        self._known = 0
        # Manifests that run at once record in their threads.
        self._lock = _thread.RLock()

    def start(self) -> None:
        """Begin the session of a manifest's run."""
        self.started = time.time_ns()

    def finished(self, event: Event) -> None:
        """Record the event of a resource. Raises SessionError when a store cannot take it."""
        with self._lock:
            self.record(event)

    def record(self, event: Event) -> None:
        """Keep a finished event, with a later id if the clock was set back. Raises SessionError if a store fails."""
        if self._newest is not None:
            event.sort_after(self._newest)
        self._newest = event
        self.remember(event)

    def remember(self, event: Event) -> None:
        """Make an event the last one of its resource."""
        self._events.append(event)

    def last_event(self, type_name: str, name: str) -> Event:
        """Return the last event of a resource. Raises ResourceFailed when it has none."""
        with self._lock:
            found = self.last_events().get(self.key(type_name, name))
        if found is None:
            raise ResourceFailed(
                f"no events found for {type_name}#{without_text_secrets(name)}",
                advice="name a resource that is managed earlier, or write order: graph: requirements set it then",
            )
        return found

    def last_events(self) -> dict[tuple[str, str], Event]:
        """Return the last event of each resource by its keys."""
        for event in self._events[self._known :]:
            self._last.update(dict.fromkeys(self._keys_of(event), event))
        self._known = len(self._events)
        return self._last

    def _keys_of(self, event: Event) -> list[tuple[str, str]]:
        return [self.key(event.type, name) for name in (event.name, event.alias) if name]

    def key(self, type_name: str, name: str) -> tuple[str, str]:
        """Return the key that all events of one resource share."""
        return type_name, name

    def events(self) -> Iterable[Event]:
        """Return all events, the oldest first."""
        return self._events
