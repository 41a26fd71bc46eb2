# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of a graph, and its circles, for random graphs."""

from __future__ import annotations

import pytest
from ccm.engine.graph.graph import AUTO, REQUIRE, CycleFound, Edge, Graph
from hypothesis import given
from hypothesis import strategies as st


def graph(size, *pairs):
    return Graph(size, [Edge(REQUIRE, first, then, f"{then} requires {first}") for first, then in pairs])


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 12))
    place = st.integers(0, size - 1)
    return graph(size, *draw(st.lists(st.tuples(place, place), max_size=20)))


@given(graphs())
def test_each_edge_is_kept_or_a_circle_is_found(made):
    try:
        order = made.order()
    except CycleFound as found:
        edges = found.edges
        assert [edge.then for edge in edges] == [edge.first for edge in edges[1:] + edges[:1]]
        assert len({edge.first for edge in edges}) == len(edges)
        assert set(edges) <= set(made.edges)
        assert edges[0].first == min(edge.first for edge in edges)
    else:
        assert sorted(order) == list(range(len(made)))
        assert [edge for edge in made.edges if order.index(edge.first) >= order.index(edge.then)] == []


@given(graphs())
def test_the_list_decides_between_resources_that_are_ready(made):
    try:
        order = made.order()
    except CycleFound:
        return
    for at, place in enumerate(order):
        done = set(order[:at])
        ready = [other for other in order[at:] if {edge.first for edge in made.entering(other)} <= done]
        assert place == min(ready)


@given(graphs())
def test_reaching_is_the_existence_of_a_path(made):
    for first in range(len(made)):
        reached, waiting = set(), [first]
        while waiting:
            new = {edge.then for edge in made.leaving(waiting.pop())} - reached
            reached |= new
            waiting += new
        assert made.after([first]) == reached


@pytest.mark.parametrize(
    ("pairs", "order"),
    [
        ((), [0, 1, 2, 3]),
        (((3, 0),), [1, 2, 3, 0]),
        (((3, 0), (0, 1)), [2, 3, 0, 1]),
        (((1, 0), (1, 0)), [1, 0, 2, 3]),
    ],
)
def test_orders(pairs, order):
    assert graph(4, *pairs).order() == order


def test_a_resource_that_depends_on_itself():
    with pytest.raises(CycleFound, match="in a circle") as caught:
        graph(2, (0, 1), (1, 1)).order()
    assert [(edge.first, edge.then) for edge in caught.value.edges] == [(1, 1)]


def test_edges_have_their_reasons():
    made = graph(2, (0, 1))
    made.add(Edge(AUTO, 0, 1, "b is below a", ("m.yaml:1:2", "m.yaml:3:4")))
    assert [edge.reason for edge in made.entering(1)] == ["1 requires 0", "b is below a"]
    assert (made.edges[1].kind, made.edges[1].positions) == (AUTO, ("m.yaml:1:2", "m.yaml:3:4"))


@pytest.mark.parametrize("shape", ["chain", "star", "reversed star"])
def test_large_graphs(shape):
    """Ordering 10,000 resources uses no recursion; tests/bench/growth.py compares the times."""
    size = 10_000
    pairs = {
        "chain": [(at + 1, at) for at in range(size - 1)],
        "star": [(0, at) for at in range(1, size)],
        "reversed star": [(at, 0) for at in range(1, size)],
    }[shape]
    order = graph(size, *pairs).order()
    assert (order[0], order[-1]) == {"chain": (size - 1, 0), "star": (0, size - 1), "reversed star": (1, 0)}[shape]
