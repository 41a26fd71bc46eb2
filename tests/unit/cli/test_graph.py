# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm graph`: a manifest's graph in every form, and its errors."""

from __future__ import annotations

import json

import pytest

MANIFEST = """
ccm:
  resources:
    - exec:
        - first: {command: sleep 0.5, require: [exec#second]}
        - second: {command: sleep 0.2, meta: {notify: [exec#third]}}
        - third: {command: echo, refreshonly: true}
        - fourth: {command: echo}
"""


@pytest.fixture
def manifest(tmp_path):
    (tmp_path / "m.yaml").write_text(MANIFEST)
    return "m.yaml"


def test_a_tree(ccm, manifest):
    ran = ccm("graph", manifest)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "exec#second\n  exec#first (require)\n  exec#third (notify)\nexec#fourth\n"


CHILD = """
ccm:
  engine: {order: graph}
  resources:
    - exec: {name: inner, command: echo, require: [exec#top]}
    - exec: {name: after, command: echo, require: [exec#inner]}
"""


@pytest.fixture
def applying(tmp_path):
    (tmp_path / "child.yaml").write_text(CHILD)
    last = "{name: last, command: echo, require: [apply#child.yaml]}"
    resources = "{apply: {name: child.yaml}}, {exec: {name: top, command: echo}}, {exec: " + last + "}"
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{resources}]}}")
    return "m.yaml"


def test_the_resources_of_applied_manifests_are_below_what_applies_them(ccm, applying):
    assert ccm("graph", applying).out.splitlines() == [
        "exec#top",
        "  apply#child.yaml (require)",
        "    exec#inner (applied)",
        "      exec#after (require)",
        "    exec#last (require)",
    ]
    data = json.loads(ccm("graph", applying, "--format", "json").out)
    assert [(node["id"], node.get("parent")) for node in data["nodes"]][2:] == [
        ("exec#last", None),
        ("exec#inner", "apply#child.yaml"),
        ("exec#after", "apply#child.yaml"),
    ]
    assert data["edges"][1]["reason"] == "exec#inner of child.yaml requires exec#top"
    dot = ccm("graph", applying, "--format", "dot").out
    assert "  subgraph cluster_0 {\n    n0 [" in dot
    assert '    n4 [label="exec#after"];\n  }\n' in dot
    mermaid = ccm("graph", applying, "--format", "mermaid").out
    assert '  subgraph s0["apply#35;child.yaml"]\n    n0[' in mermaid
    assert '    n4["exec#35;after"]\n  end\n' in mermaid


@pytest.mark.parametrize("flags", [(), ("--grouped",), ("--implicit",), ("--critical-path",)])
def test_names_do_not_reach_the_terminal_raw(ccm, tmp_path, flags):
    (tmp_path / "m.yaml").write_text('ccm: {resources: [{exec: {name: "a\\nb\\e[31m"}}, {exec: {name: c}}]}')
    out = ccm("graph", "m.yaml", *flags).out
    assert "exec#a\\nb\\x1b[31m" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--implicit", "--grouped"], "--implicit and --grouped exclude each other"),
        (["--critical-path", "--format", "json"], "--critical-path and --format exclude each other"),
        (["--critical-path", "--session", "none"], "there is no session in none"),
    ],
)
def test_flags_that_cannot_be_followed_are_refused(ccm, manifest, flags, message):
    ran = ccm("graph", manifest, *flags)
    assert (ran.status, ran.out, message in ran.err) == (1, "", True)


def test_only_some_kinds(ccm, manifest):
    out = ccm("graph", manifest, "--edges", "notify, before").out
    assert out == "exec#first\nexec#second\n  exec#third (notify)\nexec#fourth\n"
    ran = ccm("graph", manifest, "--edges", "needs")
    assert (ran.status, ran.out) == (1, "")
    assert "there is no kind of edges needs" in ran.err
    assert "kinds: require, subscribe, before, notify, sent, auto" in ran.err


SENDING = """
ccm:
  resources:
    - exec: {name: mint, command: echo}
    - exec: {name: use, command: "echo {{ sent('exec#mint').stdout }}", require: [exec#mint]}
    - exec: {name: log, command: "echo {{ sent('exec#mint').stdout }}"}
"""


@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        ((), ["exec#mint", "  exec#use (require, sent)", "  exec#log (sent)"]),
        (("--edges", "sent"), ["exec#mint", "  exec#use (sent)", "  exec#log (sent)"]),
        (("--edges", "require"), ["exec#mint", "  exec#use (require)", "exec#log"]),
    ],
)
def test_values_that_are_sent_have_edges_of_their_own_kind(ccm, tmp_path, flags, lines):
    (tmp_path / "m.yaml").write_text(SENDING)
    assert ccm("graph", "m.yaml", *flags).out.splitlines() == lines
    edges = json.loads(ccm("graph", "m.yaml", "--format", "json", *flags).out)["edges"]
    assert sum(edge["kind"] == "sent" for edge in edges) == str(lines).count("sent")


def test_the_graph_of_a_long_chain_is_small(ccm, tmp_path):
    steps = [f"- exec: {{name: step {at}, command: echo, require: ['exec#step {at - 1}']}}" for at in range(1, 10_000)]
    first = "- exec: {name: step 0, command: echo}"
    (tmp_path / "m.yaml").write_text("\n".join(["ccm:", " resources:", *(f"  {each}" for each in [first, *steps])]))
    ran = ccm("graph", "m.yaml")
    assert (ran.status, len(ran.out) < 2_000_000) == (0, True), len(ran.out)
    assert ran.out.count("exec#step 9999 (require)") == 1


def test_json(ccm, manifest):
    data = json.loads(ccm("graph", manifest, "--format", "json").out)
    assert [node["id"] for node in data["nodes"]] == ["exec#first", "exec#second", "exec#third", "exec#fourth"]
    assert data["nodes"][0]["place"] == "m.yaml:5:11"
    assert data["edges"][0] == {
        "kind": "require",
        "from": "exec#second",
        "to": "exec#first",
        "reason": "exec#first requires exec#second",
        "places": ["m.yaml:5:11"],
    }


def test_what_is_one_transaction_is_one_line(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(
        """
ccm:
  resources:
    - exec: {name: ls, meta: {before: ["package#c"]}}
    - package:
        - a: {ensure: present}
        - b: {ensure: absent}
        - c: {ensure: present}
        - d: {ensure: present}
"""
    )
    out = ccm("graph", "m.yaml", "--grouped").out
    assert out == "exec#ls\npackage#a, package#c, package#d\npackage#b\n"
    alone = ccm("graph", "m.yaml", "--grouped", "--no-autogroup").out
    assert alone == "exec#ls\npackage#a\npackage#b\npackage#c\npackage#d\n"


@pytest.mark.parametrize(("format", "first"), [("dot", "digraph manifest {"), ("mermaid", "flowchart TD")])
def test_other_languages(ccm, manifest, format, first):
    assert ccm("graph", manifest, "--format", format).out.splitlines()[0] == first


def test_pairs_whose_order_is_lost(ccm, manifest):
    assert ccm("graph", manifest, "--implicit").out == (
        "exec#first: exec#second, exec#third, exec#fourth\nexec#second: exec#fourth\nexec#third: exec#fourth\n"
    )


@pytest.mark.starts_processes
def test_the_critical_path_of_a_session(ccm, manifest, tmp_path):
    assert ccm("graph", manifest, "--critical-path").out == "exec#second\nexec#first\n"
    (tmp_path / "session").mkdir()
    assert ccm("apply", manifest, "--parallel", "2", "--session", str(tmp_path / "session")).status == 0
    lines = ccm("graph", manifest, "--critical-path", "--session", str(tmp_path / "session")).out.splitlines()
    assert [line.split()[0] for line in lines] == ["exec#second", "exec#first", "in"]
    assert lines[2] != "in all 0s"
    (tmp_path / "empty").mkdir()
    assert ccm("graph", manifest, "--critical-path", "--session", str(tmp_path / "empty")).out.endswith("in all 0s\n")


def test_what_graph_order_refuses_is_refused(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(MANIFEST.replace("exec#second", "exec#fifth"))
    ran = ccm("graph", "m.yaml")
    assert (ran.status, ran.out) == (1, "")
    assert "there is no such resource in this manifest: exec#fifth" in ran.err
