# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources in graph order: which may start, and which are managed together."""

from __future__ import annotations

import random

import pytest
from ccm.engine.context import Context
from ccm.engine.graph.graph import REQUIRE, Edge, Graph
from ccm.engine.graph.order import GraphOrder
from ccm.engine.session import Session
from ccm.engine.sink import Sink
from ccm.engine.workers import ThreadedRun
from ccm.model.log import Log

from tests.unit.manifest.runs import GRAPH, loaded, ran

from ..test_grouping import ShelfProvider, box, meta


class Calls(Sink):
    """Notes the calls of a run in their order."""

    def __init__(self):
        self.calls = []

    def begun(self, resource):
        self.calls.append(f"begun {resource.properties.name}")

    def finished(self, event):
        self.calls.append(f"finished {event.name}")


def run(resources, pairs=(), *, grouped=True, parallel=1, semaphore=True):
    """Return the events of boxes by their names, in their order, what was brought, and the calls of sinks."""
    ShelfProvider.boxes, ShelfProvider.needs, ShelfProvider.done = set(), {}, []
    session, calls = Session(), Calls()
    context = Context(session, resources=resources, sinks=(session, calls))
    names = [resource.properties.name for resource in resources]
    graph = Graph(len(resources), [Edge(REQUIRE, names.index(one), names.index(other), "") for one, other in pairs])
    semaphores = [["shelf"] if semaphore else [] for _resource in resources]
    order = GraphOrder(resources, graph, semaphores, {}, grouped=grouped, notifying=None)
    made = ThreadedRun(resources, context, order, parallel=parallel, report=Log())
    return {event.name: event for event in made.events()}, list(ShelfProvider.done), calls.calls


@pytest.mark.parametrize("parallel", [1, 4])
def test_what_does_not_depend_on_each_other_is_one_transaction(parallel):
    resources = [box("a"), box("b"), box("c")]
    events, done, calls = run(resources, parallel=parallel)
    assert done == [("bring", "a", "b", "c")]
    assert [event.changed for event in events.values()] == [True, True, True]
    assert calls == [f"{call} {name}" for call in ("begun", "finished") for name in "abc"]


def test_what_depends_on_a_member_comes_later():
    events, done, _calls = run([box("a"), box("b"), box("c")], [("a", "b")])
    assert done == [("bring", "a", "c"), ("bring", "b")]
    assert list(events) == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ([box("a"), box("b", "absent"), box("c")], [("bring", "a", "c")]),
        ([box("a"), box("b", meta=meta(autogroup=False)), box("c")], [("bring", "a", "c"), ("bring", "b")]),
        ([box("a"), box("b", register_when_stable=[{}]), box("c")], [("bring", "a", "c"), ("bring", "b")]),
    ],
)
def test_what_is_not_managed_together(resources, expected):
    _events, done, _calls = run(resources)
    assert done == expected


def test_a_member_that_fails_fails_alone():
    events, done, _calls = run([box("a"), box("unknown"), box("c")])
    assert {name: event.failed for name, event in events.items()} == {"a": False, "unknown": True, "c": False}
    assert done == [("bring", "a", "unknown", "c"), ("bring", "a"), ("bring", "unknown"), ("bring", "c")]


def test_each_is_managed_alone_on_request():
    _events, done, _calls = run([box("a"), box("b")], grouped=False)
    assert done == [("bring", "a"), ("bring", "b")]


def test_members_without_semaphores_do_not_run_twice():
    events, done, _calls = run([box(name) for name in "abcdef"], parallel=4, semaphore=False)
    assert sorted(name for _verb, *names in done for name in names) == sorted(events) == [*"abcdef"]


def test_random_graphs_have_every_resource_once_and_keep_their_edges():
    for seed in range(100):
        chosen = random.Random(seed)
        names = [f"n{number}" for number in range(chosen.randint(1, 10))]
        resources = [box(name, chosen.choice(["present", "absent"])) for name in names]
        pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :] if chosen.random() < 0.2]
        events, _done, _calls = run(resources, pairs, parallel=chosen.randint(1, 4), semaphore=chosen.random() < 0.5)
        order = list(events)
        assert sorted(order) == sorted(names)
        assert all(order.index(one) < order.index(other) for one, other in pairs)
        wanted = {resource.properties.name for resource in resources if resource.properties.ensure == "present"}
        assert wanted == ShelfProvider.boxes


@pytest.mark.starts_processes
def test_a_resource_that_comes_later_may_be_required():
    events, _log = ran(loaded("- exec: {name: 'true', require: [exec#ls]}\n- exec: {name: ls}", engine=GRAPH))
    assert list(events) == ["ls", "true"]


@pytest.mark.starts_processes
def test_before_is_ordering_only():
    resources = """
    - exec: {name: ls}
    - exec: {name: 'false', meta: {before: [exec#ls]}}
    """
    events, _log = ran(loaded(resources, engine=GRAPH))
    assert list(events) == ["false", "ls"]
    assert (events["false"].failed, events["ls"].changed) == (True, True)


@pytest.mark.starts_processes
@pytest.mark.parametrize("parallel", ["1", "4"])
def test_a_diamond_with_one_failing_arm(parallel):
    resources = """
    - exec: {name: echo join, require: ["exec#false", "exec#echo arm"]}
    - exec: {name: "false", require: ["exec#echo top"]}
    - exec: {name: echo arm, require: ["exec#echo top"]}
    - exec: {name: echo top}
    """
    events, _log = ran(loaded(resources, parallel=parallel))
    assert (events["false"].failed, events["echo arm"].changed) == (True, True)
    assert (events["echo join"].skipped, events["echo join"].unmet_requirements) == (True, ["exec#false"])


@pytest.mark.starts_processes
def test_semaphores_limit_what_runs_at_once(tmp_path):
    body = f"sh -c 'mkdir {tmp_path}/lock && sleep 0.05 && rmdir {tmp_path}/lock'"
    resources = "\n".join(
        f'- exec: {{name: n{number}, command: "{body}", meta: {{sema: [one]}}}}' for number in range(5)
    )
    events, _log = ran(loaded(resources, parallel="5"))
    assert [event.failed for event in events.values()] == [False] * 5


@pytest.mark.starts_processes
def test_identical_resources_are_one():
    events, _log = ran(loaded("- exec: {name: ls}\n- exec: {name: ls}", engine=GRAPH))
    assert list(events) == ["ls"]


@pytest.mark.starts_processes
def test_a_child_keeps_the_order_of_its_list(tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: echo b}}, {exec: {name: echo a}}]}\n")
    resources = "- exec: {name: echo z, require: [apply#child.yaml]}\n- apply: {name: child.yaml}"
    events, log = ran(loaded(resources, tmp_path, parallel="4"))
    assert list(events) == ["echo b", "echo a", "child.yaml", "echo z"]
    assert [line.partition(" changed")[0] for line in log if "changed" in line][:2] == ["exec#echo b", "exec#echo a"]
