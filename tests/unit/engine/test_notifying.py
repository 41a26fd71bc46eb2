# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources that others notify are refreshed, in both orders."""

from __future__ import annotations

import pytest
from ccm.engine.notifying import Notifying

from tests.unit.engine.lamp_type import lamp
from tests.unit.manifest.runs import GRAPH, loaded, ran

REFRESHED = "- exec: {name: sh -c 'exit 0', refreshonly: true}"


@pytest.mark.starts_processes
def test_several_that_notify_one_refresh_it_once(tmp_path):
    resources = f"""
    - exec: {{name: sh -c 'echo x >> {tmp_path}/ran', refreshonly: true}}
    - exec: {{name: echo 1, meta: {{notify: ["exec#sh -c 'echo x >> {tmp_path}/ran'"]}}}}
    - exec: {{name: echo 2, meta: {{notify: ["exec#sh -c 'echo x >> {tmp_path}/ran'"]}}}}
    """
    events, _log = ran(loaded(resources, parallel="3"))
    assert (tmp_path / "ran").read_text() == "x\n"
    assert [event.refreshed for event in events.values()] == [False, False, True]


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", ["", GRAPH])
@pytest.mark.parametrize(
    ("notifying", "refreshed"),
    [
        ("{name: ls, meta: {notify: [\"exec#sh -c 'exit 0'\"]}}", True),
        ("{name: ls, creates: /, meta: {notify: [\"exec#sh -c 'exit 0'\"]}}", False),
        ("{name: ls, meta: {noop: true, notify: [\"exec#sh -c 'exit 0'\"]}}", False),
        ("{name: ls, meta: {before: [\"exec#sh -c 'exit 0'\"]}}", False),
    ],
)
def test_notify_refreshes_what_comes_later_in_both_orders(engine, notifying, refreshed):
    events, _log = ran(loaded(f"- exec: {notifying}\n{REFRESHED}", engine=engine))
    assert events["sh -c 'exit 0'"].refreshed is refreshed


NOTIFYING = Notifying({"lamp#hall": ["exec#a"], "lamp#h": ["exec#b", "exec#c"], "lamp#attic": ["exec#a"]})


def test_a_resource_is_notified_by_name_and_by_alias():
    assert NOTIFYING.of(lamp("hall", alias="h")) == ["exec#a", "exec#b", "exec#c"]
    assert NOTIFYING.of(lamp("h")) == ["exec#b", "exec#c"]
    assert NOTIFYING.of(lamp("porch")) == []


def test_what_a_manifest_and_one_above_say_counts_together():
    assert NOTIFYING.joined(None) is NOTIFYING
    both = NOTIFYING.joined(Notifying({"lamp#hall": ["exec#x"], "lamp#porch": ["exec#y"]}))
    assert (both.of(lamp("hall")), both.of(lamp("porch"))) == (["exec#a", "exec#x"], ["exec#y"])
    assert NOTIFYING.of(lamp("hall")) == ["exec#a"]


def test_what_notifies_only_other_resources():
    outside = NOTIFYING.outside([lamp("hall", alias="h")])
    assert outside.references == {"lamp#attic": ["exec#a"]}
