# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random schedules: every edge is kept, semaphores are never exceeded, and every run ends."""

from __future__ import annotations

import os
import random

import pytest
from ccm.engine.graph.graph import REQUIRE, Edge, Graph
from ccm.engine.graph.progress import Progress

from tests.seed import numbers

#: `make soak` does ten times as many.
SCHEDULES = int(os.environ.get("CCM_SCHEDULES", "1000"))


def scheduled(chosen):
    """Run a random graph with random semaphores and ends; return what was checked on the way."""
    size, slots = chosen.randint(1, 12), chosen.randint(1, 5)
    pairs = {(first, then) for first in range(size) for then in range(first + 1, size) if chosen.random() < 0.2}
    places = list(range(size))
    chosen.shuffle(places)
    graph = Graph(size, [Edge(REQUIRE, places[first], places[then], "") for first, then in sorted(pairs)])
    names = "abc"
    limits = {name: chosen.randint(1, 3) for name in names[:2]}
    semaphores = [sorted(chosen.sample(names, chosen.randint(0, 3))) for _place in range(size)]
    progress = Progress(graph, semaphores, limits)
    running, ended, most = [], [], dict.fromkeys(names, 0)
    while True:
        while len(running) < slots:
            place = progress.start_next()
            if place is None:
                for waiting in set(range(size)) - set(ended) - set(running):
                    taken = {name: sum(name in semaphores[other] for other in running) for name in semaphores[waiting]}
                    lacks = any(count >= limits.get(name, 1) for name, count in taken.items())
                    assert lacks or {edge.first for edge in graph.entering(waiting)} - set(ended)
                break
            assert {edge.first for edge in graph.entering(place)} <= set(ended)
            running.append(place)
        for name in names:
            most[name] = max(most[name], sum(name in semaphores[place] for place in running))
        if not running:
            break
        place = running.pop(chosen.randrange(len(running)))
        progress.finish(place)
        ended.append(place)
    assert sorted(ended) == list(range(size))
    assert all(most[name] <= limits.get(name, 1) for name in names)


@pytest.mark.soak
def test_random_schedules():
    for seed in numbers(SCHEDULES):
        scheduled(random.Random(seed))


@pytest.mark.parametrize(("limit", "started"), [(1, [0, 2]), (2, [0, 1])])
def test_waiting_for_a_semaphore_lets_others_start(limit, started):
    progress = Progress(Graph(3), [["a"], ["a"], []], {"a": limit})
    assert [progress.start_next(), progress.start_next()] == started


def test_the_first_in_the_list_starts_first():
    progress = Progress(Graph(3, [Edge(REQUIRE, 2, 0, "")]), [[], [], []], {})
    assert [progress.start_next(), progress.start_next(), progress.start_next()] == [1, 2, None]
    progress.finish(2)
    assert progress.start_next() == 0


def test_what_joined_has_no_semaphore_to_give_back():
    progress = Progress(Graph(3), [["a"], ["a"], ["a"]], {"a": 1})
    assert progress.start_next() == 0
    assert progress.join(0, lambda place: place == 1) == [1]
    progress.finish(1)
    assert progress.start_next() is None
    progress.finish(0)
    assert progress.start_next() == 2


@pytest.mark.parametrize(("kept", "started"), [(0, [0, 1]), (1, [0, None]), (2, [0, None]), (5, [0, None])])
def test_what_others_have_of_a_semaphore_is_not_free(kept, started):
    """Nothing waits for it alone: a resource that finds all of it taken fails when it is managed."""
    progress = Progress(Graph(2), [["a"], ["a"]], {"a": 2}, lambda _name: kept)
    assert [progress.start_next() for _place in range(2)] == started
    progress.finish(0)
    assert progress.start_next() == (None if started[1] else 1)
