# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C: what runs is finished, then ended, then killed, and nothing new starts."""

from __future__ import annotations

import functools
import os
import select
import signal
import socket
import subprocess
import time

import pytest
from ccm.engine import interruptions
from ccm.engine.interruptions import InterruptionHandler, Interruptions
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.host.running_commands import RunningCommands
from ccm.model.log import Log
from ccm.testing import RecordedLog

from tests.patience import PATIENCE, wait_until
from tests.seed import chance
from tests.unit.engine.recorder import Recorder
from tests.unit.kills import KILLS
from tests.unit.manifest.runs import SAID, applying, interrupted, loaded, run_manifest, until
from tests.unit.processes import is_asleep

#: One at a time, in the thread of the run, and several at once.
PARALLEL = pytest.mark.parametrize("parallel", [1, 2])


@pytest.mark.starts_processes
@PARALLEL
@pytest.mark.parametrize(
    ("signals", "command", "outcome"),
    [
        (1, "{begin}; " + until("-e {directory}/go"), "changed"),
        (2, "{begin}; sleep 1000", "signal: terminated"),
        (3, "trap : TERM; {begin}; sleep 1000; sleep 1000", "signal: killed"),
    ],
)
def test_interruptions(signals, command, outcome, tmp_path, parallel):
    """Nothing new starts, the session and the summary have what ran, and the exit status is 130."""
    command = command.format(directory=tmp_path, begin=f"touch {tmp_path}/$0")
    command = f"sh -c '{command}'"
    begun = ("one", "two")[:parallel]
    resources = "".join(f'- exec: {{name: {name}, command: "{command} {name}"}}\n' for name in (*begun, "never"))
    (tmp_path / "session").mkdir()
    options = ("--session", str(tmp_path / "session"))
    text = f"{resources}post_message: all is well"
    status, output = interrupted(
        tmp_path,
        text,
        signals,
        *options,
        begun=lambda: all((tmp_path / name).exists() for name in begun),
        parallel=parallel,
    )
    assert status == 130, output
    assert SAID[signals - 1] in output
    assert "all is well" not in output
    ended = [line for line in output.splitlines() if "runtime" in line]
    assert [(f"exec#{name} " in output, outcome in line) for name, line in zip(begun, ended, strict=True)] == [
        (True, True)
    ] * parallel
    assert "never" not in output
    assert f"Total Resources: {parallel}\n" in output
    # The first one is the begin event of the session.
    assert len(list((tmp_path / "session").glob("*.event"))) == 1 + parallel


@pytest.mark.starts_processes
@PARALLEL
def test_interruptions_end_commands_when_the_output_is_closed(tmp_path, parallel):
    """Nothing can be said then; the exit status is 141, as for a process that SIGPIPE ended."""
    command = f"sh -c 'touch {tmp_path}/begun; exec sleep 1000'"
    resources = "".join(f'- exec: {{name: {name}, command: "{command}"}}\n' for name in ("one", "two"))
    with applying(tmp_path, resources, parallel=parallel, stderr=subprocess.PIPE) as process:
        assert "Executing manifest" in process.stdout.readline()
        wait_until((tmp_path / "begun").exists)
        process.stdout.close()
        for _time in range(2):
            wait_until(lambda: process.poll() is not None or is_asleep(process.pid))
            process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 141
        assert process.stderr.read() == ""


@pytest.mark.starts_processes
@PARALLEL
@pytest.mark.parametrize("meta", ["{retry: -1, delay: 50ms}", "{retry: 3, delay: 1h}"])
def test_an_interruption_ends_the_tries_of_a_resource(meta, tmp_path, parallel):
    command = f"sh -c 'echo >> {tmp_path}/tried; false'"
    resources = f'- exec: {{name: "false", command: "{command}", meta: {meta}}}'
    status, output = interrupted(tmp_path, resources, 1, begun=(tmp_path / "tried").exists, parallel=parallel)
    assert (status, "Failed Resources: 1" in output) == (130, True), output
    # Nothing is tried again after the pause in which the run is interrupted.
    assert "1h" not in meta or (tmp_path / "tried").read_text() == "\n"


@pytest.mark.starts_processes
@PARALLEL
def test_an_interruption_is_noticed_whenever_it_comes(tmp_path, parallel):
    """Also just before the run waits for its threads."""
    drawn = chance("interruptions")
    for _time in range(KILLS):
        moment = time.monotonic() + drawn.uniform(0, 0.3)
        resources = '- exec: {name: "false", meta: {retry: -1, delay: 50ms}}'
        status, output = interrupted(
            tmp_path, resources, 1, begun=lambda moment=moment: time.monotonic() > moment, said=False, parallel=parallel
        )
        assert status == 130, output


@pytest.mark.starts_processes
@PARALLEL
@pytest.mark.parametrize("engine", ["{}", "{order: graph}"])
def test_an_interruption_ends_a_child_whose_rest_is_not_managed(tmp_path, parallel, engine):
    command = f"sh -c 'touch {tmp_path}/begun; {until(f'-e {tmp_path}/go')}'"
    first = f'{{exec: {{name: first, command: "{command}"}}}}'
    (tmp_path / "child.yaml").write_text(
        f"ccm: {{engine: {engine}, resources: [{first}, {{exec: {{name: never}}}}]}}\n"
    )
    begun = (tmp_path / "begun").exists
    status, output = interrupted(tmp_path, "- apply: {name: child.yaml}", 1, begun=begun, parallel=parallel)
    assert status == 130
    assert "was interrupted before all of its resources were managed" in output
    assert "exec#never" not in output


@pytest.mark.starts_processes
@PARALLEL
@pytest.mark.parametrize("before", ["", "- apply: {name: done.yaml}\n"])
def test_an_interruption_of_a_child_in_graph_order_ends_a_list(tmp_path, parallel, before):
    """Also when another child in graph order is done; each child has its event."""
    engine = f"{{order: graph, parallel: {parallel}}}"
    command = f"sh -c 'touch {tmp_path}/begun; {until(f'-e {tmp_path}/go')}'"
    one = f'{{exec: {{name: one, command: "{command}"}}}}'
    two = '{exec: {name: never, require: ["exec#one"]}}'
    (tmp_path / "done.yaml").write_text(f"ccm: {{engine: {engine}, resources: [{{exec: {{name: ls}}}}]}}\n")
    (tmp_path / "child.yaml").write_text(f"ccm: {{engine: {engine}, resources: [{one}, {two}]}}\n")
    resources = f"{before}- apply: {{name: child.yaml}}\n- exec: {{name: never}}\npost_message: all is well"
    begun = (tmp_path / "begun").exists
    status, output = interrupted(tmp_path, resources, 1, begun=begun, parallel=0)
    assert status == 130, output
    assert "apply#child.yaml failed" in output
    assert "was interrupted before all of its resources were managed" in output
    assert "exec#never" not in output
    assert "all is well" not in output


@pytest.mark.starts_processes
def test_a_child_that_was_cut_short_has_failed(tmp_path):
    class Interrupting(Recorder):
        def finished(self, event):
            super().finished(event)
            machine.commands.is_interrupted = True

    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: ls}}, {exec: {name: never}}]}\n")
    machine, recorder = Machine(), Interrupting()
    machine.commands = RunningCommands()
    manifest = loaded("- apply: {name: child.yaml}", tmp_path)
    run_manifest(manifest, Session(), machine, log=Log(), user_log=Log(), sinks=[recorder])
    assert [event.name for event in recorder.events] == ["ls", "child.yaml"]
    assert recorder.events[1].errors == ["was interrupted before all of its resources were managed"]


@pytest.mark.starts_processes
@PARALLEL
def test_a_process_that_ignores_interruptions_goes_on(tmp_path, parallel):
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    command = f"sh -c 'touch {tmp_path}/begun; {until(f'-e {tmp_path}/go')}'"
    resources = f'- exec: {{name: it, command: "{command}"}}'
    status, output = interrupted(
        tmp_path, resources, 1, before=ignore, begun=(tmp_path / "begun").exists, said=False, parallel=parallel
    )
    assert (status, "Interrupted" in output) == (0, False), output


@pytest.mark.starts_processes
@PARALLEL
def test_the_fourth_interruption_ends_what_does_not_end_itself(tmp_path, parallel):
    """Code that neither runs a command nor looks for interruptions, like a download that hangs."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.tar"
        me = f"owner: {os.getuid()}, group: {os.getgid()}"
        resources = f"- archive: {{name: {tmp_path}/a.tar, ensure: present, url: '{url}', {me}}}"
        asked = functools.partial(select.select, [silent], [], [], 0)
        status, output = interrupted(tmp_path, resources, 4, begun=lambda: asked()[0], parallel=parallel)
    assert status == 130, output


def test_an_interruption_ends_the_run_where_no_thread_can_be_made(monkeypatch):
    def start(_call, _arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(interruptions._thread, "start_new_thread", start)
    commands = RunningCommands()
    handler = InterruptionHandler(Interruptions(commands, Log()))
    handler.begin()
    try:
        with pytest.raises(KeyboardInterrupt):
            handler(signal.SIGINT, None)
    finally:
        handler.end()
    assert commands.is_interrupted


def test_an_interruption_while_the_first_one_starts_the_thread_counts_too(monkeypatch):
    """A signal may come in the handler of another one: then the handler is called within itself."""
    start = interruptions._thread.start_new_thread

    def start_late(call, arguments):
        monkeypatch.undo()
        handler(signal.SIGINT, None)
        return start(call, arguments)

    log = RecordedLog()
    handler = InterruptionHandler(Interruptions(RunningCommands(), log))
    handler.begin()
    monkeypatch.setattr(interruptions._thread, "start_new_thread", start_late)
    try:
        handler(signal.SIGINT, None)
    finally:
        handler.end()
    assert [message for _level, message, _fields in log.lines] == list(interruptions._MESSAGES[:2])


def test_an_interruption_while_the_run_starts_the_thread_counts_once(monkeypatch):
    """A run of several resources at once starts it in the beginning."""
    start = interruptions._thread.start_new_thread

    def start_late(call, arguments):
        monkeypatch.undo()
        signal.raise_signal(signal.SIGINT)
        return start(call, arguments)

    log = RecordedLog()
    handler = InterruptionHandler(Interruptions(RunningCommands(), log))
    monkeypatch.setattr(interruptions._thread, "start_new_thread", start_late)
    try:
        handler.begin(listens=True)
    finally:
        handler.end()
    assert [message for _level, message, _fields in log.lines] == list(interruptions._MESSAGES[:1])
