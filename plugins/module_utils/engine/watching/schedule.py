# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""When each watched resource is checked next: pure, times are handed in, in ns of a clock that is never set back.

A change makes a resource due at once, unless its `meta`, a failure or too many repairs delay it (docs/watch.md). The
resources that it notifies are due with it, and a refresh that a resource is owed stays owed until it was made.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

from ...model.meta import delay_of
from .program import Sources
from .settings import WatchSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, Sequence, Set, Tuple

    from ...model.event import Event
    from ...model.resource import Resource

    #: By references, the indexes of related resources, each with the name of the child, "" for the resource itself.
    Related = Dict[str, Set[Tuple[int, str]]]
    #: Returns whether the resource of an index was managed after another resource in the same step.
    Done = Callable[[int], bool]

SECOND = 1_000_000_000
#: A resource flaps that was repaired more often than this within the period.
REPAIRS, PERIOD = 5, 60 * SECOND
_SHORTEST_PAUSE, _LONGEST_PAUSE = SECOND // 10, 60 * SECOND
#: The default limit: so many checks at once, then one in each interval.
_BURST, _INTERVAL = 20, SECOND // 10
#: The limit of services: systemd starts a unit five times in ten seconds.
_SERVICE_BURST, _SERVICE_INTERVAL = 3, 2 * SECOND


class Watched:
    """One resource and the history of its checks; its `index` may be another one after the manifest is read again.

    `sources` have its relations to other resources. `due` is the time of the next check, None when nothing happened to
    it. `is_flapping` while it is repaired too often.
    """

    def __init__(self, resource: Resource, sources: Sources, *, is_service: bool) -> None:
        self.resource = resource
        self.index = 0
        self.settings = WatchSettings(resource.properties.meta)
        self.due: int | None = None
        # What notified it, or a child, a resource of the manifest that it applies: each with the name of the child.
        self.notified: set[tuple[str, str]] = set()
        # Its relations and the relations of its children to other resources, by the names of the children.
        self.related = {"": sources}
        # The names of the children that the current step found.
        self.needed: set[str] = set()
        # Whether the next check runs no commands without a condition.
        self.checks_only = True
        # The part of `notified` that the current check refreshes for; others may come meanwhile.
        self._refreshing: set[tuple[str, str]] = set()
        # Whether the resources that require it must wait.
        self.is_blocking = False
        self.failures = 0
        self.checks = 0
        self.is_flapping = False
        # Whether a drift was only reported.
        self.is_reported = False
        # Whether it had its wanted state once: a change before that is no repair.
        self._was_reached = False
        self.repairs: deque[int] = deque()
        self._pauses = 0
        self._repaired_at = 0
        self._not_before = 0
        self._is_service = is_service
        burst, interval = (_SERVICE_BURST, _SERVICE_INTERVAL) if is_service else (_BURST, _INTERVAL)
        if self.settings.interval is not None:
            burst, interval = self.settings.burst, self.settings.interval
        self._burst, self._interval = burst, interval
        # The time from which a whole burst of checks is allowed again.
        self._full_at = 0

    def change(self, now: int, settle: int) -> None:
        """Note a change."""
        self.due_at(max(now + max(settle, self.settings.grace), self._allowed_at))

    @property
    def earliest(self) -> int:
        """When a service or a resource with a limit may be checked again: systemd limits the starts of a service."""
        is_limited = self._is_service or self.settings.interval is not None
        return self._allowed_at if is_limited else 0

    @property
    def _allowed_at(self) -> int:
        # One check is allowed so long before a whole burst is.
        return max(self._not_before, self._full_at - (self._burst - 1) * self._interval)

    def begin(self, now: int) -> None:
        """Note the beginning of a check."""
        self.due = None
        self.checks_only = True
        self._refreshing, self.notified = self.notified, set()
        self.needed = set()
        self.checks += 1
        self._full_at = max(self._full_at, now) + self._interval

    def end(self, event: Event, now: int) -> bool:
        """Note the result of a check; return whether it begins to be repaired too often."""
        self.is_blocking = event.blocks_dependents
        self.is_reported = event.noop and event.changed
        if event.failed:
            self._retry(now)
        else:
            self.failures = 0
        if event.failed or event.noop or event.skipped:
            self.notified |= self._refreshing
        self._refreshing = set()
        is_repair = self._was_reached and event.changed and not event.noop and not event.failed
        begins = self._count_repair(now) if is_repair else False
        self._was_reached = self._was_reached or not (event.failed or event.skipped)
        if self.settings.poll:
            self.due_at(now + self.settings.poll)
            self.checks_only = False
        return begins

    def end_pause(self) -> None:
        """Allow the next try of a service as soon as systemd allows it; earlier tries count."""
        if not self.is_flapping:
            self._not_before = 0

    def _retry(self, now: int) -> None:
        """Plan the next try: after the delay as long as tries are left, then after pauses that become longer."""
        self.failures += 1
        meta = self.resource.properties.meta
        delay, retry = (delay_of(meta), meta["retry"]) if meta else (0, 0)
        if not (self.failures <= retry or retry < 0):
            over = self.failures - retry - 1
            delay = min(max(delay, SECOND) << min(over, 6), max(delay, _LONGEST_PAUSE))
        # Other resources have their turn in between.
        delay = max(delay, _SHORTEST_PAUSE)
        if self._is_service:
            # A start that fails changes the unit, too.
            self._not_before = now + delay
        self.due_at(max(now + delay, self.earliest))

    def _count_repair(self, now: int) -> bool:
        if self._repaired_at + PERIOD + _LONGEST_PAUSE < now:
            self.is_flapping, self._pauses = False, 0
        self._repaired_at = now
        self.repairs.append(now)
        while self.repairs[0] <= now - PERIOD:
            self.repairs.popleft()
        was_flapping, self.is_flapping = self.is_flapping, len(self.repairs) > REPAIRS or self._pauses > 0
        if self.is_flapping:
            self._not_before = now + min(SECOND << min(self._pauses, 6), _LONGEST_PAUSE)
            self._pauses += 1
        return self.is_flapping and not was_flapping

    def due_at(self, when: int) -> None:
        """Have the resource checked at a time, or before if it is due before."""
        self.due = when if self.due is None else min(self.due, when)


class Schedule:
    """The watched resources of a manifest, by their indexes."""

    def __init__(self, watched: Sequence[Watched]) -> None:
        self.watched = watched
        self._notified: Related = {}
        self._requiring: Related = {}
        self._receiving: Related = {}
        self._planned: list[tuple[int, int]] = []
        for index, each in enumerate(watched):
            for sources in list(each.related.values()):
                self.relate(index, sources)
            self._plan(index)

    def _plan(self, index: int) -> None:
        due = self.watched[index].due
        if due is not None:
            heappush(self._planned, (due, index))

    def change(
        self,
        index: int,
        now: int,
        *,
        settle: int = 0,
        because_of: str = "",
        child: str = "",
        checks_only: bool = False,
    ) -> None:
        """Note a change of a resource; it is refreshed if the change is `because_of` something that notifies it.

        `child` is the name of the changed child, "" for the resource itself. With `checks_only` it is not known whether
        anything changed.
        """
        each = self.watched[index]
        if not each.settings.follows_changes:
            return
        if child in each.related:
            settle = max(settle, each.related[child].grace)
        each.checks_only = each.checks_only and (checks_only or bool(child))
        if because_of:
            each.notified.add((child, because_of))
        before = each.due
        each.change(now, settle)
        if each.due != before:
            self._plan(index)

    def check(self, index: int, when: int, *, checks_only: bool = False) -> None:
        """Plan a check of a resource, even if by its `meta` changes lead to no check; see `change`."""
        each = self.watched[index]
        each.checks_only = each.checks_only and checks_only
        each.due_at(max(when, each.earliest))
        self._plan(index)

    def try_again(self, index: int, now: int) -> None:
        """Plan the next try of a resource that failed at once."""
        self.watched[index].end_pause()
        self.check(index, now, checks_only=True)

    @property
    def is_settled(self) -> bool:
        """Whether only resources with a `poll` are to be checked."""
        return all(each.due is None or each.settings.poll for each in self.watched)

    def next_time(self) -> int | None:
        """Return when the next resource is due, None when none is."""
        while self._planned:
            when, index = self._planned[0]
            if self.watched[index].due == when:
                return when
            heappop(self._planned)
        return None

    def due(self, now: int) -> list[int]:
        """Return the indexes of the due resources, in order; they stay due until they begin."""
        found = set()
        while (when := self.next_time()) is not None and when <= now:
            found.add(heappop(self._planned)[1])
        for index in found:
            self._plan(index)
        return sorted(found)

    def _end(self, index: int, event: Event, now: int, done: Done) -> bool:
        """Note the result of a check, and plan the checks that follow; return whether the resource begins to flap."""
        each = self.watched[index]
        was_reported = each.is_reported
        begins = each.end(event, now)
        self._plan(index)
        self._follow(event, now, done)
        if was_reported and not each.is_reported:
            for other, child in self._others(self._notified, event, done):
                if not child:
                    self.check(other, now, checks_only=True)
        return begins

    def end_step(self, events: Sequence[tuple[int | None, Event]], now: int) -> list[int]:
        """Note the results of a step, in their order; return the indexes of resources that begin to flap.

        Events without an index belong to children; they come before the event of the parent. No check follows for a
        resource that was managed later in the step.
        """
        ended = {
            index: at
            for at, (index, event) in enumerate(events)
            if index is not None and not (event.failed or event.skipped or event.noop)
        }
        owners: list[int | None] = []
        for index, _event in reversed(events):
            owners.append(index if index is not None or not owners else owners[-1])
        flapping = []
        for at, ((index, event), owner) in enumerate(zip(events, reversed(owners))):

            def is_done(other: int, at: int = at, owner: int | None = owner) -> bool:
                return other == owner or ended.get(other, -1) > at

            if index is None:
                self._follow(event, now, is_done)
            elif self._end(index, event, now, is_done):
                flapping.append(index)
        return flapping

    def _follow(self, event: Event, now: int, done: Done) -> None:
        """Plan the checks that follow from the event of a resource or a child, but for resources that are `done`."""
        if not event.blocks_dependents:
            for other, _child in self._others(self._requiring, event, done):
                if self.watched[other].is_blocking:
                    self.check(other, now, checks_only=True)
        if not event.changed or event.failed:
            return
        if not event.noop:
            for other, child in self._others(self._notified, event, done):
                self.watched[other].notified.update((child, name) for name in _names_of(event))
                self.check(other, now, checks_only=True)
        for other, _child in self._others(self._receiving, event, done):
            self.check(other, now, checks_only=True)

    def relate(self, index: int, sources: Sources) -> None:
        """Note the relations of the resource `index`, or of a child of it, to other resources."""
        self.unrelate(index, sources.child)
        self.watched[index].related[sources.child] = sources
        for related, names in self._relations(sources):
            for name in names:
                related.setdefault(name, set()).add((index, sources.child))

    def unrelate(self, index: int, child: str) -> None:
        """Forget the relations of a child of the resource `index`."""
        former = self.watched[index].related.pop(child, None)
        for related, names in self._relations(former) if former else ():
            for name in names:
                related.get(name, set()).discard((index, child))

    def _relations(self, sources: Sources) -> Iterable[tuple[Related, tuple[str, ...]]]:
        return zip((self._notified, self._requiring, self._receiving), sources.relations)

    def _others(self, related: Related, event: Event, done: Done) -> list[tuple[int, str]]:
        return [found for name in _names_of(event) for found in related.get(name, ()) if not done(found[0])]


def _names_of(event: Event) -> list[str]:
    return [f"{event.type}#{name}" for name in (event.name, event.alias) if name]
