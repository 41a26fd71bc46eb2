# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The thread that manages resources, and its end."""

from __future__ import annotations

import http.server
import io
import json
import signal
import subprocess
import tarfile
import threading

import pytest
from ccm.engine.watching.worker import Worker
from ccm.host.event_loop import EventLoop
from ccm.host.running_commands import RunningCommands

from tests.patience import LIMIT, PATIENCE, wait_until
from tests.unit.layout import CCM
from tests.unit.processes import is_asleep
from tests.unit.watching import content, watching_command


@pytest.mark.starts_processes
@pytest.mark.parametrize(("signals", "status"), [(1, 130), (2, 130), (3, 130)])
def test_ctrl_c_finishes_what_runs_then_ends_it_then_kills_it(watching, tmp_path, signals, status):
    ignoring = 'trap "" TERM; ' if signals == 3 else ""
    waiting = f"until test -e {tmp_path}/go; do sleep 0.01; done"
    slow = watching.exec("slow", f"sh -c '{ignoring}touch {tmp_path}/began; {waiting}; touch {tmp_path}/ended'")
    session = tmp_path / "session"
    session.mkdir()
    watching.write(watching.file("one"), slow, watching.file("never"))
    with open(tmp_path / "out", "w") as out:
        command = watching_command(watching, "--session", str(session))
        process = subprocess.Popen(command, cwd=tmp_path, env=watching.environment, stdout=out, stderr=out)
    try:
        wait_until((tmp_path / "began").exists)
        wait_until(lambda: is_asleep(process.pid))
        for said in ("waiting for what runs", "ending commands", "killing commands")[:signals]:
            process.send_signal(signal.SIGINT)
            wait_until(lambda said=said: said in watching.out())
        if signals == 1:
            assert process.poll() is None
            (tmp_path / "go").touch()
        assert process.wait(PATIENCE) == status
    finally:
        (tmp_path / "go").touch()
        process.kill()
        process.wait()
    assert (tmp_path / "ended").exists() == (signals == 1)
    assert "Traceback" not in watching.out()
    assert not (tmp_path / "never").exists()
    # The session has what ran, also the command that was ended, and nothing else is left in it.
    records = [json.loads(path.read_text()) for path in sorted(session.iterdir())]
    assert [each.get("name", "") for each in records] == ["", str(tmp_path / "one"), "slow"]
    assert records[2].get("error") == {1: [], 2: ["signal: terminated"], 3: ["signal: killed"]}[signals]


@pytest.mark.starts_processes
def test_a_web_server_that_does_not_answer_keeps_nothing_waiting_at_the_end(watching, tmp_path):
    watching.write(watching.file("one"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.add(tmp_path / "m.yaml", "manifest.yaml")
    requests = []
    answer = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            if len(requests) > 1:
                answer.wait(LIMIT)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(archive.getvalue())

        def log_message(self, *_):
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [*CCM, "watch", f"http://127.0.0.1:{server.server_port}/m.tgz", "--no-state"]
        watching.process = process = subprocess.Popen(
            command, cwd=tmp_path, env=watching.environment, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        try:
            wait_until(content(tmp_path / "one"))
            watching.settle()
            process.send_signal(signal.SIGHUP)
            wait_until(lambda: len(requests) > 1)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            answer.set()
            process.kill()
            process.wait()
        server.shutdown()


@pytest.fixture
def loop():
    made = EventLoop(lambda: None)
    yield made
    made.close()


def outcome_of(worker, loop):
    """Sleep in the loop until a call is done, make the calls that are asked for, and return its outcome."""
    while True:
        loop.sleep(None)
        worker.answer()
        found = worker.take()
        if found is not None:
            return found


def test_calls_are_made_in_another_thread_one_after_the_other(loop):
    worker = Worker(loop, RunningCommands())
    worker.start()
    for _time in range(2):
        worker.give(lambda: ("in", threading.current_thread()))
        word, thread = outcome_of(worker, loop)
        assert (word, thread is threading.current_thread()) == ("in", False)
    assert worker.take() is None
    ended = []
    worker.end(lambda: ended.append(threading.current_thread()))
    thread.join()
    assert ended == [thread]


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_what_a_call_raises_is_its_outcome_and_the_next_one_is_made(loop, error):
    def fail():
        raise error

    worker = Worker(loop, RunningCommands())
    worker.start()
    worker.give(fail)
    assert outcome_of(worker, loop) is error
    worker.give(lambda: "done")
    assert outcome_of(worker, loop) == "done"
    worker.end(lambda: None)


def test_a_call_can_have_one_made_in_the_thread_of_the_loop(loop):
    worker, asked = Worker(loop, RunningCommands()), []

    def call():
        worker.ask(lambda: asked.append(threading.current_thread()))
        return list(asked)

    worker.start()
    worker.give(call)
    assert outcome_of(worker, loop) == [threading.current_thread()]
    worker.end(lambda: None)


def test_at_the_end_what_a_running_call_asks_for_is_still_made(loop):
    commands, begun = RunningCommands(), threading.Event()
    worker = Worker(loop, commands)

    def call():
        begun.set()
        worker.ask(lambda: None)
        return "done"

    worker.start()
    worker.give(call)
    begun.wait(LIMIT)
    worker.end_call()
    assert commands.is_interrupted
    assert worker.take() == "done"
    worker.end(lambda: None)
