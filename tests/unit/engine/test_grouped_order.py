# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of a list: one resource after the other, or those that can share a command, and nothing of a graph."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ccm.engine.grouped_order import GroupedOrder
from ccm.engine.notifying import Notifying
from ccm.engine.run import ListOrder

from tests.unit.engine.lamp_type import lamp
from tests.unit.layout import PACKAGE

from .test_grouping import box


@pytest.mark.starts_processes
def test_a_manifest_in_the_order_of_its_list_imports_nothing_of_the_graph(tmp_path):
    (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: {name: ls, creates: /}}]}\n")
    (tmp_path / "ccm").symlink_to(PACKAGE)
    program = "import sys; from ccm.cli.main import main; main(['apply', 'm.yaml']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded_modules = done.stdout.split()
    assert "ccm.manifest.run" in loaded_modules
    new = ("graph", "recording", "interruptions", "ordering", "treatment", "threads")
    assert [
        name for name in loaded_modules if name.startswith("ccm.") and name.rpartition(".")[2].startswith(new)
    ] == []
    assert "threading" not in loaded_modules


def started(order):
    """Return the indexes that start, until the list ends."""
    found = []
    while True:
        indexes = list(order.start())
        if not indexes:
            assert list(order.start()) == []
            return found
        order.finish(indexes)
        found.append(indexes)


def test_each_resource_starts_alone_in_the_order_of_the_list():
    assert started(ListOrder(3)) == [[0], [1], [2]]
    assert started(ListOrder(0)) == started(GroupedOrder([])) == []


@pytest.mark.parametrize(
    ("resources", "found"),
    [
        ([box("a"), box("b"), box("c")], [[0, 1, 2]]),
        ([box("a"), lamp("hall"), box("b"), box("c")], [[0], [1], [2, 3]]),
        ([lamp("hall"), lamp("attic")], [[0], [1]]),
        ([box("a"), box("b", "absent"), box("c")], [[0], [1], [2]]),
        ([box("a"), box("b", "1.0")], [[0], [1]]),
    ],
)
def test_adjacent_resources_that_are_alike_start_together(resources, found):
    assert started(GroupedOrder(resources)) == found


def test_a_resource_that_is_notified_by_one_of_the_group_starts_alone():
    resources = [box("a"), box("b")]
    assert started(GroupedOrder(resources, Notifying({"box#b": ["box#a"]}))) == [[0], [1]]
    assert started(GroupedOrder(resources, Notifying({"box#c": ["box#a"]}))) == [[0, 1]]
