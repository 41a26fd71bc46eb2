# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs as text; `dot` reads what is written for it where Graphviz is installed."""

from __future__ import annotations

import itertools
import re
import subprocess

import pytest
from ccm.engine.graph.drawing import NONE, as_data, critical_path, dot_lines, lost_orders, mermaid_lines, tree_lines
from ccm.engine.graph.graph import NOTIFY, REQUIRE, SUBSCRIBE, Edge, Graph
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import mermaid_folder
from tests.unit.work import assert_linear

NAMES = ["file#/a", 'exec#echo "b\\n" | cat', "service#c", "file#/d"]


def graph():
    edges = [(NOTIFY, 0, 1), (REQUIRE, 0, 2), (SUBSCRIBE, 1, 2), (REQUIRE, 1, 2)]
    return Graph(4, [Edge(kind, first, then, f"{first} and {then}", ("m.yaml:1:2",)) for kind, first, then in edges])


def test_a_tree_shows_what_is_below_a_resource_once():
    names = [*"abcde"]
    edges = [(0, 1), (0, 2), (1, 3), (2, 1), (2, 2 + 2)]
    drawn = Graph(5, [Edge(REQUIRE, first, then, "") for first, then in edges])
    assert list(tree_lines(drawn, names)) == [
        "a",
        "  b (require)",
        "    d (require)",
        "  c (require)",
        "    b (require, see above)",
        "    e (require)",
    ]
    assert list(tree_lines(graph(), NAMES)) == [
        "file#/a",
        '  exec#echo "b\\n" | cat (notify)',
        "    service#c (subscribe, require)",
        "  service#c (require)",
        "file#/d",
    ]


def chain(size):
    return Graph(size, (Edge(REQUIRE, at, at + 1, "") for at in range(size - 1))), [f"r{at}" for at in range(size)]


def test_a_long_chain_goes_on_at_the_left_margin():
    drawn, names = chain(70)
    lines = list(tree_lines(drawn, names))
    assert lines[30:36] == [
        f"{'  ' * 30}r30 (require)",
        f"{'  ' * 31}r31 (require)",
        f"{'  ' * 32}r32 (require, see below)",
        "r32 (continued)",
        "  r33 (require)",
        "    r34 (require)",
    ]
    drawn.add(Edge(NOTIFY, 0, 32, ""))
    assert list(tree_lines(drawn, names))[33:36] == ["  r32 (notify, see below)", "r32 (continued)", "  r33 (require)"]


def applied_by_all(size):
    """Return a graph in which all come before one that applies a manifest with as many."""
    edges = (Edge(REQUIRE, at, size, "") for at in range(size))
    return Graph(2 * size + 1, edges), [NONE] * (size + 1) + [size] * size


FORMS = {
    "text": tree_lines,
    "dot": dot_lines,
    "mermaid": mermaid_lines,
    "json": lambda graph, names, parents=(): [str(as_data(graph, names, names, (), parents))],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_work_and_size_grow_with_the_number_of_resources(form):
    def text(size):
        shape, parents = applied_by_all(size)
        return "\n".join([*form(*chain(size)), *form(shape, [f"r{at}" for at in range(len(shape))], parents)])

    assert_linear(lambda size: lambda: text(size), 200)
    assert len(text(800)) < 5 * len(text(200))


def test_dot():
    lines = list(dot_lines(graph(), NAMES))
    assert lines[2] == '  n1 [label="exec#echo \\"b\\\\n\\" | cat"];'
    assert lines[5] == '  n0 -> n1 [label="notify", tooltip="0 and 1 m.yaml:1:2"];'
    assert (lines[0], lines[-1], len(lines)) == ("digraph manifest {", "}", 10)


#: The second resource applies a manifest with the third one, and that one another with the fourth one.
APPLIED = [-1, -1, 1, 2]


@pytest.mark.starts_processes
@pytest.mark.needs("dot")
@pytest.mark.parametrize("parents", [(), APPLIED])
def test_graphviz_reads_it(parents):
    text = "\n".join(dot_lines(graph(), NAMES, parents))
    done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
    assert done.stdout.count('class="edge"') == 4


def test_mermaid():
    lines = list(mermaid_lines(graph(), NAMES))
    assert lines[:3] == ["flowchart TD", '  n0["file#35;/a"]', '  n1["exec#35;echo #34;b#92;n#34; #124; cat"]']
    assert lines[5:] == [
        "  n0 -->|notify| n1",
        "  n0 -->|require| n2",
        "  n1 -->|subscribe| n2",
        "  n1 -->|require| n2",
    ]
    assert all(re.fullmatch(r'flowchart TD|  n\d(\["[^"\[\]{}|<>]*"\]| -->\|[a-z]+\| n\d)', line) for line in lines)


PARSE = """
import { JSDOM } from "FOLDER/jsdom/lib/api.js";
globalThis.window = new JSDOM("").window;
globalThis.document = window.document;
const { default: mermaid } = await import("FOLDER/mermaid/dist/mermaid.core.mjs");
console.log((await mermaid.parse(process.argv[2])).diagramType);
"""


@pytest.mark.starts_processes
@pytest.mark.needs("mermaid")
@pytest.mark.parametrize("parents", [(), APPLIED])
def test_mermaid_parses_it(tmp_path, parents):
    (tmp_path / "parse.mjs").write_text(PARSE.replace("FOLDER", mermaid_folder()))
    text = "\n".join(mermaid_lines(graph(), NAMES, parents))
    done = subprocess.run(["node", tmp_path / "parse.mjs", text], capture_output=True, text=True, check=True)
    assert done.stdout == "flowchart-v2\n"


def test_data():
    data = as_data(graph(), NAMES, ["m.yaml:3:7", "", "", ""])
    assert data["nodes"][0] == {"id": "file#/a", "place": "m.yaml:3:7"}
    assert data["edges"][0] == {
        "kind": "notify",
        "from": "file#/a",
        "to": NAMES[1],
        "reason": "0 and 1",
        "places": ["m.yaml:1:2"],
    }


@st.composite
def forward_graphs(draw):
    """Graphs whose edges may go back in the list, without circles."""
    size = draw(st.integers(1, 8))
    places = draw(st.permutations(range(size)))
    pairs = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=12))
    return Graph(size, [Edge(REQUIRE, places[a], places[b], "") for a, b in pairs if a < b])


@given(forward_graphs())
def test_orders_that_are_lost(made):
    expected = {
        first: [then for then in range(first + 1, len(made)) if then not in made.after([first])]
        for first in range(len(made))
    }
    assert dict(lost_orders(made)) == {first: later for first, later in expected.items() if later}


@given(forward_graphs(), st.lists(st.integers(0, 9), min_size=8, max_size=8))
def test_no_path_takes_longer_than_the_critical_one(made, durations):
    def paths(place):
        yield [place]
        for edge in made.leaving(place):
            yield from ([place, *rest] for rest in paths(edge.then))

    path = critical_path(made, durations)
    every = itertools.chain.from_iterable(paths(place) for place in range(len(made)))
    assert path in list(itertools.chain.from_iterable(paths(place) for place in range(len(made))))
    assert sum(durations[place] for place in path) == max(sum(durations[each] for each in found) for found in every)


def test_no_resources_have_no_path():
    assert critical_path(Graph(0), []) == []
