# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources that several threads manage at once, and the end of the threads."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading

import pytest
from ccm.engine import workers
from ccm.engine.graph.order import GraphOrder
from ccm.engine.session import Session
from ccm.host import thread_pool
from ccm.host.machine import Machine
from ccm.host.running_commands import RunningCommands
from ccm.model.event import Event
from ccm.model.log import Log
from ccm.resources.exec.type import ExecType
from ccm.resources.file.type import FileType

from tests.patience import PATIENCE, wait_until
from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import loaded, ran, run_manifest, until

ME = f"owner: {os.getuid()}, group: {os.getgid()}, mode: '0644'"


def threads_started(monkeypatch):
    """Return the list that has an entry for each thread that a pool starts from now on."""
    started, start = [], thread_pool.start_thread
    monkeypatch.setattr(thread_pool, "start_thread", lambda work: started.append(start(work)))
    return started


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
    manifest = loaded(f'- file: {{name: {tmp_path}/f, ensure: present, content: "after\\n", {ME}}}', parallel="1")
    recorder = Differences()
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    [found] = [each for each in recorder.found if each["before"] == "before\n"]
    assert found["after"] == "after\n"


@pytest.mark.starts_processes
def test_an_error_of_a_sink_ends_what_runs(tmp_path):
    machine = Machine()

    class Full(Recorder):
        def finished(self, event):
            wait_until(lambda: len(machine.commands._running) == 2)
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


@pytest.mark.starts_processes
@pytest.mark.parametrize("parallel", ["4", None])
def test_no_thread_is_started_for_a_command(parallel, monkeypatch):
    """Neither in the order of the list, nor by the threads that manage resources."""

    def start(*_arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", start)
    resources = "\n".join(f"- exec: {{name: e{number}, command: 'true'}}" for number in range(200))
    events, _log = ran(loaded(resources, parallel=parallel))
    assert [event.errors for event in events.values()] == [()] * 200


@pytest.mark.parametrize("is_full", [False, True])
def test_threads_that_wait_for_the_interpreter_do_not_look_again_and_again(tmp_path, is_full, monkeypatch):
    """Also within another run with threads, and until the last of them ends, even by an error."""
    # Other tests may have imported it; with types of other packages threads look as often as Python lets them.
    monkeypatch.delitem(sys.modules, "ccm.host.call_threads", raising=False)
    before, found = sys.getswitchinterval(), []

    class Looking(Recorder):
        def finished(self, event):
            found.append((event.name, sys.getswitchinterval() / before))
            if is_full:
                raise BrokenPipeError

    two = "{exec: {name: c, creates: /}}, {exec: {name: d, creates: /}}"
    (tmp_path / "child.yaml").write_text(f"ccm: {{engine: {{order: graph, parallel: 2}}, resources: [{two}]}}\n")
    resources = "- apply: {name: child.yaml}\n- exec: {name: last, creates: /, require: ['apply#child.yaml']}"
    with contextlib.suppress(BrokenPipeError):
        run_manifest(
            loaded(resources, tmp_path, parallel="2"),
            Session(),
            Machine(),
            log=Log(),
            user_log=Log(),
            sinks=[Looking()],
        )
    assert found
    assert all(ratio >= 10 for _name, ratio in found), found
    assert sys.getswitchinterval() == before


@pytest.fixture
def one_thread(monkeypatch):
    """One thread does all that is given, as no resource ever takes long."""
    monkeypatch.setattr(thread_pool, "_MOMENT", PATIENCE)


@pytest.mark.usefixtures("one_thread")
def test_what_was_given_does_not_begin_after_a_failure(tmp_path):
    (tmp_path / "source").touch()
    resources = "\n".join(
        f"- file: {{name: {tmp_path}/{name}, ensure: present, source: {tmp_path}/source, {ME}}}"
        for name in ("none/a", "b", "c")
    )
    events, log = ran(loaded(resources, parallel="3", more="  fail_on_error: true\n"))
    assert [(event.failed, event.skipped) for event in events.values()] == [(True, False), (False, True), (False, True)]
    assert log.count("Terminating manifest execution due to failed resource") == 1
    assert os.listdir(tmp_path) == ["source"]


def test_a_failure_is_known_to_all_threads_though_another_resource_succeeds_at_the_same_time(tmp_path, monkeypatch):
    """The event of the first resource is looked at while the second one fails; then the third one is taken."""
    managed, is_noted, is_past = GraphOrder.managed, threading.Event(), threading.Event()

    class Looked(Event):
        @property
        def failed(self):
            is_noted.wait(PATIENCE)
            return False

    def in_turn(order, resources, context):
        for event in managed(order, resources, context):
            if event.name == "first":
                event.__class__ = Looked
            yield event
            if event.name == "first":
                is_past.set()
            elif event.failed:
                is_noted.set()
                is_past.wait(PATIENCE)

    monkeypatch.setattr(GraphOrder, "managed", in_turn)
    monkeypatch.setattr(FileType, "waits_for_nothing", lambda _type, _properties: False)
    monkeypatch.setattr(workers, "Pool", lambda work, _most: thread_pool.Pool(work, 2))
    me = f"owner: {os.getuid()}, group: {os.getgid()}, mode: '0644'"
    resources = f"""
    - exec: {{name: first, creates: /}}
    - file: {{name: {tmp_path}/none/a, ensure: present, content: x, {me}}}
    - file: {{name: {tmp_path}/b, ensure: present, content: x, {me}}}
    """
    events, _log = ran(loaded(resources, parallel="3", more="  fail_on_error: true\n"))
    assert [event.skipped for event in events.values()] == [False, False, True]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("one_thread")
def test_what_was_given_does_not_begin_after_an_interruption(monkeypatch):
    machine, recorder, decide = Machine(), Recorder(), ExecType.decide
    machine.commands = RunningCommands()

    def interrupted(*arguments):
        machine.commands.is_interrupted = True
        return decide(*arguments)

    monkeypatch.setattr(ExecType, "decide", interrupted)
    manifest = loaded("- exec: {name: a, creates: /}\n- exec: {name: b, creates: /}", parallel="2")
    run_manifest(manifest, Session(), machine, log=Log(), user_log=Log(), sinks=[recorder])
    assert [event.name for event in recorder.events] == ["a"]


@pytest.mark.usefixtures("one_thread")
def test_one_thread_manages_what_never_takes_long(monkeypatch):
    """Several would only wait for each other."""
    started = threads_started(monkeypatch)
    resources = "\n".join(f"- exec: {{name: e{number}, creates: /}}" for number in range(50))
    events, _log = ran(loaded(resources, parallel="8"))
    assert len(events) == 50
    assert len(started) == 1


def files(directory, count, more=""):
    return "\n".join(
        f"- file: {{name: {directory}/f{number}, ensure: present, {ME}, content: 'x'{more}}}" for number in range(count)
    )


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("resource", "threads"),
    [
        ("file: {name: DIRECTORY/a, ensure: present, content: a, ME}", 0),
        ("file: {name: DIRECTORY/a, ensure: directory, ME}", 0),
        ("file: {name: DIRECTORY/a, ensure: absent}", 0),
        ("file: {name: DIRECTORY/a, ensure: absent, force: true}", 1),
        ("file: {name: DIRECTORY/a, ensure: present, ME}", 1),
        ("file: {name: DIRECTORY/a, ensure: present, source: /dev/null, ME}", 1),
        ("file: {name: DIRECTORY/a, ensure: present, content: '${upper(`a`)}', ME}", 1),
        ("file: {name: DIRECTORY/a, ensure: present, content: a, ME, meta: {retry: 1}}", 1),
        ("file: {name: DIRECTORY/a, ensure: present, content: a, ME, control: {if: 'true'}}", 1),
        pytest.param(
            "file: {name: DIRECTORY/a, ensure: present, content: a, ME, health_checks: [{command: /bin/true}]}",
            1,
            marks=pytest.mark.starts_processes,
        ),
        ("exec: {name: a, creates: /}", 1),
    ],
)
def test_what_waits_for_nothing_needs_no_thread(resource, threads, tmp_path, monkeypatch):
    started = threads_started(monkeypatch)
    resource = resource.replace("DIRECTORY", str(tmp_path)).replace("ME", ME)
    events, _log = ran(loaded(f"{files(tmp_path, 20)}\n- {resource}", parallel="8"))
    assert len(events) == 21
    assert len(started) == threads


def test_what_should_not_wait_but_does_goes_to_threads(tmp_path, monkeypatch):
    """As on a slow file system: each third one in succession."""
    monkeypatch.setattr(thread_pool, "_MOMENT", 0)
    started = threads_started(monkeypatch)
    events, log = ran(loaded(files(tmp_path, 50), parallel="4"))
    assert sorted(os.listdir(tmp_path)) == sorted(f"f{number}" for number in range(50))
    assert [event.errors for event in events.values()] == [()] * 50
    assert len(log) == 51
    assert started


def test_more_threads_start_while_who_gives_does_something_itself():
    """Each of two waits until both have begun."""
    both = threading.Barrier(2, timeout=PATIENCE)
    pool = thread_pool.Pool(lambda: [pool.add(both.wait()) for _given in pool.given()], 2)
    pool.give(1)
    pool.give(2)
    wait_until(lambda: pool.note_left(0) or len(pool.done) == 2)
    assert sorted((pool.take(), pool.take())) == [0, 1]
    pool.end()


@pytest.mark.starts_processes
@pytest.mark.usefixtures("one_thread")
def test_what_was_given_does_not_begin_after_a_failure_in_the_thread_of_the_run(tmp_path):
    class Going(Recorder):
        def finished(self, event):
            super().finished(event)
            if event.failed:
                (tmp_path / "go").touch()
            elif event.type == "file":
                wait_until((tmp_path / "begun").exists)

    resources = f"""
    - exec: {{name: first, command: "sh -c 'touch {tmp_path}/begun; {until(f"-e {tmp_path}/go")}'"}}
    - exec: {{name: second, command: touch {tmp_path}/second}}
    - file: {{name: {tmp_path}/a, ensure: present, content: x, {ME}}}
    - file: {{name: {tmp_path}/none/a, ensure: present, content: x, {ME}}}
    """
    manifest, recorder = loaded(resources, parallel="4", more="  fail_on_error: true\n"), Going()
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
    found = [(event.changed, event.failed, event.skipped) for event in recorder.events]
    assert found[1:] == [(False, True, False), (True, False, False), (False, False, True)]
    assert sorted(os.listdir(tmp_path)) == ["a", "begun", "go"]
