# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The session of a manifest that is watched: many short runs, each with its own changes."""

from __future__ import annotations

from copy import copy
from functools import partial

from ...model.errors import SessionError
from ...model.resource import Resource
from ..session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from ...model.event import Event
    from ...model.log import Log


class WatchSession(Session):
    """Keeps the last event of each resource. A change counts for others only in the step in which it happened.

    The schedule knows the refreshes that resources are owed because of other changes. Each burst of checks is a
    separate session in the store that `store` returns, None when events are not stored.
    """

    def __init__(self, store: Callable[[], Session] | None, log: Log) -> None:
        super().__init__()
        self._log = log
        self._is_warned = False
        self._open_store = store
        self._store: Session | None = None
        self._now: set[int] = set()

    def start(self) -> None:
        """Begin a burst of checks; its events are stored if that is possible."""
        super().start()
        self._store = self._open_store() if self._open_store else None
        if self._store:
            self._storing(self._store.start)

    def begin_step(self) -> None:
        """Begin to manage other resources: earlier changes do not count any more."""
        self._now.clear()

    def record(self, event: Event) -> None:
        """Keep an event as the last one of its resource, and store it if that is possible."""
        super().record(event)
        self.last_events()
        self._events.clear()
        self._known = 0
        self._now.add(id(event))
        if self._store:
            self._storing(partial(self._store.record, event))

    def forget(self, gone: Iterable[tuple[tuple[str, str, str], str]]) -> None:
        """Forget the last events of resources: a reference to one of them fails, as in a new run.

        Each is given by the name of the apply resource above it, "" for none, its type and name, and its alias.
        """
        for (above, type_name, own_name), alias in gone:
            for key in (self.key(type_name, own_name), self.key(type_name, alias)):
                event = self._last.get(key)
                if event and above == (event.parent.name if event.parent else ""):
                    del self._last[key]

    def place(self, resources: Iterable[Resource]) -> None:
        """Note where the manifest that was read again declares resources: earlier ones need not be kept for events."""
        for resource in resources:
            for name in (resource.properties.name, resource.properties.alias):
                event = self._last.get(self.key(resource.type.name, name))
                if event and event.resource:
                    was = event.resource
                    event.resource = Resource(was.type, was.properties, was.declared, resource.origin)

    def _storing(self, call: Callable[[], None]) -> None:
        """Store something; a warning, once, says why that is not possible, and it is tried again in the next burst."""
        try:
            call()
        except SessionError as error:
            self._store = None
            if not self._is_warned:
                self._is_warned = True
                self._log.warn("Events cannot be stored in the session", reason=str(error))

    def last_event(self, type_name: str, name: str) -> Event:
        """Return the last event of a resource. Raises ResourceFailed when it has none."""
        event = super().last_event(type_name, name)
        if id(event) in self._now or not event.changed:
            return event
        settled = copy(event)
        settled.event_id = event.event_id
        settled.changed = False
        return settled
