# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Adjacent resources in one group have the same events and leave the same host as single resources."""

import time
from typing import ClassVar

import pytest
from ccm.engine.context import Context
from ccm.engine.grouped_order import GroupedOrder
from ccm.engine.run import Run
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.model.batch_provider import BatchProvider
from ccm.model.common import MetaProperty
from ccm.model.decision import NOTHING, Decision, Step
from ccm.model.errors import ResourceFailed
from ccm.model.resource import Properties, Resource, ResourceType, complete
from ccm.model.state import State
from hypothesis import given
from hypothesis import strategies as st

from .lamp_type import LampProvider, lamp

VOLATILE = ("event_id", "timestamp", "duration", "status")


class BoxState(State):
    type = "box"


class ShelfProvider(BatchProvider):
    """A provider of boxes on a shelf.

    A box is brought with the boxes that it needs. Bringing a box named unknown fails, one named broken is still absent
    afterwards, and the state of one named unseen cannot be read. Of a batch with one named heavy the others are brought
    before it fails. One named fixed cannot be brought or taken here.
    """

    name = "shelf"
    batch_verbs = ("bring", "take")
    boxes: ClassVar[set] = set()
    needs: ClassVar[dict] = {}
    done: ClassVar[list] = []

    def status(self, properties):
        if properties.name == "unseen":
            raise ResourceFailed("it is dark")
        return BoxState(properties.name, "present" if properties.name in self.boxes else "absent")

    def require_possible(self, verb, properties, state):
        if properties.name == "fixed":
            raise ResourceFailed(f"it is fixed: {verb} is not possible")

    def bring(self, properties, state):
        self._act("bring", [properties.name])

    def take(self, properties, state):
        self._act("take", [properties.name])

    def act_on_batch(self, verb, members):
        self._act(verb, [properties.name for properties, _state in members])

    def partition(self, verb, acting, settled):
        parts = [[acting[0]]]
        for properties in acting[1:]:
            earlier = [member.name for member in parts[-1]]
            if any(self.related(properties.name, name) for name in earlier):
                parts.append([])
            parts[-1].append(properties)
        return parts

    def related(self, one, other):
        return other in self.closure(one) or one in self.closure(other)

    def closure(self, name):
        found, waiting = set(), [name]
        while waiting:
            box = waiting.pop()
            if box not in found:
                found.add(box)
                waiting += self.needs.get(box, ())
        return found

    def _act(self, verb, names):
        type(self).done.append((verb, *names))
        if verb == "bring" and "unknown" in names:
            raise ResourceFailed("no box of that name")
        if verb == "bring" and "heavy" in names:
            self.boxes.update(name for name in names if name != "heavy")
            raise ResourceFailed("too heavy")
        for name in names:
            if verb == "bring":
                self.boxes.update(self.closure(name))
                if name == "broken":
                    self.boxes.discard(name)
            else:
                self.boxes.difference_update([box for box in self.boxes if name in self.closure(box)])


class BoxType(ResourceType):
    """The resource type of boxes."""

    name = "box"
    provider_names = ("shelf",)
    verbs = ("bring", "take")
    properties_class = Properties

    def provider(self, name):
        return ShelfProvider

    def is_groupable(self, properties):
        return properties.ensure in ("present", "absent")

    def decide(self, state, properties, refresh):
        if state.ensure == properties.ensure:
            return NOTHING
        return Decision(Step("bring" if properties.ensure == "present" else "take", f"Would be {properties.ensure}"))

    def shortfall(self, state, properties):
        return "" if state.ensure == properties.ensure else f"{properties.ensure}: box is {state.ensure}"


BOX = BoxType()


def box(name, ensure="present", **common):
    values = {**complete(BOX, {"name": name, "ensure": ensure}), **common}
    return Resource(BOX, BOX.made(values))


def run(resources, *, grouped, boxes=(), needs=None, noop=False):
    """Return the events as the user sees them, the boxes on the shelf, and the actions."""
    ShelfProvider.boxes, ShelfProvider.needs, ShelfProvider.done = set(boxes), needs or {}, []
    session = Session()
    context = Context(session, resources=resources, noop=noop)
    for event in Run(resources, context, GroupedOrder(resources) if grouped and not noop else None).events():
        session.record(event)
    visible_events = []
    for event in session.events():
        fields = event.as_dict()
        status = fields["status"]
        fields["found"] = status and {key: status[key] for key in ("ensure", "changed", "stable", "noop")}
        visible_events.append({key: value for key, value in fields.items() if key not in VOLATILE})
    return visible_events, set(ShelfProvider.boxes), list(ShelfProvider.done)


def test_adjacent_resources_are_managed_at_once():
    events, boxes, done = run([box("a"), box("b"), box("c")], grouped=True)
    assert done == [("bring", "a", "b", "c")]
    assert [event["changed"] for event in events] == [True, True, True]
    assert boxes == {"a", "b", "c"}


def test_present_members_are_not_changed():
    events, _boxes, done = run([box("a"), box("b"), box("c")], grouped=True, boxes={"b"})
    assert done == [("bring", "a", "c")]
    assert [event["changed"] for event in events] == [True, False, True]


def test_converged_members_are_read_and_not_changed():
    events, _boxes, done = run([box("a"), box("b")], grouped=True, boxes={"a", "b"})
    assert done == []
    assert [event["changed"] for event in events] == [False, False]


def test_only_the_wrong_member_fails():
    events, boxes, done = run([box("a"), box("unknown"), box("b")], grouped=True)
    assert done == [("bring", "a", "unknown", "b"), ("bring", "a"), ("bring", "unknown"), ("bring", "b")]
    assert [event["error"] for event in events] == [[], ["no box of that name"], []]
    assert boxes == {"a", "b"}


@pytest.mark.parametrize("noop", [False, True])
def test_a_member_that_this_host_does_not_allow_is_not_in_the_batch(noop):
    events, boxes, _done = run([box("a"), box("b"), box("fixed"), box("c")], grouped=True, noop=noop)
    assert [event["error"] for event in events] == [[], [], ["it is fixed: bring is not possible"], []]
    assert boxes == (set() if noop else {"a", "b", "c"})


def test_after_a_member_that_fails_the_later_ones_are_acted_on_again():
    """Those before it are not: the batch brought them. So is done what is done without a group."""
    events, boxes, done = run([box("a"), box("heavy"), box("b")], grouped=True)
    assert done == [("bring", "a", "heavy", "b"), ("bring", "heavy"), ("bring", "b")]
    assert [event["error"] for event in events] == [[], ["too heavy"], []]
    assert boxes == {"a", "b"}


def test_a_member_that_is_missing_after_the_action_fails_alone():
    events, _boxes, done = run([box("a"), box("broken"), box("b")], grouped=True)
    assert done == [("bring", "a", "broken", "b")]
    assert [event["failed"] for event in events] == [False, True, False]
    assert events[1]["error"] == ["failed to reach desired state: present: box is absent"]


def test_noop_changes_nothing_and_reports_each_member():
    events, _boxes, done = run([box("a"), box("b")], grouped=True, noop=True)
    assert done == []
    assert [event["noop_message"] for event in events] == ["Would be present"] * 2


def test_no_batch_begins_when_no_time_is_left():
    resources = [box("a"), box("b")]
    ShelfProvider.boxes, ShelfProvider.needs, ShelfProvider.done = set(), {}, []
    machine = Machine()
    machine.deadline = time.monotonic_ns()
    events = list(
        Run(resources, Context(Session(), resources=resources, machine=machine), GroupedOrder(resources)).events()
    )
    assert [event.errors for event in events] == [["no time is left"]] * 2
    assert ShelfProvider.done == []


def test_each_member_of_a_group_has_a_duration():
    resources = [box("a"), box("b")]
    ShelfProvider.boxes, ShelfProvider.needs = set(), {}
    first, second = Run(resources, Context(Session(), resources=resources), GroupedOrder(resources)).events()
    assert first.duration > 0
    assert second.duration > 0


def test_a_subscriber_after_a_group_is_refreshed():
    resources = [lamp("hall"), box("a"), box("b"), lamp("porch", subscribe=["box#a"])]
    ShelfProvider.boxes, ShelfProvider.needs, LampProvider.lit = set(), {}, {"porch": True}
    session = Session()
    for event in Run(resources, Context(session, resources=resources), GroupedOrder(resources)).events():
        session.record(event)
    assert [event.refreshed for event in session.events()] == [False, False, False, True]


def meta(**given):
    return {**{field.name: field.default_value() for field in MetaProperty().fields}, **given}


UNGROUPED = {"control": {"if": "true", "unless": ""}, "require": ["box#a"], "health_checks": [{}]}


@pytest.mark.parametrize(
    ("resources", "sizes"),
    [
        ([box("a"), box("b")], [2]),
        ([box("a"), box("b", "absent")], [1, 1]),
        ([box("a"), box("b", provider="shelf")], [1, 1]),
        ([box("a"), box("a")], [1, 1]),
        ([box("a"), box("b", "1.0"), box("c")], [1, 1, 1]),
        ([box("a"), box("b", require=UNGROUPED["require"]), box("c")], [1, 1, 1]),
        ([box("a"), box("b", control=UNGROUPED["control"]), box("c"), box("d")], [1, 1, 2]),
        ([box("a", health_checks=UNGROUPED["health_checks"]), box("b"), box("c")], [1, 2]),
        ([box("a", register_when_stable=[{}]), box("b")], [1, 1]),
        ([box("a", meta=meta(before=["box#c"])), box("b", meta=meta(autoedge=False)), box("c")], [3]),
        ([box("a", meta=meta(autogroup=False)), box("b"), box("c")], [1, 2]),
        ([box("a", meta=meta(watch="alert")), box("b"), box("c")], [1, 2]),
        ([box("a", meta=meta(poll="once")), box("b"), box("c")], [1, 2]),
        ([box("a", meta=meta(retry=1)), box("b", meta=meta(timeout="1s")), box("c", meta=meta(noop=True))], [1, 1, 1]),
    ],
)
def test_groupable_resources(resources, sizes):
    order = GroupedOrder(resources)
    assert [len(indexes) for indexes in iter(order.start, ())] == sizes


NAMES = ["a", "b", "c", "d", "e", "unknown", "broken", "unseen", "fixed"]


@given(
    wanted=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["present", "absent"])), max_size=10),
    boxes=st.sets(st.sampled_from("abcde")),
    needs=st.dictionaries(st.sampled_from("abcde"), st.lists(st.sampled_from("abcde"), max_size=2)),
)
def test_grouping_does_not_change_events_or_host(wanted, boxes, needs):
    resources = [box(name, ensure) for name, ensure in wanted]
    assert (
        run(resources, grouped=True, boxes=boxes, needs=needs)[:2]
        == run(resources, grouped=False, boxes=boxes, needs=needs)[:2]
    )


def test_events_of_a_group_span_its_command_and_share_its_time(monkeypatch):
    resources = [box("a"), box("b")]
    ShelfProvider.boxes, ShelfProvider.needs, ShelfProvider.done = set(), {}, []
    spent = []

    def noted(self, verb, members, *, before=ShelfProvider.act_on_batch):
        began = time.time_ns()
        before(self, verb, members)
        spent.append((began, time.time_ns() - began))

    monkeypatch.setattr(ShelfProvider, "act_on_batch", noted)
    events = list(Run(resources, Context(Session(), resources=resources), GroupedOrder(resources)).events())
    [(began, batch)] = spent
    assert all(began >= event.started for event in events)
    assert sum(event.duration for event in events) >= batch
