# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of a manifest: its settings, and edges of several kinds between the same resources."""

from __future__ import annotations

import os

import pytest
from ccm.model.errors import CCMError

from tests.unit.engine.graph.test_automatic import directory, edges, file
from tests.unit.manifest.runs import GRAPH, loaded, refused


def test_the_setting_turns_them_off():
    assert edges(f"{directory('/a')}\n{file('/a/b')}", "{order: graph, autoedges: false}") == ([], [])


@pytest.mark.parametrize("order", [1, -1])
def test_what_receives_values_comes_after_what_sends_them(order):
    receiving = file("/a").replace("content: ''", "content: \"{{ sent('exec#mint').stdout }}\"")
    resources = [receiving, "- exec: {name: mint}"][::order]
    found, _dropped = edges("\n".join(resources))
    sender, receiver = resources.index("- exec: {name: mint}"), resources.index(receiving)
    assert found == [("sent", sender, receiver, "file#/a uses what is sent by exec#mint")]


def test_what_the_manifest_says_is_said_once():
    resources = f"{directory('/a')}\n{file('/a/b', require='[file#/a]')}"
    assert [kind for kind, *_rest in edges(resources)[0]] == ["require"]


def test_parallel_of_the_caller_wins():
    assert loaded("- exec: {name: a}", parallel="auto").schedule.parallel == os.cpu_count()
    assert loaded("- exec: {name: a}", parallel="3", engine="{order: graph, parallel: 2}").schedule.parallel == 3
    assert loaded("- exec: {name: a}", engine="{order: graph, parallel: 2}").schedule.parallel == 2
    assert loaded("- exec: {name: a}", engine="{order: serial}").notifying is None
    with pytest.raises(CCMError, match="parallel must be a whole number from 1, or auto"):
        loaded("- exec: {name: a}", parallel="0")


REFUSED = [
    (
        "- exec: {name: a, meta: {sema: [x]}}\n- exec: {name: b, meta: {sema: ['x:2']}}",
        GRAPH,
        "the semaphore x has two counts, 1 and 2",
        "give it the same count wherever it is named; without one it is 1",
    ),
    (
        "- exec: {name: a, meta: {sema: [x, 'x:2']}}",
        GRAPH,
        "the semaphore x has two counts, 1 and 2",
        "give it the same",
    ),
]


@pytest.mark.parametrize(("resources", "engine", "message", "advice"), REFUSED)
def test_semaphores_that_contradict_each_other_are_refused(resources, engine, message, advice):
    error = refused(resources, engine)
    assert message in error.message
    assert error.advice.startswith(advice)
