# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The sources of events of providers, by the keys of resources (docs/writing-a-type.md, Watching)."""

from __future__ import annotations

from functools import partial

from ...model.facets import POLL_SECONDS
from .watched_events import WatchedEvents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ...host.event_loop import EventLoop
    from ...model.log import Log
    from .step import Events
    from .watches import Changed, Key


class EventSources:
    """Waits for events of sources, and calls `changed` with the keys of their resources.

    A source that ends, or cannot be opened, is opened by the next check of its resource: at once where events came from
    it, else when the resource has another reason, or some time later.
    """

    def __init__(self, loop: EventLoop, changed: Changed, report: Log) -> None:
        self._loop = loop
        self._changed = changed
        self._report = report
        # The names of the events by key; a name without a source is of a resource that has none.
        self._names: dict[Key, str] = {}
        self._sources: dict[Key, WatchedEvents] = {}
        # Why no events come, until some come; the keys whose resources are checked later because of that.
        self._reasons: dict[Key, str] = {}
        self._waiting: set[Key] = set()

    @property
    def degraded(self) -> set[str]:
        """The resources whose sources are not open now, with the reasons."""
        silent = self._reasons.keys() - self._sources.keys()
        return {f"{_shown(key)}: {self._reasons[key]}" for key in silent}

    def has(self, key: Key, events: Events | None) -> bool:
        """Return whether these events are waited for, if there are any, or cannot come. Any thread may call it."""
        return events is None or self._names.get(key) == events.name

    def is_open(self, key: Key) -> bool:
        """Return whether events are waited for."""
        return key in self._sources

    def add(self, key: Key, events: Events) -> None:
        """Wait for events of a source that was opened."""
        self.end([key])
        if events.refused:
            self._ended(key, events.refused, has_read=False)
            return
        self._names[key] = events.name
        if events.source:
            source = WatchedEvents(events.source, self._loop, partial(self._came, key), partial(self._ended, key))
            self._sources[key] = source
            source.begin()

    def end(self, keys: Iterable[Key]) -> None:
        """Close the sources of these keys."""
        for key in keys:
            self._names.pop(key, None)
            source = self._sources.pop(key, None)
            if source:
                source.end()

    def forget(self, keys: Iterable[Key]) -> None:
        """Close the sources of resources that are not watched any more."""
        for key in keys:
            self.end([key])
            self._reasons.pop(key, None)
            self._waiting.discard(key)

    def _came(self, key: Key) -> None:
        if self._reasons.pop(key, ""):
            self._report.info("Events come again", resource=_shown(key))
        self._changed(key, 0, "", False)

    def _ended(self, key: Key, reason: str, *, has_read: bool) -> None:
        self.end([key])
        if reason != self._reasons.get(key):
            self._reasons[key] = reason
            self._report.warn(
                f"No events come, so the resource is checked within {POLL_SECONDS:g} s",
                resource=_shown(key),
                reason=reason,
            )
        if has_read:
            self._changed(key, 0, "", True)
        elif key not in self._waiting:
            self._waiting.add(key)
            self._loop.call_after(POLL_SECONDS, partial(self._check_later, key))

    def _check_later(self, key: Key) -> None:
        if key in self._waiting:
            self._waiting.discard(key)
            self._changed(key, 0, "", True)


def _shown(key: Key) -> str:
    return key[1] or (key[0].resource.reference if key[0] else "")
