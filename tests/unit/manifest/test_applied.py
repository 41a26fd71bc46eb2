# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Graph order over several manifests: references from an applied manifest to what applies it, and into it."""

from __future__ import annotations

import textwrap

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.model.errors import CCMError
from ccm.model.log import Log

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import GRAPH, loaded, ran, run_manifest


@pytest.fixture
def written(tmp_path):
    """Write manifests by their names; `graph` before the resources makes one in graph order."""

    def write(**manifests):
        for name, resources in manifests.items():
            body = textwrap.indent(textwrap.dedent(resources).strip("\n"), "    ")
            engine = f"  engine: {GRAPH}\n" if name.startswith("graph") else ""
            (tmp_path / f"{name}.yaml").write_text(f"ccm:\n{engine}  resources:\n{body}\n")
        return tmp_path

    return write


def order(directory, resources, engine=GRAPH):
    events, _log = ran(loaded(resources, directory, engine=engine))
    assert [name for name, event in events.items() if event.failed or event.skipped] == []
    return list(events)


@pytest.mark.starts_processes
@pytest.mark.parametrize("child", ["child", "graphchild"])
@pytest.mark.parametrize("property", ["require: [exec#top]", "subscribe: [exec#top]"])
def test_what_a_child_depends_on_comes_before_it(written, child, property):
    directory = written(**{child: f"- exec: {{name: inner, command: 'true', {property}}}"})
    resources = f"- apply: {{name: {child}.yaml}}\n- exec: {{name: top, command: 'true'}}"
    assert order(directory, resources) == ["top", "inner", f"{child}.yaml"]


@pytest.mark.starts_processes
@pytest.mark.parametrize("key", ["before", "notify"])
def test_what_depends_on_a_child_comes_after_it(written, key):
    directory = written(child=f"- exec: {{name: inner, command: 'true', meta: {{{key}: [exec#top]}}}}")
    resources = "- exec: {name: top, command: 'true', refreshonly: true}\n- apply: {name: child.yaml}"
    events, _log = ran(loaded(resources, directory, engine=GRAPH))
    assert list(events) == ["inner", "child.yaml", "top"]
    assert events["top"].refreshed is (key == "notify")


@pytest.mark.starts_processes
@pytest.mark.parametrize("child", ["child", "graphchild"])
@pytest.mark.parametrize("name", ["inner", "known"])
def test_a_resource_in_a_child_may_be_notified(written, child, name):
    inner = "{name: inner, command: 'true', refreshonly: true, alias: known}"
    directory = written(**{child: f"- exec: {inner}", "middle": f"- apply: {{name: {child}.yaml}}"})
    resources = f"- apply: {{name: middle.yaml}}\n- exec: {{name: top, meta: {{notify: [exec#{name}]}}, command: ls}}"
    events, _log = ran(loaded(resources, directory, engine=GRAPH))
    assert list(events) == ["top", "inner", f"{child}.yaml", "middle.yaml"]
    assert events["inner"].refreshed


@pytest.mark.starts_processes
def test_who_notifies_an_own_resource_notifies_none_of_that_name_in_a_child(written):
    directory = written(child="- exec: {name: same, command: 'true', alias: other, refreshonly: true}")
    resources = """
    - exec: {name: top, command: ls, meta: {notify: [exec#same]}}
    - apply: {name: child.yaml}
    - exec: {name: same, command: "true", refreshonly: true, require: [apply#child.yaml]}
    """
    recorder = Recorder()
    run_manifest(
        loaded(resources, directory, engine=GRAPH), Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder]
    )
    assert [event.refreshed for event in recorder.events if event.name == "same"] == [False, True]


@pytest.mark.starts_processes
def test_a_resource_in_a_child_may_be_required(written):
    directory = written(child="- exec: {name: inner, command: 'true', alias: known}")
    resources = "- exec: {name: top, command: 'true', require: [exec#known]}\n- apply: {name: child.yaml}"
    assert order(directory, resources) == ["inner", "child.yaml", "top"]


def test_a_reference_is_resolved_in_the_child_first(written):
    directory = written(
        graphchild="""
        - exec: {name: last, command: "true", require: [exec#same]}
        - exec: {name: same, command: "true"}
        """
    )
    resources = """
    - apply: {name: graphchild.yaml}
    - exec: {name: same, command: "true", require: [apply#graphchild.yaml]}
    """
    manifest = loaded(resources, directory, engine=GRAPH)
    assert [(edge.first, edge.then) for edge in manifest.schedule.graph.edges] == [(0, 1)]


@pytest.mark.starts_processes
def test_a_child_of_a_child_may_depend_on_the_first_manifest(written):
    directory = written(
        middle="- apply: {name: graphdeep.yaml}",
        graphdeep="- exec: {name: deep, command: 'true', require: [exec#top]}",
    )
    resources = "- apply: {name: middle.yaml}\n- exec: {name: top, command: 'true'}"
    assert order(directory, resources) == ["top", "deep", "graphdeep.yaml", "middle.yaml"]


def test_a_circle_through_three_manifests(written):
    directory = written(
        middle="- apply: {name: deep.yaml}",
        deep="- exec: {name: deep, command: 'true', require: [exec#top]}",
    )
    resources = "- apply: {name: middle.yaml}\n- exec: {name: top, command: 'true', require: [apply#middle.yaml]}"
    with pytest.raises(CCMError) as refused:
        loaded(resources, directory, engine=GRAPH)
    assert str(refused.value) == (
        "the resources depend on each other in a circle: exec#top requires apply#middle.yaml (m.yaml:4:7); "
        "exec#deep of deep.yaml requires exec#top (deep.yaml:3:7)"
    )


def test_a_circle_in_a_child(written):
    directory = written(
        graphchild="""
        - exec: {name: a, command: "true", require: [exec#b]}
        - exec: {name: b, command: "true", require: [exec#a]}
        """
    )
    with pytest.raises(CCMError, match="the resources depend on each other in a circle"):
        loaded("- apply: {name: graphchild.yaml}", directory, engine=GRAPH)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("exec#nothing", "there is no such resource in this manifest: exec#nothing"),
        ("apply#graphchild.yaml", "the resource refers to what applies it: apply#graphchild.yaml"),
    ],
)
def test_wrong_references_of_a_child_are_refused_before_anything_runs(written, reference, message):
    directory = written(graphchild=f"- exec: {{name: inner, command: 'true', require: ['{reference}']}}")
    with pytest.raises(CCMError) as refused:
        loaded("- apply: {name: graphchild.yaml}\n- exec: {name: top}", directory, engine=GRAPH)
    assert message in str(refused.value)
    assert refused.value.position.file == "graphchild.yaml"


@pytest.mark.parametrize(
    "resources",
    [
        "- exec: {name: 'cp graphchild.yaml later.yaml', cwd: DIR}\n- apply: {name: later.yaml}",
        "- file: {name: DIR/graphchild.yaml, ensure: present, owner: root, group: root, mode: '0644'}\n"
        "- apply: {name: DIR/graphchild.yaml}",
        "- apply: {name: graphchild.yaml, control: {if: 'false'}}",
    ],
)
def test_what_is_made_by_the_run_or_not_applied_is_left_to_it(written, resources):
    directory = written(graphchild="- exec: {name: inner, command: 'true', require: [exec#nothing]}")
    assert loaded(resources.replace("DIR", str(directory)), directory, engine=GRAPH).schedule.applied == {}


def test_a_manifest_that_applies_itself_is_left_to_the_run(written):
    directory = written(graphchild="- apply: {name: graphchild.yaml}")
    manifest = loaded("- apply: {name: graphchild.yaml}", directory, engine=GRAPH)
    assert manifest.schedule.applied[0].applied == {}


@pytest.mark.starts_processes
def test_a_child_in_graph_order_may_refer_to_a_manifest_in_list_order(written):
    directory = written(graphchild="- exec: {name: inner, command: 'true', require: [exec#top]}")
    resources = "- exec: {name: top, command: 'true'}\n- apply: {name: graphchild.yaml}"
    assert order(directory, resources, engine="") == ["top", "inner", "graphchild.yaml"]


def test_what_applies_a_resource_cannot_depend_on_it(written):
    directory = written(child="- exec: {name: inner}")
    with pytest.raises(CCMError, match="the resource applies what it refers to: exec#inner"):
        loaded("- apply: {name: child.yaml, require: [exec#inner]}", directory, engine=GRAPH)


@pytest.mark.starts_processes
@pytest.mark.parametrize("child", ["child", "graphchild"])
@pytest.mark.parametrize(("engine", "control"), [("", ""), (GRAPH, ", control: {if: 'true'}")])
@pytest.mark.parametrize("key", ["before", "notify"])
def test_no_order_is_promised_that_is_not_kept(written, child, engine, control, key):
    """Only a graph that knows the child keeps to what it says of resources outside."""
    directory = written(**{child: f"- exec: {{name: inner, meta: {{{key}: [exec#top]}}}}"})
    resources = f"- apply: {{name: {child}.yaml{control}}}\n- exec: {{name: top, command: ls}}"
    events, _log = ran(loaded(resources, directory, engine=engine))
    assert "there is no such resource in this manifest: exec#top" in events[f"{child}.yaml"].errors[0]


def test_a_name_that_no_file_can_have_is_left_to_the_run(tmp_path):
    events, _log = ran(loaded('- apply: {name: "a\\0b.yaml"}', tmp_path, engine=GRAPH))
    assert [event.failed for event in events.values()] == [True]


def test_manifests_that_apply_each_other_often_are_read_a_limited_number_of_times(written):
    names = [f"m{number}" for number in range(8)]
    every = "\n".join(f"- apply: {{name: {name}.yaml}}" for name in names)
    directory = written(**dict.fromkeys(names, every))
    manifest = loaded(every, directory, engine=GRAPH)
    assert sum(1 for each in manifest.schedule.applied.values() for _name in each.names()) < 5000
