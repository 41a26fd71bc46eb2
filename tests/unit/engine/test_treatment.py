# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time limits and tries that `meta` gives to resources, in both orders."""

from __future__ import annotations

import os
import time

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.model.log import Log

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import GRAPH, counting, loaded, ran, run_manifest

pytestmark = pytest.mark.starts_processes

BOTH = pytest.mark.parametrize("engine", ["", GRAPH])


@BOTH
def test_a_command_is_ended_when_the_time_of_its_resource_is_over(engine):
    events, _log = ran(loaded("- exec: {name: sleep 1000, meta: {timeout: 200ms}}", engine=engine))
    assert events["sleep 1000"].errors == ["was not done within its timeout of 200ms"]


@BOTH
@pytest.mark.parametrize(
    ("own", "outer", "message"),
    [
        ("100ms", "1h", "context deadline exceeded: killed after 100ms"),
        ("1h", "100ms", "was not done within its timeout of 100ms"),
    ],
)
def test_the_shorter_one_of_two_timeouts_ends_a_command(engine, own, outer, message):
    resources = f"- exec: {{name: sleep 1000, timeout: {own}, meta: {{timeout: {outer}}}}}"
    events, _log = ran(loaded(resources, engine=engine))
    assert message in events["sleep 1000"].errors[0]


@BOTH
def test_each_try_has_the_time(engine, tmp_path):
    body = f"sh -c 'echo x >> {tmp_path}/tries; test $(wc -l < {tmp_path}/tries) -ge 2 || sleep 1000'"
    resources = f'- exec: {{name: it, command: "{body}", meta: {{timeout: 300ms, retry: 9}}}}'
    events, log = ran(loaded(resources, engine=engine))
    # A try that the machine is too busy for is followed by another one.
    assert not events["it"].failed
    assert log.count("Trying again") >= 1


@BOTH
@pytest.mark.parametrize("child", ["", "engine: {order: graph, parallel: 2}, "])
def test_the_time_of_a_manifest_is_that_of_all_that_it_applies(engine, child, tmp_path):
    """What runs in it then says that it is the time of another one."""
    command = f"sh -c 'touch {tmp_path}/begun; sleep 1000'"
    (tmp_path / "child.yaml").write_text(
        f'ccm: {{{child}resources: [{{exec: {{name: slow, command: "{command}"}}}}]}}\n'
    )
    # On a busy machine the time may be over before the command begins.
    for timeout in ("300ms", "3s", "30s"):
        resources = f"- apply: {{name: child.yaml, meta: {{timeout: {timeout}}}}}"
        events, _log = ran(loaded(resources, tmp_path, engine=engine))
        if (tmp_path / "begun").exists():
            break
    assert events["slow"].errors == ["ended when the time of meta.timeout was over"]
    assert events["child.yaml"].failed


def test_no_command_starts_after_the_time(tmp_path):
    machine = Machine()
    manifest = loaded(f"- exec: {{name: sleep 1, meta: {{timeout: 100ms}}}}\n- exec: {{name: touch {tmp_path}/b}}")
    run_manifest(manifest, Session(), machine, log=Log(), user_log=Log())
    assert machine.deadline is None
    assert (tmp_path / "b").exists()


@pytest.mark.parametrize(("reset", "tries"), [(False, [2, 1]), (True, [2, 2])])
def test_a_resource_that_is_managed_again_has_the_tries_that_are_left(reset, tries, tmp_path):
    """The first time it needs its one try; the second time it fails whenever it is tried."""
    one = f"{{retry: 1, retry_reset: {str(reset).lower()}}}"
    first, second = counting(tmp_path, 2), f"sh -c 'echo x >> {tmp_path}/second; exit 1'"
    resources = f'- exec: {{name: it, command: "{first}", meta: {one}}}\n'
    resources += f'- exec: {{name: it, command: "{second}", meta: {one}}}'
    recorder, manifest = Recorder(), loaded(resources)
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    assert [event.failed for event in recorder.events] == [False, True]
    assert [(tmp_path / name).read_text().count("x") for name in ("tries", "second")] == tries


def test_a_manifest_that_is_run_again_has_all_its_tries(tmp_path):
    manifest = loaded("- exec: {name: 'false', meta: {retry: 1}}")
    assert [ran(manifest)[1].count("Trying again") for _run in range(2)] == [1, 1]


@BOTH
def test_a_refresh_that_failed_is_tried_again_as_one(engine, tmp_path):
    """What was notified is refreshed by the try that succeeds, not only by the failed try."""
    command = counting(tmp_path, 2)
    resources = f"""
    - exec: {{name: ls, meta: {{notify: [exec#it]}}}}
    - exec: {{name: it, command: "{command}", refreshonly: true, meta: {{retry: 1}}}}
    """
    events, _log = ran(loaded(resources, engine=engine))
    assert (events["it"].failed, events["it"].refreshed) == (False, True)
    assert (tmp_path / "tries").read_text().count("x") == 2


@pytest.mark.parametrize("first", ["meta: {noop: true}", "path: /nowhere"])
def test_a_refresh_is_kept_until_the_receiver_was_refreshed(first, tmp_path):
    """In noop, and when it fails, a refresh is not used up: the next one that may be refreshed is."""
    resources = f"""
    - exec: {{name: ls}}
    - exec: {{name: it, command: "touch {tmp_path}/done", refreshonly: true, subscribe: [exec#ls], {first}}}
    - exec: {{name: it, command: "touch {tmp_path}/done", refreshonly: true, subscribe: [exec#ls]}}
    """
    recorder = Recorder()
    run_manifest(loaded(resources), Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    kept, done = recorder.events[1:]
    assert (kept.noop or kept.failed, done.refreshed, done.failed) == (True, True, False)
    assert (tmp_path / "done").exists()


@BOTH
@pytest.mark.parametrize("meta", ["{retry: -1}", "{retry: -1, delay: 1h}", "{retry: 3, delay: 200ms}"])
def test_no_try_begins_after_the_time_of_what_applies_the_manifest(engine, meta, tmp_path):
    (tmp_path / "child.yaml").write_text(f"ccm: {{resources: [{{exec: {{name: 'false', meta: {meta}}}}}]}}\n")
    events, _log = ran(loaded("- apply: {name: child.yaml, meta: {timeout: 300ms}}", tmp_path, engine=engine))
    assert (events["false"].failed, events["child.yaml"].failed) == (True, True)


@BOTH
def test_a_longer_timeout_of_a_resource_does_not_outlast_what_applies_its_manifest(engine, tmp_path):
    child = "ccm: {resources: [{exec: {name: sleep 30, meta: {timeout: 1h}}}]}\n"
    (tmp_path / "child.yaml").write_text(child)
    events, _log = ran(loaded("- apply: {name: child.yaml, meta: {timeout: 300ms}}", tmp_path, engine=engine))
    assert events["sleep 30"].errors == ["ended when the time of meta.timeout was over"]


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", ["", GRAPH])
def test_noop_of_one_resource(engine, tmp_path):
    resources = f"- exec: {{name: touch {tmp_path}/a, meta: {{noop: true}}}}\n- exec: {{name: touch {tmp_path}/b}}"
    events, _log = ran(loaded(resources, engine=engine))
    assert [(event.noop, event.changed) for event in events.values()] == [(True, True), (False, True)]
    assert os.listdir(tmp_path) == ["b"]


def test_noop_of_an_applied_manifest(tmp_path):
    (tmp_path / "child.yaml").write_text(f"ccm: {{resources: [{{exec: {{name: touch {tmp_path}/a}}}}]}}\n")
    events, _log = ran(loaded("- apply: {name: child.yaml, meta: {noop: true}}", tmp_path))
    assert events[f"touch {tmp_path}/a"].noop
    assert os.listdir(tmp_path) == ["child.yaml"]


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", ["", GRAPH])
@pytest.mark.parametrize(
    ("meta", "needed", "failed", "tries"),
    [
        ("{retry: 3, delay: 50ms}", 3, False, 3),
        ("{retry: 1}", 3, True, 2),
        ("{retry: 0}", 3, True, 1),
        ("{retry: -1}", 6, False, 6),
    ],
)
def test_retries(engine, meta, needed, failed, tries, tmp_path):
    resources = f'- exec: {{name: it, command: "{counting(tmp_path, needed)}", meta: {meta}}}'
    start = time.monotonic()
    events, log = ran(loaded(resources, engine=engine))
    assert (events["it"].failed, (tmp_path / "tries").read_text().count("x")) == (failed, tries)
    assert log.count("Trying again") == tries - 1
    if "delay" in meta:
        assert time.monotonic() - start >= 0.1


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", ["", GRAPH])
def test_sinks_receive_the_decision_of_the_first_try(engine, tmp_path):
    decided = []
    recorder = Recorder(on_decision=lambda resource, *_: decided.append(resource.properties.name))
    manifest = loaded(f'- exec: {{name: it, command: "{counting(tmp_path, 3)}", meta: {{retry: 5}}}}', engine=engine)
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    assert (decided, len(recorder.events)) == (["it"], 1)
