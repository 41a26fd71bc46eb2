# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests in graph order, and what `meta` says in both orders: their runs, and what is refused before."""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from ccm.data import factfiles
from ccm.data.facts import facts_of_machine
from ccm.engine.session import Session
from ccm.host.command_errors import CommandKilled
from ccm.host.machine import Machine
from ccm.host.threads import Threads
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.manifest.run import run_manifest
from ccm.model.errors import CCMError
from ccm.model.log import Log
from ccm.resources.exec.type import ExecType
from ccm.testing import RecordedLog

from tests.patience import PATIENCE, wait_until
from tests.seed import chance
from tests.unit.engine.recorder import Recorder
from tests.unit.kills import KILLS
from tests.unit.layout import PACKAGE
from tests.unit.processes import is_asleep


def loaded(resources, directory="/", *, engine="", parallel=None, more=""):
    """Return the manifest of `resources`, lines of YAML; the first of them is line 3."""
    text = "ccm:\n  resources:\n" + textwrap.indent(textwrap.dedent(resources).strip("\n"), "    ") + "\n"
    text += f"  engine: {engine}\n" if engine else ""
    text += more
    return read_manifest(text.encode(), "m.yaml", str(directory), Inputs(facts={}, environ={}, parallel=parallel))


def ran(manifest, **modes):
    """Return the events of a run by name, in their order, and its log."""
    recorder, log = Recorder(), RecordedLog()
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=log, sinks=[recorder], **modes)
    events = {event.name: event for event in recorder.events}
    assert len(events) == len(recorder.events)
    return events, [message for _level, message, _fields in log.lines]


GRAPH = "{order: graph}"


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


def until(condition):
    """Return a part of a shell command that waits until a test is true."""
    return f"until test {condition}; do sleep 0.01; done"


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
def test_the_lines_of_two_resources_are_not_mixed():
    resources = "\n".join(
        f"- exec: {{name: sh -c 'echo {number}; sleep 0.05; echo {number}', logoutput: true}}" for number in range(6)
    )
    _events, log = ran(loaded(resources, parallel="6"))
    said = [line for line in log if line in "012345"]
    assert sorted(said) == sorted("001122334455")
    assert said[::2] == said[1::2]


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


def counting(tmp_path, needed):
    """A command that fails until it has run `needed` times."""
    return f"sh -c 'echo x >> {tmp_path}/tries; test $(wc -l < {tmp_path}/tries) -ge {needed}'"


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


REFUSED = [
    (
        "- exec: {name: a, require: [file#/nowhere]}",
        GRAPH,
        "there is no such resource in this manifest: file#/nowhere",
        "declare it, or remove",
    ),
    (
        "- exec: {name: ab, require: [exec#ac]}\n- exec: {name: acd}",
        GRAPH,
        "no such resource in this manifest: exec#ac",
        "did you mean",
    ),
    ("- exec: {name: a, subscribe: [exec#a]}", GRAPH, "the resource refers to itself: exec#a", "remove the"),
    ("- exec: {name: a, meta: {before: [exec#a]}}", "", "the resource refers to itself: exec#a", "remove the"),
    (
        "- exec: {name: a, meta: {notify: [exec#b]}}",
        "",
        "there is no such resource in this manifest: exec#b",
        "declare it, or remove",
    ),
    (
        "- exec: {name: a}\n- exec: {name: b, meta: {before: [exec#a]}}",
        "",
        "this resource comes earlier in the list: exec#a",
        "move one of the two, or set engine: {order: graph}",
    ),
    (
        "- exec: {name: a}\n- exec: {name: a, creates: /}",
        GRAPH,
        "is declared twice, with different properties",
        "the other one is at m.yaml:3:7: in graph order each resource is managed once",
    ),
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
    ("- exec: {name: a, meta: {sema: ['3']}}", "", 'sema "3" is not a semaphore', "write a name, or NAME:COUNT"),
    *(
        (
            f"- exec: {{name: a, meta: {{sema: ['{text}']}}}}",
            "",
            f'sema "{text}" is not a semaphore',
            "write a name, or",
        )
        for text in ("x:0", "x:-1", "x:1.5", "x:", "x: 2", "x:1e2", "x:+2", "x:.5", "x:2.E-1", ":2", "a:b:-1")
    ),
    *(
        (
            f"- exec: {{name: a, {given}}}",
            "",
            f"{name} must be an integer, not a number (1.5)",
            "write a number without",
        )
        for given, name in (
            ("meta: {retry: 1.5}", "meta.retry"),
            ("meta: {limit: 1/s, burst: 1.5}", "meta.burst"),
        )
    ),
    (
        f"- exec: {{name: a, meta: {{sema: ['x:{'9' * 5000}']}}}}",
        "",
        "is not a semaphore",
        "write a name, or NAME:COUNT",
    ),
    ("- exec: {name: a}", f"{{order: graph, parallel: {'9' * 5000}}}", "must be a whole number from 1", ""),
    ("- exec: {name: a, meta: {retry: -2}}", "", "retry must be a number of tries from 0, or -1 for ever", ""),
    ("- exec: {name: a, meta: {delay: soon}}", "", 'delay "soon": invalid duration', "write a duration like 500ms or"),
    ("- exec: {name: a, meta: {delay: -1s}}", "", 'delay "-1s": negative', "write a duration like 500ms or 10s"),
    ("- service: {name: a, meta: {undo: b}}", "", 'unknown property "undo" in meta', "known: before, notify, "),
    (
        "- archive: {name: /a, meta: {reverse: true}}",
        "",
        'unknown property "reverse" in meta',
        "known: before, notify, ",
    ),
    ("- exec: {name: a, meta: {reverse: true}}", "", "reverse needs a command", "write the command in meta.undo"),
    ("- exec: {name: a}", "{order: list}", "invalid ccm.engine: order must be one of serial, graph", ""),
    ("- exec: {name: a}", "{parallel: 2}", "invalid ccm.engine: parallel needs order: graph", "add order: graph, or"),
    (
        "- exec: {name: a}",
        "{order: graph, parallel: 0}",
        'invalid ccm.engine: parallel must be a whole number from 1, or auto, not "0"',
        "",
    ),
    ("- exec: {name: a}", "{order: graph, parallel: many}", 'from 1, or auto, not "many"', ""),
]


@pytest.mark.parametrize(("resources", "engine", "message", "advice"), REFUSED)
def test_what_is_refused_before_anything_runs(resources, engine, message, advice):
    with pytest.raises(CCMError) as refused:
        loaded(resources, engine=engine)
    assert message in str(refused.value)
    assert refused.value.advice.startswith(advice)
    assert refused.value.position


def test_a_circle_is_shown_with_its_reasons_and_places():
    resources = """
    - exec: {name: a, require: [exec#b]}
    - exec: {name: b, meta: {notify: [exec#a]}, subscribe: [exec#c]}
    - exec: {name: c, meta: {before: [exec#d]}, require: [exec#a]}
    - exec: {name: d}
    """
    with pytest.raises(CCMError) as refused:
        loaded(resources, engine=GRAPH)
    assert str(refused.value) == (
        "the resources depend on each other in a circle: exec#c requires exec#a (m.yaml:5:7); exec#b subscribes to "
        "exec#c (m.yaml:4:7); exec#a requires exec#b (m.yaml:3:7)"
    )
    assert (str(refused.value.position), refused.value.advice) == ("m.yaml:3:7", "remove one of these references")


def test_parallel_of_the_caller_wins():
    assert loaded("- exec: {name: a}", parallel="auto").order.schedule.parallel == os.cpu_count()
    assert loaded("- exec: {name: a}", parallel="3", engine="{order: graph, parallel: 2}").order.schedule.parallel == 3
    assert loaded("- exec: {name: a}", engine="{order: graph, parallel: 2}").order.schedule.parallel == 2
    assert loaded("- exec: {name: a}", engine="{order: serial}").order is None
    with pytest.raises(CCMError, match="parallel must be a whole number from 1, or auto"):
        loaded("- exec: {name: a}", parallel="0")


def interrupted(tmp_path, resources, signals, *options, begun, before=None, said=True):
    """Interrupt `ccm apply` so often, the first time when it has `begun`; its exit status and output.

    `before` is called in its process first. What is `said` at one interruption is waited for before the next one.
    Commands that wait for the file `go` end then.
    """
    listed, _newline, more = resources.strip().partition("\npost_message")
    text = "ccm:\n  engine: {order: graph, parallel: 2}\n  resources:\n" + textwrap.indent(listed, "    ")
    (tmp_path / "m.yaml").write_text(f"{text}\n  post_message{more}\n" if more else f"{text}\n")
    if not (tmp_path / "ccm").exists():
        (tmp_path / "ccm").symlink_to(PACKAGE)
    program = "import sys; from ccm.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program, "apply", "m.yaml", *options],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=before,
    )
    output = process.stdout.readline()
    try:
        assert "Executing manifest" in output
        wait_until(begun)
        if said:
            wait_until(lambda: is_asleep(process.pid))
        for count in range(signals):
            process.send_signal(signal.SIGINT)
            while said and count < len(SAID) and SAID[count] not in output:
                output += process.stdout.readline() or pytest.fail(output)
        (tmp_path / "go").touch()
        # Not by communicate, which does not know of lines that were read before they were asked for.
        output += process.stdout.read()
        return process.wait(PATIENCE), output
    finally:
        process.kill()
        process.communicate()


#: What is printed at each Ctrl-C.
SAID = ("waiting for what runs", "ending commands", "killing commands")


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("signals", "command", "outcome"),
    [
        (1, "{begin}; " + until("-e {directory}/go"), "changed"),
        (2, "{begin}; sleep 1000", "signal: terminated"),
        (3, "trap : TERM; {begin}; sleep 1000; sleep 1000", "signal: killed"),
    ],
)
def test_interruptions(signals, command, outcome, tmp_path):
    """Nothing new starts, the session and the summary have what ran, and the exit status is 130."""
    command = command.format(directory=tmp_path, begin=f"touch {tmp_path}/$0")
    command = f"sh -c '{command}'"
    resources = "".join(f'- exec: {{name: {name}, command: "{command} {name}"}}\n' for name in ("one", "two", "never"))
    (tmp_path / "session").mkdir()
    options = ("--session", str(tmp_path / "session"))
    text = f"{resources}post_message: all is well"
    status, output = interrupted(
        tmp_path, text, signals, *options, begun=lambda: (tmp_path / "one").exists() and (tmp_path / "two").exists()
    )
    assert status == 130, output
    assert SAID[signals - 1] in output
    assert "all is well" not in output
    ended = [line for line in output.splitlines() if "runtime" in line]
    assert [(f"exec#{name} " in output, outcome in line) for name, line in zip(("one", "two"), ended, strict=True)] == [
        (True, True),
        (True, True),
    ]
    assert "never" not in output
    assert "Total Resources: 2\n" in output
    # The first one is that of the begin of the session.
    assert len(list((tmp_path / "session").glob("*.event"))) == 3


@pytest.mark.starts_processes
@pytest.mark.parametrize("meta", ["{retry: -1, delay: 50ms}", "{retry: 3, delay: 1h}"])
def test_an_interruption_ends_the_tries_of_a_resource(meta, tmp_path):
    command = f"sh -c 'touch {tmp_path}/tried; false'"
    resources = f'- exec: {{name: "false", command: "{command}", meta: {meta}}}'
    status, output = interrupted(tmp_path, resources, 1, begun=(tmp_path / "tried").exists)
    assert (status, "Failed Resources: 1" in output) == (130, True), output


@pytest.mark.starts_processes
def test_an_interruption_is_noticed_whenever_it_comes(tmp_path):
    """Also just before the run waits for its threads."""
    drawn = chance("interruptions")
    for _time in range(KILLS):
        moment = time.monotonic() + drawn.uniform(0, 0.3)
        resources = '- exec: {name: "false", meta: {retry: -1, delay: 50ms}}'
        status, output = interrupted(
            tmp_path, resources, 1, begun=lambda moment=moment: time.monotonic() > moment, said=False
        )
        assert status == 130, output


@pytest.mark.starts_processes
def test_an_interruption_ends_a_child_whose_rest_is_not_managed(tmp_path):
    command = f"sh -c 'touch {tmp_path}/begun; {until(f'-e {tmp_path}/go')}'"
    (tmp_path / "child.yaml").write_text(
        f'ccm: {{resources: [{{exec: {{name: first, command: "{command}"}}}}, {{exec: {{name: never}}}}]}}\n'
    )
    status, output = interrupted(tmp_path, "- apply: {name: child.yaml}", 1, begun=(tmp_path / "begun").exists)
    assert status == 130
    assert "was interrupted before all of its resources were managed" in output
    assert "exec#never" not in output


@pytest.mark.starts_processes
def test_a_child_that_was_cut_short_has_failed(tmp_path):
    class Interrupting(Recorder):
        def finished(self, event):
            super().finished(event)
            machine.threads.is_interrupted = True

    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: ls}}, {exec: {name: never}}]}\n")
    machine, recorder = Machine(), Interrupting()
    machine.threads = Threads()
    manifest = loaded("- apply: {name: child.yaml}", tmp_path)
    run_manifest(manifest, Session(), machine, log=Log(), user_log=Log(), sinks=[recorder])
    assert [event.name for event in recorder.events] == ["ls", "child.yaml"]
    assert recorder.events[1].errors == ["was interrupted before all of its resources were managed"]


@pytest.mark.starts_processes
def test_a_process_that_ignores_interruptions_goes_on(tmp_path):
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    command = f"sh -c 'touch {tmp_path}/begun; {until(f'-e {tmp_path}/go')}'"
    resources = f'- exec: {{name: it, command: "{command}"}}'
    status, output = interrupted(tmp_path, resources, 1, before=ignore, begun=(tmp_path / "begun").exists, said=False)
    assert (status, "Interrupted" in output) == (0, False), output


@pytest.mark.starts_processes
def test_the_fourth_interruption_ends_what_does_not_end_itself(tmp_path):
    """A thread that neither runs a command nor looks for interruptions, like a download that hangs."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.tar"
        me = f"owner: {os.getuid()}, group: {os.getgid()}"
        resources = f"- archive: {{name: {tmp_path}/a.tar, ensure: present, url: '{url}', {me}}}"
        asked = functools.partial(select.select, [silent], [], [], 0)
        status, output = interrupted(tmp_path, resources, 4, begun=lambda: asked()[0])
    assert status == 130, output


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


@pytest.mark.parametrize("engine", ["", GRAPH])
def test_health_checks_of_a_resource_in_noop_are_not_run(engine):
    resources = "- exec: {name: ls, meta: {noop: true}, health_checks: [{command: 'false'}]}"
    events, log = ran(loaded(resources, engine=engine))
    assert (events["ls"].failed, "health checks not run: would change" in log) == (False, True)


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


@pytest.mark.starts_processes
def test_a_command_that_must_not_be_ended_is_waited_for(tmp_path):
    """As those of package managers are, also after the third Ctrl-C."""
    machine, threads = Machine(), Threads()
    machine.threads = threads
    script = f"touch {tmp_path}/$0.begun; {until(f'-e {tmp_path}/go')}; touch {tmp_path}/$0"

    def run(name, **options):
        with contextlib.suppress(CommandKilled):
            machine.run(["sh", "-c", script, name], **options)

    started = [
        threading.Thread(target=run, args=("kept",), kwargs={"on_interruption": lambda: None}),
        threading.Thread(target=run, args=("ended",)),
    ]
    for thread in started:
        thread.start()
    wait_until(lambda: (tmp_path / "kept.begun").exists() and (tmp_path / "ended.begun").exists())
    wait_until(lambda: len(threads._running) == 2)
    assert threads.must_be_waited_for
    threads.signal_commands(signal.SIGKILL)
    started[1].join()
    (tmp_path / "go").touch()
    started[0].join()
    assert ((tmp_path / "kept").exists(), (tmp_path / "ended").exists()) == (True, False)
    assert not threads.must_be_waited_for


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
