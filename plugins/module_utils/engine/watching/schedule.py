# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""When each watched resource is checked next: a state machine for each of them (docs/architecture.md, Watching).

Pure: times are handed in, in ns of a clock that is never set back. A change makes a resource due at once, unless its
`meta`, a failure or too many repairs delay it (docs/watch.md). The resources that it notifies are due with it, and a
refresh that a resource is owed stays owed until it was made.
"""

from __future__ import annotations

from heapq import heappop, heappush

from .pace import PERIOD, REPAIRS, SECOND, Pace
from .settings import WatchSettings
from .step import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, Sequence, Set, Tuple

    from ...model.event import Event
    from ...model.resource import Resource

    #: By references, the indexes of related resources, each with the name of the child, "" for the resource itself.
    Related = Dict[str, Set[Tuple[int, str]]]
    #: Returns whether the resource of an index was managed after another resource in the same step.
    Done = Callable[[int], bool]

__all__ = ["CHECKING", "DUE", "PERIOD", "REPAIRS", "RESTING", "SECOND", "WAITING", "Schedule", "Watched"]
#: The states of a watched resource: nothing is to be done; its time comes later; its time has come; it is managed.
RESTING, WAITING, DUE, CHECKING = "resting", "waiting", "due", "checking"


class Watched:
    """One resource and the history of its checks; its `index` may be another one after the manifest is read again.

    `sources` have its relations to other resources. `due` is the time of its next check, None for no other one: the
    current one in the states `WAITING` and `DUE`, the one after it in `CHECKING`.
    """

    def __init__(self, resource: Resource, sources: Sources, *, is_service: bool) -> None:
        self.resource = resource
        self.index = 0
        self.settings = WatchSettings(resource.properties.meta)
        self.pace = Pace(self.settings, is_service=is_service)
        self.state = RESTING
        self.due: int | None = None
        # What notified it, or a child, a resource of the manifest that it applies: each with the name of the child.
        self.notified: set[tuple[str, str]] = set()
        # Its relations and the relations of its children to other resources, by the names of the children.
        self.related = {"": sources}
        # The names of the children that it had before it was declared in another way.
        self.former: set[str] = set()
        # The names of the children that the current step found.
        self.needed: set[str] = set()
        # Whether the next check runs no commands without a condition.
        self.checks_only = True
        # The part of `notified` that the current check refreshes for; others may come meanwhile.
        self._refreshing: set[tuple[str, str]] = set()
        # Whether the resources that require it must wait.
        self.is_blocking = False
        self.checks = 0
        # Whether a drift was only reported.
        self.is_reported = False
        # Whether it had its wanted state once: a change before that is no repair.
        self._was_reached = False

    @property
    def children(self) -> set[str]:
        """The names of its children, also if the next check may not find them any more."""
        return (self.related.keys() | self.former) - {""}

    def begin(self, now: int) -> None:
        """Note the beginning of a check."""
        self.state, self.due = CHECKING, None
        self.checks_only = True
        self._refreshing, self.notified = self.notified, set()
        self.needed = set()
        self.checks += 1
        self.pace.begin(now)

    def end(self, event: Event, now: int) -> bool:
        """Note the result of a check; return whether the resource begins to be repaired too often."""
        self.is_blocking = event.blocks_dependents
        self.is_reported = event.noop and event.changed
        if event.failed:
            self.due_at(self.pace.failed(now, self.resource.properties.meta))
        else:
            self.pace.succeeded()
        if event.failed or event.noop or event.skipped:
            self.notified |= self._refreshing
        self._refreshing = set()
        is_repair = self._was_reached and event.changed and not event.noop and not event.failed
        begins = self.pace.repaired(now) if is_repair else False
        self._was_reached = self._was_reached or not (event.failed or event.skipped)
        if self.settings.poll:
            self.due_at(now + self.settings.poll)
            self.checks_only = False
        return begins

    def due_at(self, when: int) -> None:
        """Have the resource checked at a time, or before if it is due before."""
        self.due = when if self.due is None else min(self.due, when)


class Schedule:
    """The watched resources of a manifest, by their indexes.

    Each is in one of four states. A heap has the `WAITING` ones by time, another one the `DUE` ones by index. An entry
    of a heap whose resource has left the state is dropped when it comes to the top.
    """

    def __init__(self, watched: Sequence[Watched]) -> None:
        self.watched = watched
        self._notified: Related = {}
        self._requiring: Related = {}
        self._receiving: Related = {}
        self._waiting: list[tuple[int, int]] = []
        self._due: list[int] = []
        self._checking: list[int] = []
        # The resources that are not at rest, but for those with a `poll`.
        self._unsettled: set[int] = set()
        for index, each in enumerate(watched):
            for sources in list(each.related.values()):
                self.relate(index, sources)
            each.state = RESTING
            self._wait(index)

    def _wait(self, index: int) -> None:
        """Go from `RESTING` to `WAITING`, or to an earlier time, where a check is planned."""
        each = self.watched[index]
        if each.due is None or each.state in (DUE, CHECKING):
            return
        each.state = WAITING
        heappush(self._waiting, (each.due, index))
        if not each.settings.poll:
            self._unsettled.add(index)

    def begin(self, indexes: Iterable[int], now: int) -> None:
        """Go to `CHECKING`: a step manages these resources."""
        for index in indexes:
            self.watched[index].begin(now)
            self._checking.append(index)

    def _end_checks(self) -> None:
        """Leave `CHECKING`, for `WAITING` where another check is planned, else for `RESTING`."""
        for index in self._checking:
            each = self.watched[index]
            each.state = RESTING
            self._unsettled.discard(index)
            self._wait(index)
        self._checking.clear()

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
        each.due_at(max(now + max(settle, each.settings.grace), each.pace.allowed_at))
        if each.due != before:
            self._wait(index)

    def check(self, index: int, when: int, *, checks_only: bool = False) -> None:
        """Plan a check of a resource, even if by its `meta` changes lead to no check; see `change`."""
        each = self.watched[index]
        each.checks_only = each.checks_only and checks_only
        each.due_at(max(when, each.pace.earliest))
        self._wait(index)

    def try_again(self, index: int, now: int) -> None:
        """Plan the next try of a resource that failed at once."""
        self.watched[index].pace.end_pause()
        self.check(index, now, checks_only=True)

    @property
    def is_settled(self) -> bool:
        """Whether only resources with a `poll` are to be checked."""
        return not self._unsettled

    def next_time(self) -> int | None:
        """Return when the next resource is due, None when none is."""
        while self._due and self.watched[self._due[0]].state != DUE:
            heappop(self._due)
        if self._due:
            return self.watched[self._due[0]].due
        while self._waiting:
            when, index = self._waiting[0]
            each = self.watched[index]
            if each.state == WAITING and each.due == when:
                return when
            heappop(self._waiting)
        return None

    def due(self, now: int, most: int) -> list[int]:
        """Return the indexes of the first due resources, at most so many, in order; they stay due until they begin."""
        while self._waiting and self._waiting[0][0] <= now:
            when, index = heappop(self._waiting)
            each = self.watched[index]
            if each.state == WAITING and each.due == when:
                each.state = DUE
                heappush(self._due, index)
        found: list[int] = []
        while self._due and len(found) < most:
            index = heappop(self._due)
            if self.watched[index].state == DUE and found[-1:] != [index]:
                found.append(index)
        for index in found:
            heappush(self._due, index)
        return found

    def _end(self, index: int, event: Event, now: int, done: Done) -> bool:
        """Note the result of a check, and plan the checks that follow; return whether the resource begins to flap."""
        each = self.watched[index]
        was_reported = each.is_reported
        begins = each.end(event, now)
        self._wait(index)
        self._follow(event, each, now, done)
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
                self._follow(event, None, now, is_done)
            elif self._end(index, event, now, is_done):
                flapping.append(index)
        self._end_checks()
        return flapping

    def _follow(self, event: Event, each: Watched | None, now: int, done: Done) -> None:
        """Plan the checks that follow from the event of a resource, None for a child, but for `done` resources."""
        is_blocking = event.blocks_dependents if each is None else each.is_blocking
        if not is_blocking:
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
