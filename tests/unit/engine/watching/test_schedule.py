# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.engine.watching import schedule
from ccm.engine.watching.schedule import (
    CHECKING,
    DUE,
    REPAIRS,
    RESTING,
    SECOND,
    WAITING,
    Schedule,
    Watched,
)
from ccm.engine.watching.step import Sources
from ccm.model.event import Event
from ccm.model.resource import Resource, complete
from ccm.resources.exec.type import TYPE

MS = SECOND // 1000


def resource(name, **meta):
    fields = {
        field.name: field.default_value() for prop in TYPE.properties if prop.name == "meta" for field in prop.fields
    }
    values = complete(TYPE, {"name": name, "ensure": "present", "meta": {**fields, **meta}})
    return Resource(TYPE, TYPE.made(values))


def event(name, **results):
    found = Event("exec", name, "")
    for name, value in results.items():
        setattr(found, name, value)
    return found


class Clock:
    """A schedule with resources a, b and c; checks that are due are made at once, with the results that are given."""

    def __init__(self, notified=None, requiring=None, receiving=None, is_service=False, **meta):
        self.now = 1000 * SECOND
        relations = {"notified_by": notified or {}, "requires": requiring or {}, "receives": receiving or {}}
        watched = []
        for index, name in enumerate("abc"):
            sources = Sources()
            for relation, given in relations.items():
                setattr(sources, relation, tuple(other for other, indexes in given.items() if index in indexes))
            watched.append(Watched(resource(name, **(meta if name == "a" else {})), sources, is_service=is_service))
        self.schedule = Schedule(watched)
        self.checks = []
        self.results = {}
        self.flapping = 0

    def change(self, place=0, **about):
        self.schedule.change(place, self.now, **about)

    def run(self, seconds, changes=()):
        """Let time pass, with changes of a at these times, and return the places and times of the checks, in ms."""
        start, end = self.now, self.now + int(seconds * SECOND)
        times = sorted(start + int(time * SECOND) for time in changes)
        self.checks = []
        while True:
            following = [each for each in (self.schedule.next_time(), *times[:1]) if each is not None]
            if not following or min(following) > end:
                break
            self.now = max(self.now, min(following))
            while times and times[0] <= self.now:
                times.pop(0)
                self.change()
            for place in self.schedule.due(self.now, 1):
                self.check(place, (self.now - start) // MS)
        self.now = end
        return self.checks

    def check(self, place, time):
        each = self.schedule.watched[place]
        name = each.resource.properties.name
        self.checks.append((name, time))
        self.schedule.begin([place], self.now)
        given = self.results.get(name, {})
        result = event(name, **(given.pop(0) if isinstance(given, list) and given else given or {}))
        self.flapping += len(self.schedule.end_step([(place, result)], self.now))


def times(checks):
    return [time for _name, time in checks]


def test_nothing_is_due_before_something_changed():
    clock = Clock()
    assert clock.schedule.next_time() is None
    assert clock.run(3600) == []


def test_a_change_is_due_at_once_and_once():
    clock = Clock()
    clock.change()
    clock.change()
    assert clock.run(10) == [("a", 0)]


def test_changes_in_a_tree_are_collected():
    clock = Clock()
    clock.change(settle=100 * MS)
    assert clock.run(10) == [("a", 100)]


def test_grace_delays_a_repair():
    clock = Clock(grace="30s")
    clock.change()
    assert clock.run(60) == [("a", 30_000)]


def test_only_a_check_is_asked_for_until_something_else_is():
    clock = Clock(poll="")
    each = clock.schedule.watched[0]
    clock.change(checks_only=True)
    assert each.checks_only
    clock.change()
    clock.change(checks_only=True)
    assert not each.checks_only
    clock.run(1)
    assert each.checks_only
    clock.schedule.check(0, clock.now)
    assert not each.checks_only


def test_what_fails_is_tried_once_at_once_when_it_is_watched_anew():
    clock = Clock(retry=1, delay="2s")
    clock.results["a"] = {"failed": True}
    clock.change()
    assert times(clock.run(10)) == [0, 2_000, 4_000, 8_000]
    clock.schedule.try_again(0, clock.now)
    assert times(clock.run(60)) == [0, 16_000, 48_000]
    assert clock.schedule.watched[0].checks_only


def test_the_limit_of_services_holds_for_what_is_watched_anew():
    clock = Clock(is_service=True)
    clock.results["a"] = {"failed": True}
    clock.change()
    clock.run(300)
    checks = 0
    for _time in range(60):
        clock.schedule.try_again(0, clock.now)
        checks += len(clock.run(0.1))
    # Three may follow each other, then one comes in 2 s.
    assert 4 <= checks <= 7


def test_the_first_change_is_no_repair():
    clock = Clock()
    clock.results["a"] = [{"failed": True}, *({"changed": True} for _time in range(6))]
    clock.change()
    for _time in range(6):
        clock.run(9)
        clock.change()
    assert clock.flapping == 0
    clock = Clock()
    clock.results["a"] = {"changed": True}
    clock.run(54, range(0, 54, 9))
    assert clock.flapping == 0
    clock.run(5, [4])
    assert clock.flapping == 1


@pytest.mark.parametrize("meta", [{"watch": "false"}, {"poll": "once"}, {"poll": "20s"}])
def test_what_is_not_watched_is_not_due(meta):
    clock = Clock(**meta)
    clock.change()
    assert clock.schedule.next_time() is None


def test_poll_checks_again_and_again():
    clock = Clock(poll="20s")
    clock.schedule.check(0, clock.now)
    assert times(clock.run(100)) == [0, 20_000, 40_000, 60_000, 80_000, 100_000]


def test_poll_once_does_not_check_again():
    clock = Clock(poll="once")
    clock.schedule.check(0, clock.now)
    assert times(clock.run(100)) == [0]


def test_a_limit_holds_in_a_storm_of_changes():
    clock = Clock(limit="2/s", burst=1)
    checks = clock.run(10, [each / 1000 for each in range(10_000)])
    assert times(checks) == [500 * each for each in range(21)]


def test_a_burst_of_checks_comes_before_the_limit():
    clock = Clock(limit="1/2s", burst=3)
    assert times(clock.run(7, [each / 100 for each in range(700)])) == [0, 10, 20, 2000, 4000, 6000]


def test_without_a_limit_a_resource_is_not_checked_more_than_ten_times_a_second():
    clock = Clock()
    checks = clock.run(60, [each / 1000 for each in range(60_000)])
    assert 600 <= len(checks) <= 640


def test_services_start_less_often_than_systemd_allows():
    clock = Clock(is_service=True)
    checks = clock.run(10, [each / 100 for each in range(1000)])
    assert len(checks) <= 8


def test_a_failure_is_tried_again_after_the_delay_and_then_after_longer_pauses():
    clock = Clock(retry=2, delay="100ms")
    clock.results["a"] = {"failed": True}
    clock.change()
    assert times(clock.run(10)) == [0, 100, 200, 1200, 3200, 7200]
    assert len(clock.run(600)) == 12
    clock.results = {}
    clock.run(120)
    clock.results["a"] = {"failed": True}
    clock.change()
    assert times(clock.run(1)) == [0, 100, 200]


def test_a_failure_without_retry_is_tried_again_after_a_second():
    clock = Clock()
    clock.results["a"] = [{"failed": True}, {"failed": True}, {}]
    clock.change()
    assert times(clock.run(20)) == [0, 1000, 3000]


def test_retry_for_ever_keeps_its_delay():
    clock = Clock(retry=-1, delay="1s")
    clock.results["a"] = {"failed": True}
    clock.change()
    assert len(clock.run(100)) == 101


def test_a_change_of_a_resource_that_failed_is_looked_at_at_once_but_not_of_a_service():
    for is_service, expected in ((False, [0, 500]), (True, [0, 1000])):
        clock = Clock(is_service=is_service)
        clock.results["a"] = [{"failed": True}, {}]
        clock.change()
        assert times(clock.run(1.5, [0.5])) == expected


def test_what_a_change_notifies_is_due_and_owed_until_it_is_done():
    clock = Clock(notified={"exec#a": [1]})
    clock.results = {"a": [{"changed": True}], "b": [{"failed": True}, {"changed": True, "refreshed": True}]}
    clock.change()
    assert clock.run(0.5) == [("a", 0), ("b", 0)]
    assert clock.schedule.watched[1].notified == {("", "exec#a")}
    assert clock.run(20) == [("b", 500)]
    assert clock.schedule.watched[1].notified == set()


def test_a_notification_during_a_check_is_not_lost():
    clock = Clock()
    each = clock.schedule.watched[0]
    clock.schedule.begin([0], clock.now)
    clock.change(because_of="meta.watch_files")
    clock.schedule.end_step([(0, event("a"))], clock.now)
    assert each.notified == {("", "meta.watch_files")}
    assert clock.run(1) == [("a", 0)]
    assert each.notified == set()


def test_noop_notifies_nothing_and_does_not_settle_what_is_owed():
    clock = Clock(notified={"exec#a": [1]})
    clock.results = {"a": [{"changed": True, "noop": True}, {"changed": True}], "b": [{"changed": True, "noop": True}]}
    clock.change()
    assert clock.run(1) == [("a", 0)]
    clock.change()
    assert clock.run(1) == [("a", 0), ("b", 0)]
    assert clock.schedule.watched[1].notified == {("", "exec#a")}


def test_many_changes_notify_once():
    clock = Clock(notified={"exec#a": [2], "exec#b": [2]})
    clock.results = {"a": {"changed": True}, "b": {"changed": True}}
    clock.change(0)
    clock.change(1)
    assert clock.run(1) == [("a", 0), ("b", 0), ("c", 0)]


def test_what_requires_a_resource_is_checked_again_when_that_no_longer_fails():
    clock = Clock(requiring={"exec#a": [1], "exec#b": [2]})
    clock.results["a"] = [{"failed": True}, {}]
    clock.results["b"] = [{"skipped": True, "unmet_requirements": ["exec#a"]}, {}]
    clock.results["c"] = [{"skipped": True, "unmet_requirements": ["exec#b"]}, {}]
    for place in range(3):
        clock.change(place)
    assert clock.run(0.5) == [("a", 0), ("b", 0), ("c", 0)]
    assert clock.run(1) == [("a", 500), ("b", 500), ("c", 500)]


def test_what_receives_a_value_is_checked_when_the_sender_changed():
    clock = Clock(receiving={"exec#a": [2]})
    clock.results["a"] = [{"changed": True}]
    clock.change()
    assert clock.run(1) == [("a", 0), ("c", 0)]
    assert clock.schedule.watched[2].notified == set()


def test_a_resource_that_is_repaired_again_and_again_flaps_once_and_waits_longer_and_longer():
    clock = Clock()
    clock.results["a"] = {"changed": True}
    checks = clock.run(30, [each / 10 for each in range(300)])
    assert times(checks)[: REPAIRS + 1] == [0, 100, 200, 300, 400, 500]
    assert len(checks) < 12
    assert clock.flapping == 1
    assert clock.schedule.watched[0].pace.is_flapping
    clock.run(200)
    clock.change()
    assert times(clock.run(1)) == [0]
    assert not clock.schedule.watched[0].pace.is_flapping


def test_a_schedule_goes_on_with_what_was_due_before():
    clock = Clock()
    clock.change(1)
    again = Schedule(clock.schedule.watched)
    assert again.due(clock.now, 10) == [1]


def test_a_resource_goes_through_its_states():
    """docs/architecture.md, Watching: each arrow of the drawing."""
    clock = Clock()
    each = clock.schedule.watched[0]
    seen = [each.state]

    def note():
        seen.append(each.state)

    def end(**results):
        clock.schedule.end_step([(0, event("a", **results))], clock.now)
        note()

    clock.change(settle=100 * MS)
    note()
    assert clock.schedule.due(clock.now, 1) == []
    clock.now += 100 * MS
    for _time in range(2):
        # It stays due until it begins.
        assert clock.schedule.due(clock.now, 1) == [0]
        note()
    clock.schedule.begin([0], clock.now)
    note()
    end()
    assert seen == [RESTING, WAITING, DUE, DUE, CHECKING, RESTING]
    clock.change()
    clock.schedule.due(clock.now, 1)
    clock.schedule.begin([0], clock.now)
    clock.change()
    note()
    assert clock.schedule.next_time() is None
    end()
    assert seen[-2:] == [CHECKING, WAITING]


def test_what_began_and_has_no_event_rests():
    clock = Clock()
    clock.change(0)
    clock.change(1)
    clock.schedule.begin(clock.schedule.due(clock.now, 2), clock.now)
    clock.schedule.end_step([(0, event("a"))], clock.now)
    assert [each.state for each in clock.schedule.watched] == [RESTING] * 3
    assert clock.schedule.is_settled


@pytest.mark.parametrize("most", [1, 64])
def test_what_many_due_resources_cost_does_not_grow_with_their_number(monkeypatch, most):
    """Each step took all due resources out of the heap and put them back."""
    pops = []
    heappop = schedule.heappop
    monkeypatch.setattr(schedule, "heappop", lambda heap: pops.append(0) or heappop(heap))
    count, now = 1000, SECOND
    many = Schedule([Watched(resource(f"f{number}"), Sources(), is_service=False) for number in range(count)])
    for index in reversed(range(count)):
        many.change(index, now)
    checked = []
    while many.next_time() is not None:
        indexes = many.due(now, most)
        checked += indexes
        many.begin(indexes, now)
        many.end_step([(index, event(f"f{index}")) for index in indexes], now)
    assert checked == list(range(count))
    assert len(pops) <= 4 * count
