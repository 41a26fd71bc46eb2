# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""References between resources: what they lead to, what is refused, and circles."""

from __future__ import annotations

import pytest
from ccm.engine.graph.graph import BEFORE, NOTIFY, REQUIRE, SENT, SUBSCRIBE
from ccm.engine.graph.references import References, WrongReference, distinct
from ccm.model.errors import CCMError

from tests.unit.manifest.runs import GRAPH, loaded, refused


def test_a_circle_is_shown_with_its_reasons_and_places():
    resources = """
    - exec: {name: a, require: [exec#b]}
    - exec: {name: b, meta: {notify: [exec#a]}, subscribe: [exec#c]}
    - exec: {name: c, meta: {before: [exec#d]}, require: [exec#a]}
    - exec: {name: d}
    """
    with pytest.raises(CCMError) as refused:
        loaded(resources, engine=GRAPH)
    assert str(refused.value) == (
        "the resources depend on each other in a circle: exec#c requires exec#a (m.yaml:5:7); exec#b subscribes to "
        "exec#c (m.yaml:4:7); exec#a requires exec#b (m.yaml:3:7)"
    )
    assert (str(refused.value.position), refused.value.advice) == ("m.yaml:3:7", "remove one of these references")


REFUSED = [
    (
        "- exec: {name: a, require: [file#/nowhere]}",
        GRAPH,
        "there is no such resource in this manifest: file#/nowhere",
        "declare it, or remove",
    ),
    (
        "- exec: {name: ab, require: [exec#ac]}\n- exec: {name: acd}",
        GRAPH,
        "no such resource in this manifest: exec#ac",
        "did you mean",
    ),
    ("- exec: {name: a, subscribe: [exec#a]}", GRAPH, "the resource refers to itself: exec#a", "remove the"),
    ("- exec: {name: a, meta: {before: [exec#a]}}", "", "the resource refers to itself: exec#a", "remove the"),
    (
        "- exec: {name: a, meta: {notify: [exec#b]}}",
        "",
        "there is no such resource in this manifest: exec#b",
        "declare it, or remove",
    ),
    (
        "- exec: {name: a}\n- exec: {name: b, meta: {before: [exec#a]}}",
        "",
        "this resource comes earlier in the list: exec#a",
        "move one of the two, or set engine: {order: graph}",
    ),
    (
        "- exec: {name: a}\n- exec: {name: a, creates: /}",
        GRAPH,
        "is declared twice, with different properties",
        "the other one is at m.yaml:3:7: in graph order each resource is managed once",
    ),
]


@pytest.mark.parametrize(("resources", "engine", "message", "advice"), REFUSED)
def test_what_is_refused_before_anything_runs(resources, engine, message, advice):
    error = refused(resources, engine)
    assert message in error.message
    assert error.advice.startswith(advice)


def resources(text):
    return loaded(text).resources


BOTH = "- exec: {name: a, alias: first}\n- exec: {name: b, "


@pytest.mark.parametrize(
    ("text", "kind", "edge", "reason"),
    [
        (BOTH + "require: [exec#a]}", REQUIRE, (0, 1), "exec#b requires exec#a"),
        (BOTH + "require: [exec#first]}", REQUIRE, (0, 1), "exec#b requires exec#a"),
        (BOTH + "subscribe: [exec#a]}", SUBSCRIBE, (0, 1), "exec#b subscribes to exec#a"),
        (BOTH + "command: \"{{ sent('exec#a').x }}\"}", SENT, (0, 1), "exec#b uses what is sent by exec#a"),
    ],
)
def test_each_reference_is_an_edge_with_its_reason(text, kind, edge, reason):
    (found,) = References(resources(text)).graph().edges
    assert (found.kind, (found.first, found.then), found.reason) == (kind, edge, reason)
    assert found.positions == ("m.yaml:4:7",)


@pytest.mark.parametrize(("key", "kind"), [("before", BEFORE), ("notify", NOTIFY)])
def test_what_meta_says_of_a_later_resource(key, kind):
    listed = resources(f"- exec: {{name: a, meta: {{{key}: [exec#b]}}}}\n- exec: {{name: b}}")
    found = References(listed)
    assert [(edge.kind, edge.first, edge.then) for edge in found.graph().edges] == [(kind, 0, 1)]
    assert found.notifying() == ({"exec#b": ["exec#a"]} if kind == NOTIFY else {})


def test_a_reference_may_be_to_a_manifest_above_but_not_to_one_without_a_graph():
    own, above = resources("- exec: {name: a, require: [exec#top]}"), resources("- exec: {name: top}")
    for is_known in (True, False):
        assert list(References(own, [(above, is_known)]).graph().edges) == []
    with pytest.raises(WrongReference, match="there is no such resource"):
        References(own).graph()
    References(resources("- exec: {name: a}"), [(above, False)]).check_outputs(["exec#top", "exec#a"], None)


def test_a_reference_may_be_to_a_resource_of_a_child():
    listed = resources("- exec: {name: a, require: [exec#inner]}\n- apply: {name: c.yaml}")
    (edge,) = References(listed, applied={1: ["exec#inner"]}).graph().edges
    assert (edge.first, edge.then, edge.reason) == (1, 0, "exec#a requires apply#c.yaml")


def test_outputs_name_resources_of_the_manifest():
    with pytest.raises(WrongReference) as refused:
        References(resources("- exec: {name: mint}")).check_outputs(["exec#mnt", "exec#mint"], None)
    assert refused.value.message == "there is no such resource in this manifest: exec#mnt"
    assert (refused.value.property, refused.value.advice) == ("engine.outputs", "did you mean exec#mint?")


def test_equal_declarations_are_one_resource():
    listed = resources("- exec: {name: a}\n- exec: {name: b}\n- exec: {name: a}")
    assert distinct(listed) == listed[:2]


def test_secrets_of_a_wrong_reference_are_hidden():
    error = refused("- exec: {name: a, meta: {before: ['exec#x --password=canary']}}")
    assert error.message.endswith("in this manifest: exec#x --password=REDACTED")
    assert "canary" not in f"{error.value} {error.advice}"
