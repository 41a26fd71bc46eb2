# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `ccm watch`: flags, what it prints, its status file, and where its manifest comes from."""

from __future__ import annotations

import functools
import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import tarfile
import threading

import pytest

from tests.patience import PATIENCE, wait_until
from tests.unit.layout import CCM
from tests.unit.watching import content, while_watching


@pytest.mark.starts_processes
def test_data_and_environment_are_watched(watching, tmp_path):
    (tmp_path / "data.yaml").write_text("data: {word: one}\n")
    (tmp_path / ".env").write_text("NUMBER=1\n")
    watching.write(watching.file("one", "{{ Data.word }} {{ Environ.NUMBER }}\n"))
    with watching.started("--hiera", tmp_path / "data.yaml"):
        assert content(tmp_path / "one", "one 1\n")()
        (tmp_path / "data.yaml").write_text("data: {word: two}\n")
        wait_until(content(tmp_path / "one", "two 1\n"))
        (tmp_path / ".env").write_text("NUMBER=2\n")
        wait_until(content(tmp_path / "one", "two 2\n"))


@pytest.mark.starts_processes
def test_apply_goes_on_until_it_is_converged(ccm, tmp_path, watching):
    watching.write(
        watching.file("one"),
        watching.exec("twice", f"sh -c 'echo >> {tmp_path}/log; test $(wc -l < log) = 2'", cwd=str(tmp_path)),
    )
    done = ccm("apply", "m.yaml", "--until-converged", "200ms", "--detailed-exitcodes")
    assert done.status == 2
    assert "Total Resources: 2" in done.out
    assert "Failed Resources: 0" in done.out


@pytest.mark.starts_processes
def test_the_manifest_says_until_when(ccm, tmp_path, watching):
    watching.write(
        watching.exec("twice", f"sh -c 'echo >> {tmp_path}/log; test $(wc -l < log) = 2'", cwd=str(tmp_path)),
        engine={"converged": "200ms"},
    )
    assert "Failed Resources: 1" in ccm("apply", "m.yaml", "--until-converged", "0s").out
    (tmp_path / "log").unlink()
    assert "Failed Resources: 0" in ccm("apply", "m.yaml").out
    (tmp_path / "log").unlink()
    assert ccm("watch", "m.yaml").status == 0


def test_a_wrong_time_to_converge_is_refused_with_its_place(ccm, watching):
    watching.write(watching.file("one"), engine={"converged": "soon"})
    done = ccm("apply", "m.yaml")
    assert done.status == 1
    assert 'converged "soon": invalid duration' in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["watch", "m.yaml", "--exit-converged", "soon"], 'in place of "soon"'),
        (["apply", "m.yaml", "--until-converged=-1s"], "--until-converged is a negative time"),
        (["watch", "m.yaml", "--exit-converged=-1s"], "--exit-converged is a negative time"),
        (["watch", "m.yaml", "--max-runtime=-1s"], "--max-runtime is a negative time"),
        (["watch", "m.yaml", "--events", "xml"], "enum value must be one of json-lines, got 'xml'"),
        (["apply", "m.yaml", "--until-converged", "1s", "--monitor-only"], "--until-converged manages resources"),
    ],
)
def test_wrong_flags_are_refused(ccm, watching, words, message):
    watching.write(watching.file("one"))
    done = ccm(*words)
    assert done.status == 1
    assert message in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--status-file", "/nowhere/status"), "--status-file /nowhere/status cannot be written"),
        (("--status-file", "/tmp"), "--status-file /tmp cannot be written"),
        (("--status-file", "/dev/null"), "--status-file /dev/null cannot be written"),
        (("--session", "missing"), "missing does not exist"),
        (("--exit-converged", "5s", "--max-runtime", "5s"), "--max-runtime ends it before --exit-converged can"),
    ],
)
def test_what_cannot_work_is_refused_at_the_start(ccm, watching, tmp_path, words, message):
    watching.write(watching.file("one"))
    done = ccm("watch", "m.yaml", *words)
    assert done.status == 1
    assert message in done.err
    assert not (tmp_path / "one").exists()


@pytest.mark.starts_processes
def test_the_time_of_watching_ends_commands(ccm, watching):
    watching.write(watching.exec("sleeps", "sleep 1000"), watching.file("later"))
    done = ccm("watch", "m.yaml", "--max-runtime", "100ms")
    assert done.status == 0
    assert "exec#sleeps failed" in done.out


@pytest.mark.starts_processes
def test_the_end_of_a_failure_is_reported(watching, tmp_path):
    command = f"test -e {tmp_path}/there"
    watching.write(watching.exec("waits", command), {"apply": [{"child.yaml": {}}]})
    watching.write(watching.exec("waits below", command), name="child.yaml")
    with watching.started("--events", "json-lines"):
        wait_until(lambda: watching.count("failed") >= 2)
        (tmp_path / "there").touch()
        wait_until(lambda: watching.count("exec#waits changed") == 1)
        wait_until(lambda: watching.count("exec#waits below changed") == 1)


@pytest.mark.starts_processes
def test_the_end_of_drift_is_reported(watching, tmp_path):
    watching.write(watching.file("one"), watching.exec("note", "true", refreshonly=True, subscribe=["file#one"]))
    manifest = (tmp_path / "m.yaml").read_text().replace("file#one", f"file#{tmp_path}/one")
    (tmp_path / "m.yaml").write_text(manifest)
    with watching.started("--noop", "--events", "json-lines", "--status-file", tmp_path / "status"):
        wait_until(lambda: watching.count(" noop=Would") == 2)
        (tmp_path / "one").write_text("text\n")
        (tmp_path / "one").chmod(0o644)
        wait_until(lambda: watching.count(f"file#{tmp_path}/one stable") == 1)
        wait_until(lambda: watching.count("exec#note stable") == 1)
        wait_until((tmp_path / "status").exists)
    status = json.loads((tmp_path / "status").read_text())
    assert [each["outcome"] for each in status["resources"]] == ["stable", "stable"]
    assert not any("noop" in each or "changed" in each for each in status["resources"])


def test_drift_is_marked_in_the_status_file(ccm, watching, tmp_path):
    watching.write(watching.file("one"))
    assert (
        ccm("watch", "m.yaml", "--noop", "--exit-converged", "10ms", "--status-file", tmp_path / "status").status == 0
    )
    [status] = json.loads((tmp_path / "status").read_text())["resources"]
    assert (status["outcome"], status["noop"], status["checks"]) == ("changed", True, 1)


@pytest.mark.starts_processes
def test_a_manifest_that_is_a_link_is_read_again(watching, tmp_path):
    watching.write(watching.file("one"), name="real.yaml")
    (tmp_path / "d").mkdir()
    (tmp_path / "real.yaml").rename(tmp_path / "d/real.yaml")
    (tmp_path / "m.yaml").symlink_to("d/real.yaml")
    with watching.started():
        watching.write(watching.file("two"), name="new.yaml")
        (tmp_path / "new.yaml").rename(tmp_path / "d/real.yaml")
        wait_until(content(tmp_path / "two"))


@pytest.mark.starts_processes
def test_the_service_manager_hears_of_it(watching, tmp_path, monkeypatch):
    watching.write(watching.file("one"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE)
        watching.environment.update(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="200000")

        def next_but_watchdog():
            while True:
                heard = manager.recv(1000).decode()
                if heard != "WATCHDOG=1":
                    return heard.splitlines()[0]

        with watching.started():
            assert manager.recv(1000) == b"WATCHDOG=1"
            assert next_but_watchdog() == "READY=1"
            watching.process.send_signal(signal.SIGHUP)
            assert next_but_watchdog() == "RELOADING=1"
            assert next_but_watchdog() == "READY=1"
            assert manager.recv(1000) == b"WATCHDOG=1"
        assert next_but_watchdog() == "STOPPING=1"


def test_a_status_file_that_cannot_be_written_is_named_once(ccm, watching, tmp_path):
    (tmp_path / "status").mkdir()
    watching.write(watching.file("one"))
    text = "The status file cannot be written"
    lose = (lambda: (tmp_path / "status").rename(tmp_path / "gone"), text)
    # It is written again at the end.
    assert while_watching(ccm, lose, words=("--status-file", tmp_path / "status/file")).count(text) == 1


@pytest.mark.starts_processes
def test_the_status_hides_secrets(ccm, watching, tmp_path):
    meta = {"watch_command": "/nowhere/program --password=hidden"}
    watching.write(watching.exec("one", "true", refreshonly=True, meta=meta))
    assert ccm("watch", "m.yaml", "--exit-converged", "100ms", "--status-file", "status").status == 0
    assert "hidden" not in (tmp_path / "status").read_text()


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("name", "words"),
    [("m.yaml", ()), ("given.yaml", ("--hiera", "given.yaml")), ("given.yaml", ("--facts", "given.yaml"))],
)
def test_what_becomes_a_pipe_is_refused(watching, tmp_path, name, words):
    (tmp_path / "given.yaml").write_text("data: {a: b}\n")
    watching.write(watching.file("one"))
    with watching.started(*words):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "pipe").rename(tmp_path / name)
        wait_until(lambda: watching.count(f"{name} is not a regular file") == 1)
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))


@pytest.mark.starts_processes
def test_a_sensitive_value_is_not_in_the_status_file(ccm, watching, tmp_path):
    (tmp_path / "secret").write_text("hunter2")
    watching.write(
        watching.exec("secret", f"cat {tmp_path}/secret", meta={"send": {"sensitive": True}}),
        watching.exec("user", "true", creates="{{ sent('exec#secret').stdout }}"),
    )
    assert ccm("watch", "m.yaml", "--exit-converged", "10ms", "--status-file", tmp_path / "status").status == 0
    status = (tmp_path / "status").read_text()
    assert "hunter2" not in status
    assert "REDACTED" in status


@pytest.mark.starts_processes
def test_a_manifest_of_a_web_server_keeps_its_directory(watching, tmp_path):
    (tmp_path / "site/tree/files").mkdir(parents=True)
    (tmp_path / "site/tree/files/x").write_text("from the server\n")
    one = {"ensure": "present", "source": "files/x", **watching.owner}
    text = json.dumps({"ccm": {"resources": [{"file": [{str(tmp_path / "one"): one}]}]}})
    (tmp_path / "site/tree/manifest.yaml").write_text(text)
    watching.write(watching.file("unused"))
    with tarfile.open(tmp_path / "site/m.tgz", "w:gz") as archive:
        for name in ("manifest.yaml", "files/x"):
            archive.add(tmp_path / "site/tree" / name, name)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [*CCM, "watch", f"http://127.0.0.1:{server.server_port}/m.tgz", "--no-state"]
        with open(tmp_path / "out", "w") as out:
            watching.process = subprocess.Popen(
                command, cwd=tmp_path, env=watching.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )
        try:
            for _time in range(2):
                wait_until(content(tmp_path / "one", "from the server\n"))
                (tmp_path / "one").unlink()
                watching.process.send_signal(signal.SIGHUP)
            wait_until(content(tmp_path / "one", "from the server\n"))
        finally:
            watching.process.send_signal(signal.SIGTERM)
            assert watching.process.wait(PATIENCE) == 0
        server.shutdown()
    assert not list(pathlib.Path(watching.environment.get("TMPDIR", "/tmp")).glob("manifest-*/files/x"))


@pytest.mark.starts_processes
def test_what_a_command_says_is_said_each_time(watching, tmp_path):
    """Output of commands and lines of providers were dropped after the first run, as all of the level INFO."""
    one = f"file#{tmp_path}/one"
    watching.write(
        watching.file("one"),
        watching.exec("note", "echo restarting", refreshonly=True, subscribe=[one], logoutput=True),
    )
    with watching.started():
        for said in (2, 3):
            (tmp_path / "one").unlink()
            wait_until(lambda said=said: watching.count(" INFO  restarting") == said)
            wait_until(lambda said=said: watching.count("exec#note refreshed") == said)
    # The reason for each refresh is the change that is logged before it.
    assert watching.count("owed") == 0


@pytest.mark.starts_processes
def test_what_is_stable_is_said_once(watching, tmp_path):
    """Also of an applied manifest, and of a resource that a manifest which is read again adds."""
    watching.write(watching.file("inner"), watching.file("spoiled"), name="child.yaml")
    child, added = {"apply": [{"child.yaml": {}}]}, watching.file("added")
    watching.write(child, watching.file("one"))
    for name in ("inner", "one", "added"):
        (tmp_path / name).write_text("text\n")
        (tmp_path / name).chmod(0o644)
    with watching.started():
        for said in (2, 3):
            (tmp_path / "spoiled").unlink()
            wait_until(lambda said=said: watching.count("/spoiled changed") == said)
        watching.settle()
        watching.write(child, watching.file("one"), added)
        wait_until(lambda: watching.count("/added stable") == 1)
        watching.settle()
        (tmp_path / "added").touch()
        watching.settle()
    for line in ("/inner stable", "/one stable", "/added stable", "Executing manifest manifest=child.yaml"):
        assert watching.count(line) == 1, watching.out()
    assert watching.count("Child manifest completed") == 0
    assert watching.count("Child manifest had changes") == 3
