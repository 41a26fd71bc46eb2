# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""References between resources: what they lead to, what is refused, and circles."""

from __future__ import annotations

import pytest
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
