# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests in graph order, and what `meta` says in both orders: their runs, and what is refused before."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest
from ccm.data import factfiles
from ccm.data.facts import facts_of_machine
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.run import run_manifest
from ccm.model.log import Log
from ccm.resources.exec.type import ExecType

from tests.patience import wait_until
from tests.unit.engine.recorder import Recorder
from tests.unit.layout import PACKAGE
from tests.unit.manifest.runs import GRAPH, counting, loaded, ran, until


@pytest.mark.starts_processes
def test_a_resource_that_comes_later_may_be_required():
    events, _log = ran(loaded("- exec: {name: 'true', require: [exec#ls]}\n- exec: {name: ls}", engine=GRAPH))
    assert list(events) == ["ls", "true"]


@pytest.mark.starts_processes
def test_before_is_ordering_only():
    resources = """
    - exec: {name: ls}
    - exec: {name: 'false', meta: {before: [exec#ls]}}
    """
    events, _log = ran(loaded(resources, engine=GRAPH))
    assert list(events) == ["false", "ls"]
    assert (events["false"].failed, events["ls"].changed) == (True, True)


@pytest.mark.starts_processes
@pytest.mark.parametrize("parallel", ["1", "4"])
def test_a_diamond_with_one_failing_arm(parallel):
    resources = """
    - exec: {name: echo join, require: ["exec#false", "exec#echo arm"]}
    - exec: {name: "false", require: ["exec#echo top"]}
    - exec: {name: echo arm, require: ["exec#echo top"]}
    - exec: {name: echo top}
    """
    events, _log = ran(loaded(resources, parallel=parallel))
    assert (events["false"].failed, events["echo arm"].changed) == (True, True)
    assert (events["echo join"].skipped, events["echo join"].unmet_requirements) == (True, ["exec#false"])


@pytest.mark.starts_processes
@pytest.mark.parametrize("parallel", ["8", "1"])
def test_resources_that_do_not_depend_on_each_other_run_at_once(parallel, tmp_path):
    """Each of eight waits until all of them have begun, or fails when another one runs."""
    body = {
        "8": f"touch {tmp_path}/$0; {until(f'$(ls {tmp_path} | wc -l) = 8')}",
        "1": f"mkdir {tmp_path}/lock && sleep 0.02 && rmdir {tmp_path}/lock",
    }[parallel]
    resources = "\n".join(f"- exec: {{name: sh -c '{body}' {number}}}" for number in range(8))
    events, log = ran(loaded(resources, parallel=parallel))
    assert all(event.changed for event in events.values())
    assert len(log) == 9


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


REFRESHED = "- exec: {name: sh -c 'exit 0', refreshonly: true}"


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
def test_semaphores_limit_what_runs_at_once(tmp_path):
    body = f"sh -c 'mkdir {tmp_path}/lock && sleep 0.05 && rmdir {tmp_path}/lock'"
    resources = "\n".join(
        f'- exec: {{name: n{number}, command: "{body}", meta: {{sema: [one]}}}}' for number in range(5)
    )
    events, _log = ran(loaded(resources, parallel="5"))
    assert [event.failed for event in events.values()] == [False] * 5


@pytest.mark.starts_processes
def test_fail_on_error_lets_what_runs_finish_and_skips_the_rest(tmp_path):
    resources = f"""
    - exec: {{name: "false", command: "sh -c '{until(f"-e {tmp_path}/begun")}; false'"}}
    - exec: {{name: sleep, command: "sh -c 'touch {tmp_path}/begun; sleep 0.3'"}}
    - exec: {{name: ls}}
    """
    events, log = ran(loaded(resources, parallel="2", more="  fail_on_error: true\n"))
    found = {name: (event.failed, event.changed, event.skipped) for name, event in events.items()}
    assert found == {"false": (True, False, False), "sleep": (False, True, False), "ls": (False, False, True)}
    assert log.count("Terminating manifest execution due to failed resource") == 1


@pytest.mark.starts_processes
def test_identical_resources_are_one():
    events, _log = ran(loaded("- exec: {name: ls}\n- exec: {name: ls}", engine=GRAPH))
    assert list(events) == ["ls"]


@pytest.mark.starts_processes
def test_a_child_keeps_the_order_of_its_list(tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: echo b}}, {exec: {name: echo a}}]}\n")
    resources = "- exec: {name: echo z, require: [apply#child.yaml]}\n- apply: {name: child.yaml}"
    events, log = ran(loaded(resources, tmp_path, parallel="4"))
    assert list(events) == ["echo b", "echo a", "child.yaml", "echo z"]
    assert [line.partition(" changed")[0] for line in log if "changed" in line][:2] == ["exec#echo b", "exec#echo a"]


@pytest.mark.starts_processes
def test_what_runs_in_a_child_is_finished_after_a_failure(tmp_path):
    first = f"sh -c 'touch {tmp_path}/begun; sleep 0.3'"
    (tmp_path / "child.yaml").write_text(
        f'ccm: {{resources: [{{exec: {{name: first, command: "{first}"}}}}, {{exec: {{name: ls}}}}]}}\n'
    )
    resources = f"""
    - exec: {{name: fails, command: "sh -c '{until(f"-e {tmp_path}/begun")}; false'"}}
    - apply: {{name: child.yaml}}
    - exec: {{name: never}}
    """
    events, _log = ran(loaded(resources, tmp_path, parallel="2", more="  fail_on_error: true\n"))
    assert (events["ls"].changed, events["child.yaml"].failed, events["never"].skipped) == (True, False, True)


@pytest.mark.starts_processes
def test_only_one_package_is_managed_at_once_in_all_manifests(tmp_path, monkeypatch):
    monkeypatch.setattr(ExecType, "semaphores", ("exec",))
    body = f"sh -c 'mkdir {tmp_path}/lock && sleep 0.1 && rmdir {tmp_path}/lock'"
    for name in "ab":
        one = f'{{exec: {{name: {name}, command: "{body}"}}}}'
        (tmp_path / f"{name}.yaml").write_text(f"ccm: {{resources: [{one}]}}\n")
    resources = f'- apply: {{name: a.yaml}}\n- apply: {{name: b.yaml}}\n- exec: {{name: c, command: "{body}"}}'
    events, _log = ran(loaded(resources, tmp_path, parallel="3"))
    assert [name for name, event in events.items() if event.failed] == []
    assert len(events) == 5


def test_differences_are_those_before_the_change(tmp_path):
    class Differences(Recorder):
        shows_differences = True
        found = ()

        def decided(self, found):
            self.found = found.differences

    (tmp_path / "f").write_text("before\n")
    me = f"owner: {os.getuid()}, group: {os.getgid()}, mode: '0644'"
    manifest = loaded(f'- file: {{name: {tmp_path}/f, ensure: present, content: "after\\n", {me}}}', parallel="1")
    recorder = Differences()
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    [found] = [each for each in recorder.found if each["before"] == "before\n"]
    assert found["after"] == "after\n"


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", ["", GRAPH])
def test_sinks_receive_the_decision_of_the_first_try(engine, tmp_path):
    decided = []
    recorder = Recorder(on_decision=lambda resource, *_: decided.append(resource.properties.name))
    manifest = loaded(f'- exec: {{name: it, command: "{counting(tmp_path, 3)}", meta: {{retry: 5}}}}', engine=engine)
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    assert (decided, len(recorder.events)) == (["it"], 1)


@pytest.mark.starts_processes
def test_an_error_of_a_sink_ends_what_runs(tmp_path):
    machine = Machine()

    class Full(Recorder):
        def finished(self, event):
            wait_until(lambda: len(machine.threads._running) == 2)
            raise BrokenPipeError

    def sleeping(name):
        return f"sh -c 'touch {tmp_path}/{name}.begun; sleep 1000; touch {tmp_path}/{name}'"

    resources = f"""
    - exec: {{name: ls, command: "sh -c '{until(f"-e {tmp_path}/one.begun -a -e {tmp_path}/two.begun")}'"}}
    - exec: {{name: one, command: "{sleeping("one")}"}}
    - apply: {{name: child.yaml}}
    """
    second = f"{{exec: {{name: touch {tmp_path}/three}}}}"
    (tmp_path / "child.yaml").write_text(
        f'ccm: {{resources: [{{exec: {{name: two, command: "{sleeping("two")}"}}}}, {second}]}}\n'
    )
    before = threading.active_count()
    with pytest.raises(BrokenPipeError):
        run_manifest(
            loaded(resources, tmp_path, parallel="3"), Session(), machine, log=Log(), user_log=Log(), sinks=[Full()]
        )
    wait_until(lambda: threading.active_count() <= before)
    assert sorted(os.listdir(tmp_path)) == ["child.yaml", "one.begun", "two.begun"]


def test_facts_are_gathered_once_for_all_threads(monkeypatch):
    gathered, asking = [], []

    def gather(*_arguments, **_options):
        gathered.append(wait_until(lambda: len(asking) == 4))
        return {}

    def ask():
        asking.append(True)
        facts()

    monkeypatch.setattr(factfiles, "gather", gather)
    facts = facts_of_machine(Log())
    threads = [threading.Thread(target=ask) for _count in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gathered) == 1


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
