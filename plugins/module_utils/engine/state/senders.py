# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The resources of a run that send values which are kept (docs/design/state.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.event import Event
    from ..between_runs import StateBetweenRuns


class SenderKeys:
    """The keys of resources by the events of a `run`."""

    def __init__(self, run: StateBetweenRuns) -> None:
        self._run = run
        # By the ids of the first events of this step, so many of them; and of senders the last event of earlier steps,
        # by type and name, its id by the key.
        self._keys: dict[str, str] = {}
        self._count = 0
        self._earlier: dict[tuple[str, str], dict[str, str]] = {}

    def key(self, event: Event) -> str:
        """Return the key of the resource of an event, "" where that is not known."""
        finished = self._run.finished
        events, self._count = finished[self._count :], len(finished)
        for level, each in events:
            if each.resource:
                self._keys[each.event_id] = level.key(each.resource.reference)
        earlier = self._earlier.get((event.type, event.name), {})
        return self._keys.get(event.event_id) or next((key for key in earlier if earlier[key] == event.event_id), "")

    def go_on(self) -> None:
        """Remember the events of senders: the next step has others."""
        for level, event in self._run.finished:
            if event.resource and level.changes.is_asked_for(event.resource):
                key = level.key(event.resource.reference)
                self._earlier.setdefault((event.type, event.name), {})[key] = event.event_id
        self._keys, self._count = {}, 0
