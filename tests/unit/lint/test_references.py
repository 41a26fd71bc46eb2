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
        ("graph", "require: [exec#c]", "", "require points nowhere: no exec#c comes before"),
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


def test_in_graph_order_only_the_own_manifest_has_what_is_required(tmp_path):
    """As in a run: a resource of the manifest that applies this one is not found."""
    (tmp_path / "child.yaml").write_text(
        "ccm: {engine: {order: graph}, resources: [{exec: {name: b, require: [exec#a]}}]}\n", encoding="utf-8"
    )
    text = "ccm: {resources: [{exec: {name: a}}, {apply: {name: child.yaml}}]}\n"
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    found = [each.message for each in findings(text.encode(), "m.yaml", str(tmp_path)) if each.level == ERROR]
    assert found == ["require points nowhere: no exec#a comes before"]
