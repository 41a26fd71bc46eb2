# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""References to other resources in the order of the list, and in graph order."""

from __future__ import annotations

import pytest
from ccm.lint.check import findings
from ccm.lint.finding import ERROR

MANIFEST = """
ccm:
  engine: {{order: {order}}}
  resources:
    - exec:
        - a: {{{first}}}
        - b: {{{second}}}
"""


def errors(order, first, second=""):
    text = MANIFEST.format(order=order, first=first, second=second)
    return [found.message for found in findings(text.encode(), "m.yaml", "/") if found.level == ERROR]


@pytest.mark.parametrize(
    ("order", "first", "second", "message"),
    [
        ("serial", "require: [exec#b]", "", "require points forward: exec#b comes later"),
        ("graph", "require: [exec#b]", "", ""),
        ("graph", "require: [exec#a]", "", "require names the resource itself: exec#a"),
        ("graph", "require: [exec#x]", "alias: x", ""),
        ("serial", "require: [exec#x]", "alias: x", "require points forward: exec#x comes later"),
        ("serial", "meta: {notify: [exec#x]}", "alias: x", ""),
        ("graph", "alias: x, require: [exec#x]", "", "require names the resource itself: exec#x"),
        ("graph", "require: [exec#c]", "", "require points nowhere: no exec#c in this manifest"),
        ("serial", "meta: {before: [exec#b]}", "", ""),
        ("serial", "", "meta: {before: [exec#a]}", "meta.before points back: exec#a comes earlier"),
        ("graph", "", "meta: {notify: [exec#a]}", ""),
        ("serial", "meta: {notify: [exec#a]}", "", "meta.notify names the resource itself: exec#a"),
        ("graph", "meta: {notify: [exec#c]}", "", "meta.notify points nowhere: no exec#c in this manifest"),
        ("graph", "meta: {before: exec#b}", "", "meta.before must be a list, not text ('exec#b')"),
    ],
)
def test_references(order, first, second, message):
    assert errors(order, first, second) == ([message] if message else [])


@pytest.mark.parametrize(("named", "found"), [("file#/a", True), ("exec#b", False), ("apply#c.yaml", False)])
def test_what_is_notified_and_cannot_be_refreshed_is_a_warning(named, found):
    text = f"""ccm: {{resources: [{{exec: {{name: a, meta: {{notify: ["{named}"]}}}}}}, {{exec: {{name: b}}}},
        {{file: {{name: /a, ensure: absent}}}}, {{apply: {{name: c.yaml}}}}]}}"""
    messages = [each.message for each in findings(text.encode(), "m.yaml", "/")]
    assert (f"meta.notify names a resource that cannot be refreshed: {named}" in messages) == found


@pytest.mark.parametrize(
    ("child", "reference", "message"),
    [
        ("graph", "exec#top", ""),
        ("graph", "exec#nothing", "require points nowhere: no exec#nothing in this manifest"),
        ("serial", "exec#top", ""),
        ("serial", "exec#nothing", "require points nowhere: no exec#nothing comes before"),
    ],
)
def test_a_child_may_refer_to_what_applies_it_in_graph_order(tmp_path, child, reference, message):
    (tmp_path / "child.yaml").write_text(
        f"ccm: {{engine: {{order: {child}}}, resources: [{{exec: {{name: inner, require: ['{reference}']}}}}]}}\n"
    )
    text = "ccm: {engine: {order: graph}, resources: [{apply: {name: child.yaml}}, {exec: {name: top}}]}\n"
    found = findings(text.encode(), "m.yaml", str(tmp_path))
    assert [each.message for each in found if each.level == ERROR] == ([message] if message else [])


def test_a_child_in_list_order_may_notify_what_applies_it_in_graph_order(tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: inner, meta: {notify: ['exec#top']}}}]}\n")
    text = "ccm: {engine: {order: graph}, resources: [{exec: {name: top}}, {apply: {name: child.yaml}}]}\n"
    assert [each for each in findings(text.encode(), "m.yaml", str(tmp_path)) if each.level == ERROR] == []


def test_a_resource_of_a_child_may_be_required_in_graph_order(tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: inner}}]}\n")
    required = "{exec: {name: top, require: ['exec#inner'], meta: {before: ['exec#inner']}}}"
    text = f"ccm: {{engine: {{order: graph}}, resources: [{required}, {{apply: {{name: child.yaml}}}}]}}\n"
    assert [each for each in findings(text.encode(), "m.yaml", str(tmp_path)) if each.level == ERROR] == []


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        (
            "[{exec: {name: a, require: [exec#b]}}, {exec: {name: b, meta: {before: [exec#a]}}}]",
            "",
        ),
        (
            "[{exec: {name: a, require: [exec#b]}}, {exec: {name: b, subscribe: [exec#a]}}]",
            "the resources depend on each other in a circle: exec#b requires",
        ),
        (
            "[{exec: {name: a, meta: {sema: ['x:2']}}}, {exec: {name: b, meta: {sema: [x]}}}]",
            "the semaphore x has two counts, 2 and 1",
        ),
        ("[{exec: {name: a}}, {exec: {name: a, creates: /}}]", "is declared twice, with different properties"),
        ("[{exec: {name: a}}, {exec: {name: a}}]", ""),
    ],
)
def test_what_graph_order_refuses_is_an_error(resources, message):
    text = f"ccm: {{engine: {{order: graph}}, resources: {resources}}}\n"
    found = [each.message for each in findings(text.encode(), "m.yaml", "/") if each.rule != "portability"]
    assert [message.partition(": exec#b requires")[0] in each for each in found] == ([True] if message else [])


def test_a_file_that_an_expression_reads_before_it_is_made_is_a_warning(tmp_path):
    reading = "{exec: {name: it, command: \"echo {{ file('made') }}\"}}"
    made = f"{{file: {{name: {tmp_path}/made, ensure: present, owner: a, group: a, mode: '0644'}}}}"
    text = f"ccm: {{resources: [{reading}, {made}]}}\n"
    found = [each.message for each in findings(text.encode(), "m.yaml", str(tmp_path)) if each.rule == "order"]
    assert [each.partition(",")[0] for each in found] == [f"exec#it comes before file#{tmp_path}/made"]


@pytest.mark.parametrize("engine", ["serial", "graph"])
def test_a_child_whose_name_has_a_nul_is_an_error(engine):
    text = f"ccm: {{engine: {{order: {engine}}}, resources: [{{apply: {{name: 'a\\0b'}}}}]}}\n".replace("'", '"')
    found = [each.message for each in findings(text.encode(), "m.yaml", "/") if each.level == ERROR]
    assert found == ["the child manifest cannot be read: its name has a NUL"]
