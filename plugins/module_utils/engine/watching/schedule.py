# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""When each watched resource is checked next: pure, times are handed in, in ns of a clock that is never set back.

A change makes a resource due at once, unless its `meta`, a failure or too many repairs delay it (docs/watch.md). The
resources that it notifies are due with it, and a refresh that one of them is owed is kept until it was made.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush

from ...model.meta import delay_of
from .settings import WatchSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Sequence

    from ...model.event import Event
    from ...model.resource import Resource
    from .program import Program, Sources

    #: Returns whether the resource of a place was managed after another one in the same step.
    Done = Callable[[int], bool]

SECOND = 1_000_000_000
#: A resource flaps that was repaired more often than this within the period.
REPAIRS, PERIOD = 5, 60 * SECOND
_SHORTEST_PAUSE, _LONGEST_PAUSE = SECOND // 10, 60 * SECOND
#: The limit of resources without one: as many checks at once, then one in each interval.
_BURST, _INTERVAL = 20, SECOND // 10
#: That of services: systemd starts a unit five times in ten seconds.
_SERVICE_BURST, _SERVICE_INTERVAL = 3, 2 * SECOND


def _none_is_done(_place: int) -> bool:
    return False


class Watched:
    """One resource, and what is known of its checks; its `key` is the same as long as it is watched.

    `due` is when it is checked next, None when nothing happened to it. `is_flapping` while it is repaired too often.
    """

    def __init__(self, resource: Resource, *, is_service: bool) -> None:
        self.resource = resource
        self.key = 0
        self.settings = WatchSettings(resource.properties.meta)
        self.due: int | None = None
        self.notified_by: set[str] = set()
        # The resources of the manifest that it applies that are notified.
        self.notified_below: set[str] = set()
        # How the resources of the manifest that it applies are related to others, by their names.
        self.below: dict[str, Sources] = {}
        # Whether nothing that is known asks for commands without a condition, when it is checked next.
        self.checks_only = True
        # Those that the current check is a refresh for; others may come meanwhile.
        self._refreshing: set[str] = set()
        self._refreshing_below: set[str] = set()
        # Whether those that require it must wait.
        self.is_blocking = False
        self.failures = 0
        self.checks = 0
        self.is_flapping = False
        # Whether it was only reported that it is not as it should be.
        self.is_reported = False
        # Whether it was once as it should be: a change before that is no repair.
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
        # When all checks of a burst may follow each other again.
        self._full_at = 0

    def change(self, now: int, settle: int) -> int:
        """Note a change; return when the resource is due because of it."""
        wanted = max(now + max(settle, self.settings.grace), self._not_before, self._full_at - self._spare)
        self.due = wanted if self.due is None else min(self.due, wanted)
        return self.due

    @property
    def earliest(self) -> int:
        """When a service may be checked again, or what has a limit: systemd limits how often it starts a service."""
        is_limited = self._is_service or self.settings.interval is not None
        return max(self._not_before, self._full_at - self._spare) if is_limited else 0

    @property
    def _spare(self) -> int:
        """How long before all checks of a burst are there again one of them is."""
        return (self._burst - 1) * self._interval

    def begin(self, now: int) -> None:
        """Note the beginning of a check."""
        self.due = None
        self.checks_only = True
        self._refreshing, self.notified_by = self.notified_by, set()
        self._refreshing_below, self.notified_below = self.notified_below, set()
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
            self.notified_by |= self._refreshing
            self.notified_below |= self._refreshing_below
        self._refreshing, self._refreshing_below = set(), set()
        is_repair = self._was_reached and event.changed and not event.noop and not event.failed
        begins = self._count_repair(now) if is_repair else False
        self._was_reached = self._was_reached or not (event.failed or event.skipped)
        if self.settings.poll:
            self._due_at(now + self.settings.poll)
            self.checks_only = False
        return begins

    def end_pause(self) -> None:
        """Let the next try of a service come as soon as systemd allows; the tries that were made count."""
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
        self._due_at(max(now + delay, self.earliest))

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

    def _due_at(self, when: int) -> None:
        self.due = when if self.due is None else min(self.due, when)


class Schedule:
    """The watched resources of a manifest, by their places.

    By references, `notified` has the places of the resources that those notify, `requiring` the places of those that
    require them, and `receiving` the places of those that use what they send.
    """

    def __init__(
        self,
        watched: Sequence[Watched],
        notified: Mapping[str, Sequence[int]],
        requiring: dict[str, list[int]],
        receiving: dict[str, list[int]],
    ) -> None:
        self.watched = watched
        self._notified = notified
        self._requiring = requiring
        self._receiving = receiving
        # By references, the places and the names of those below that these notify.
        self._notified_below: dict[str, set[tuple[int, str]]] = {}
        for place, each in enumerate(watched):
            for sources in list(each.below.values()):
                self.relate(place, sources)
        self._planned = [(each.due, place) for place, each in enumerate(watched) if each.due is not None]
        heapify(self._planned)

    def change(
        self,
        place: int,
        now: int,
        *,
        settle: int = 0,
        because_of: str = "",
        below: str = "",
        checks_only: bool = False,
    ) -> None:
        """Note that something of a resource changed; it is refreshed when that was `because_of` what notifies it.

        `below` is the resource of the manifest that it applies that this is about. With `checks_only` it is not known
        whether anything changed.
        """
        each = self.watched[place]
        if not each.settings.follows_changes:
            return
        if below in each.below:
            settle = max(settle, each.below[below].grace)
        each.checks_only = each.checks_only and (checks_only or bool(below))
        if because_of and below:
            each.notified_below.add(below)
        elif because_of:
            each.notified_by.add(because_of)
        before = each.due
        if each.change(now, settle) != before:
            heappush(self._planned, (each.due or now, place))

    def check(self, place: int, when: int, *, checks_only: bool = False) -> None:
        """Plan a check of a resource, also where its `meta` excludes that changes lead to one; see `change`."""
        each = self.watched[place]
        each.checks_only = each.checks_only and checks_only
        when = max(when, each.earliest)
        each.due = when if each.due is None else min(each.due, when)
        heappush(self._planned, (each.due, place))

    def try_again(self, place: int, now: int) -> None:
        """Plan the next try of a resource that failed at once."""
        self.watched[place].end_pause()
        self.check(place, now, checks_only=True)

    @property
    def is_settled(self) -> bool:
        """Whether no resource is to be checked but those that are checked regularly."""
        return all(each.due is None or each.settings.poll for each in self.watched)

    def next_time(self) -> int | None:
        """Return when the next resource is due, None when none is."""
        while self._planned:
            when, place = self._planned[0]
            if self.watched[place].due == when:
                return when
            heappop(self._planned)
        return None

    def due(self, now: int) -> list[int]:
        """Return the places of the resources that are due, in order; they stay due until they begin."""
        found = set()
        while self._planned and self._planned[0][0] <= now:
            when, place = heappop(self._planned)
            if self.watched[place].due == when:
                found.add(place)
        for place in found:
            heappush(self._planned, (self.watched[place].due or now, place))
        return sorted(found)

    def end(self, place: int, event: Event, now: int, done: Done = _none_is_done) -> bool:
        """Note the result of a check, and plan what follows from it; return whether the resource begins to flap.

        Others are left out that are `done`: they were managed after this one in the same step.
        """
        each = self.watched[place]
        was_reported = each.is_reported
        begins = each.end(event, now)
        if each.due is not None:
            heappush(self._planned, (each.due, place))
        self.follow(event, now, done)
        if was_reported and not each.is_reported:
            for other in self._those(self._notified, event, done):
                self.check(other, now, checks_only=True)
        return begins

    def end_step(self, events: Sequence[tuple[int | None, Event]], now: int) -> list[int]:
        """Note the results of a step, in their order; return the places of resources that begin to flap.

        Events without a place are those of manifests that are applied; they come before that of what applies them.
        """
        ended = {
            place: at
            for at, (place, event) in enumerate(events)
            if place is not None and not (event.failed or event.skipped or event.noop)
        }
        owners: list[int | None] = []
        for place, _event in reversed(events):
            owners.append(place if place is not None or not owners else owners[-1])
        flapping = []
        for at, ((place, event), owner) in enumerate(zip(events, reversed(owners))):

            def is_done(other: int, at: int = at, owner: int | None = owner) -> bool:
                return other == owner or ended.get(other, -1) > at

            if place is None:
                self.follow(event, now, is_done)
            elif self.end(place, event, now, is_done):
                flapping.append(place)
        return flapping

    def follow(self, event: Event, now: int, done: Done = _none_is_done) -> None:
        """Plan what follows from the event of a resource, which may be one of an applied manifest; see `end`."""
        if not event.blocks_dependents:
            for other in self._those(self._requiring, event, done):
                if self.watched[other].is_blocking:
                    self.check(other, now, checks_only=True)
        if not event.changed or event.failed:
            return
        if not event.noop:
            for other in self._those(self._notified, event, done):
                self.watched[other].notified_by.update(_names_of(event))
                self.check(other, now, checks_only=True)
            for name in _names_of(event):
                for other, below in self._notified_below.get(name, ()):
                    if not done(other):
                        self.watched[other].notified_below.add(below)
                        self.check(other, now, checks_only=True)
        for other in self._those(self._receiving, event, done):
            self.check(other, now, checks_only=True)

    def relate(self, place: int, sources: Sources) -> None:
        """Note how a resource of the manifest that one applies is related to others."""
        self.unrelate(place, sources.below)
        self.watched[place].below[sources.below] = sources
        for name in sources.notified_by:
            self._notified_below.setdefault(name, set()).add((place, sources.below))
        for known, names in ((self._requiring, sources.requires), (self._receiving, sources.receives)):
            for name in names:
                if place not in known.setdefault(name, []):
                    known[name].append(place)

    def unrelate(self, place: int, below: str) -> None:
        """Note that a resource of the manifest that one applies is notified by no others any more."""
        former = self.watched[place].below.pop(below, None)
        for name in former.notified_by if former else ():
            self._notified_below.get(name, set()).discard((place, below))

    def _those(self, places: Mapping[str, Sequence[int]], event: Event, done: Done) -> list[int]:
        return [other for name in _names_of(event) for other in places.get(name, ()) if not done(other)]


def schedule_of(program: Program, watched: Sequence[Watched]) -> Schedule:
    """Return the schedule of the resources of a manifest."""
    notified: dict[str, list[int]] = {}
    requiring: dict[str, list[int]] = {}
    receiving: dict[str, list[int]] = {}
    for place in range(len(watched)):
        for found, names in (
            (notified, program.notified(place)),
            (requiring, program.required(place)),
            (receiving, program.received(place)),
        ):
            for name in names:
                found.setdefault(name, []).append(place)
    return Schedule(watched, notified, requiring, receiving)


def _names_of(event: Event) -> list[str]:
    return [f"{event.type}#{name}" for name in (event.name, event.alias) if name]
