# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each line is in the pipe, or the file, before the process waits for anything (behaviour.md 19).

The processes run without variables of Python, which could write each line at once. Neither the clock nor a change that
begins nor what is logged for the program writes lines in them: what is read here was written because something is
waited for.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

import pytest
from ccm.cli.main import PIPE_CLOSED

from tests.patience import PATIENCE, wait_until
from tests.unit.watching import content

pytestmark = pytest.mark.starts_processes

RUN = """
import sys
from ccm.cli import console
from ccm.cli.main import main
console._INTERVAL = 1e9
console.ProgramLog.write = lambda *line: None
console.UserLog.doing = lambda *what: None
{more}
sys.exit(main())
"""
FIRST = {"exec": [{"first": {"command": "true"}}]}
FIRST_LINE = "exec#first changed"
HOUR = "1h"


class Run:
    """A process of the command whose output, both streams, goes into a pipe; within `with`."""

    def __init__(self, directory, *words, more=""):
        self._lines = b""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "CCM_", "NOTIFY_", "WATCHDOG_"))
        }
        environment.update(CCM_STATE=str(directory / "state"), HOME=str(directory))
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN.format(more=more), *map(str, words)],
            cwd=directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def line(self, text):
        """Read the next line with a text, while the process runs."""
        end = time.monotonic() + PATIENCE
        while True:
            *whole, self._lines = self._lines.split(b"\n")
            for at, line in enumerate(whole):
                if text in line.decode():
                    self._lines = b"\n".join([*whole[at + 1 :], self._lines])
                    assert self.process.poll() is None, "it was written at the end"
                    return
            assert select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0], f"no line: {text}"
            read = os.read(self.process.stdout.fileno(), 65536)
            assert read, f"it ended without a line: {text}"
            self._lines += read

    def end(self):
        """Wait for its end; return the rest of its output."""
        return (self._lines + self.process.communicate(timeout=PATIENCE)[0]).decode()


@pytest.fixture
def apply(tmp_path):
    """Run `ccm apply` for a manifest."""

    def run(*resources, words=(), more="", **ccm):
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": list(resources), **ccm}}))
        return Run(tmp_path, "apply", "m.yaml", *words, more=more)

    return run


@pytest.fixture
def gate(tmp_path):
    """A named pipe: a program that reads it waits until `open_gate`."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


def open_gate(path):
    """Let the program that reads it go on, once it reads."""

    def has_opened():
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    wait_until(has_opened)


@pytest.fixture
def server():
    """A server that does not answer by itself."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answer(server, text):
    """Answer one request."""
    server.settimeout(PATIENCE)
    connection = server.accept()[0]
    with connection:
        connection.recv(65536)
        connection.sendall(text)


def exec_of(name, command, **more):
    return {"exec": [{name: {"command": command, **more}}]}


@pytest.mark.parametrize("settings", [{}, {"engine": {"order": "graph", "parallel": 2}}], ids=["list", "graph"])
@pytest.mark.parametrize(
    "waiting",
    [
        lambda read: exec_of("second", read),
        lambda read: exec_of("second", "true", onlyif=read),
        lambda read: exec_of("second", "true", unless=read),
        lambda read: exec_of("second", "true", health_checks=[{"command": read}]),
    ],
    ids=["command", "onlyif", "unless", "health check"],
)
def test_before_a_command(apply, gate, settings, waiting):
    with apply(FIRST, waiting(f"cat {gate}"), **settings) as run:
        run.line(FIRST_LINE)
        open_gate(gate)
        run.end()
        assert run.process.returncode == 0


def test_before_a_query(apply, gate, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, script in (("dpkg-query", f"cat {gate}; exit 1"), ("apt-get", ""), ("apt-cache", "")):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    package = {"package": [{"no-such": {"ensure": "absent", "provider": "apt"}}]}
    with apply(FIRST, package, more=f"import os; os.environ['PATH'] = {path!r}") as run:
        run.line(FIRST_LINE)
        open_gate(gate)
        assert "package#no-such" in run.end()


def test_before_a_retry(apply):
    failing = exec_of("no", "false", meta={"retry": 1, "delay": HOUR})
    with apply(FIRST, failing) as run:
        run.line("Trying again")


@pytest.mark.parametrize(
    ("check", "line"),
    [
        ({"command": "false", "tries": 2, "try_sleep": HOUR}, "Health check failed"),
        (
            {"goss_rules": {"file": {"/nowhere": {"exists": True}}}, "tries": 2, "try_sleep": HOUR},
            "Health check failed",
        ),
    ],
    ids=["nagios", "goss"],
)
def test_before_a_health_check_is_tried_again(apply, check, line):
    with apply(FIRST, exec_of("second", "true", health_checks=[check])) as run:
        run.line(line)


def test_before_a_download(apply, server, tmp_path, me):
    url = f"http://127.0.0.1:{server.getsockname()[1]}/a.tgz"
    archive = {
        "archive": [{str(tmp_path / "a.tgz"): {"url": url, "ensure": "present", "owner": me[0], "group": me[1]}}]
    }
    with apply(FIRST, archive, engine={"download_tries": 1, "download_timeout": HOUR}) as run:
        run.line(FIRST_LINE)
        answer(server, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        assert "404" in run.end()


def test_before_a_download_is_continued(apply, server, tmp_path, me):
    url = f"http://127.0.0.1:{server.getsockname()[1]}/a.tgz"
    archive = {
        "archive": [{str(tmp_path / "a.tgz"): {"url": url, "ensure": "present", "owner": me[0], "group": me[1]}}]
    }
    with apply(archive, engine={"download_tries": 2, "download_timeout": HOUR}) as run:
        answer(server, b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        run.line("the download is tried again after 4 bytes")
        answer(server, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        assert "404" in run.end()


@pytest.mark.parametrize("kind", ["http", "dns"])
def test_before_the_network_of_a_health_check(apply, server, kind):
    host, port = server.getsockname()
    with socket.socket(type=socket.SOCK_DGRAM) as names:
        names.bind(("127.0.0.1", 0))
        rules = {
            "http": {f"http://{host}:{port}/": {"status": 404, "timeout": 3_600_000}},
            "dns": {
                "example.test": {"resolvable": True, "timeout": 3_600_000, "server": f"{host}:{names.getsockname()[1]}"}
            },
        }
        check = {"goss_rules": {kind: rules[kind]}}
        with apply(FIRST, exec_of("second", "true", health_checks=[check])) as run:
            run.line(FIRST_LINE)


def test_before_a_lock_of_the_state(apply, tmp_path):
    with apply(FIRST) as run:
        run.end()
    [lock] = (tmp_path / "state").glob("manifests/*/lock")
    with open(lock, "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        more = "from ccm.engine.state import locked_directory; locked_directory.LOCK_TIMEOUT = 1e9"
        with apply(FIRST, more=more) as run:
            run.line(FIRST_LINE)
            fcntl.flock(held, fcntl.LOCK_UN)
            assert "is locked" not in run.end()
            assert run.process.returncode == 0


HOLDER = (
    "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"
)
WAITER = """
from ccm.host.machine import Machine
from ccm.resources.exec.posix import PosixExecProvider
from ccm.resources.package.locks import LockWaiter
def status(self, properties):
    LockWaiter([{path!r}], self.machine, 10**18, self.user_log).wait()
    return found(self, properties)
found, PosixExecProvider.status = PosixExecProvider.status, status
"""


def test_before_a_lock_of_a_package_manager(apply, tmp_path):
    path = str(tmp_path / "lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        try:
            holder.stdout.readline()
            with apply(FIRST, more=WAITER.format(path=path)) as run:
                run.line("Waiting for")
                holder.stdin.close()
                run.end()
                assert run.process.returncode == 0
        finally:
            holder.kill()


REGISTRATION = ("--cluster", "c", "--service", "s", "--protocol", "p", "--address", "a", "--port", "1")


def test_before_standard_input(tmp_path):
    with Run(tmp_path, "registration", "rm", *REGISTRATION) as run:
        end = time.monotonic() + PATIENCE
        assert select.select([run.process.stdout], [], [], end - time.monotonic())[0]
        assert os.read(run.process.stdout.fileno(), 65536).startswith(b"? Remove registration entry")


@pytest.fixture
def watch(tmp_path, watching):
    """Run `ccm watch` for resources that are as they should be, and wait until it has run them once."""

    @contextlib.contextmanager
    def started(*resources, words=()):
        watching.write(*resources)
        with Run(tmp_path, "apply", "m.yaml") as run:
            run.end()
        with Run(tmp_path, "watch", "m.yaml", *words) as run:
            run.line("Watching for changes")
            yield run

    return started


def test_before_watch_sleeps_after_it_read_the_manifest_again(watch, watching):
    with watch(watching.file("one")) as run:
        run.process.send_signal(signal.SIGHUP)
        run.line("The manifest was read again")


def test_before_watch_sleeps_after_it_refused_a_manifest(watch, watching, tmp_path):
    with watch(watching.file("one")) as run:
        (tmp_path / "m.yaml").write_text("ccm: {resources: [{file: [{/x: {ensure: presnt}}]}]}")
        run.line("The manifest is not used")


@pytest.mark.parametrize("words", [(), ("--events", "json-lines")], ids=["lines", "events"])
def test_before_watch_sleeps_after_it_warned(watch, watching, tmp_path, words):
    with watch(watching.file("one"), words=words) as run:
        for _repair in range(6):
            (tmp_path / "one").write_text("other")
            wait_until(content(tmp_path / "one"))
            run.line(f"file#{tmp_path}/one changed")
        run.line("Flapping: repaired 6 times")
        if words:
            run.line("watch.flapping")


def test_before_a_command_that_watch_runs(tmp_path, watching, gate):
    watching.write(FIRST, exec_of("second", f"cat {gate}"))
    with Run(tmp_path, "watch", "m.yaml") as run:
        run.line(FIRST_LINE)
        open_gate(gate)
        run.line("Watching for changes")


def test_output_that_is_no_longer_read_does_not_fail_what_waits(apply, gate, tmp_path):
    with apply(FIRST, exec_of("second", f"cat {gate}"), exec_of("third", f"touch {tmp_path}/third")) as run:
        run.line(FIRST_LINE)
        run.process.stdout.close()
        open_gate(gate)
        assert run.process.wait(PATIENCE) == PIPE_CLOSED
    assert (tmp_path / "third").exists()


def test_watch_ends_when_its_output_is_no_longer_read(watch, watching, tmp_path):
    with watch(watching.file("one")) as run:
        run.process.stdout.close()
        (tmp_path / "one").write_text("other")
        assert run.process.wait(PATIENCE) == PIPE_CLOSED


def test_a_run_that_waits_for_nothing_writes_lines_together(tmp_path, watching):
    names = [f"f{number}" for number in range(50)]
    watching.write(*map(watching.file, names))
    counted = "import io\nclass Raw(io.FileIO):\n    count = 0\n    def write(self, data):\n"
    counted += "        Raw.count += 1\n        return super().write(data)\n"
    counted += "sys.stdout = io.TextIOWrapper(io.BufferedWriter(Raw(1, 'w', closefd=False), 1 << 20))\n"
    counted += "import atexit; atexit.register(lambda: sys.stderr.write(f'{Raw.count} writes\\n'))"
    for _run in range(2):
        with Run(tmp_path, "apply", "m.yaml", more=counted) as run:
            said = run.end()
    assert said.count(" stable ") == 50
    assert "\n1 writes\n" in said
