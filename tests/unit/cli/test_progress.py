# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress line, shown only on a terminal, and log lines in JSON."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess

import pytest
from ccm.cli import progress
from ccm.cli.progress import Progress

from tests.patience import wait_until
from tests.unit.layout import CCM

ERASED = "\r\x1b[K"


@pytest.fixture
def line(monkeypatch):
    """A progress line that is drawn at once, and its stream."""
    monkeypatch.setattr(progress, "_DELAY", 0.01)
    monkeypatch.setattr(progress, "_FRAME", 0.01)
    stream = io.StringIO()
    return Progress(stream), stream


def wait_for(stream, text):
    wait_until(lambda: text in stream.getvalue())


def test_long_work_is_drawn_and_erased(line):
    progress_line, stream = line
    progress_line.doing("package#x: install")
    wait_for(stream, f"{ERASED} package#x: install, 0s")
    progress_line.received(3 << 20, 8 << 20)
    wait_for(stream, f"{ERASED} package#x: install, 3.0 of 8.0 MiB, 0s")
    progress_line.received(4 << 20, None)
    wait_for(stream, f"{ERASED} package#x: install, 4.0 MiB, 0s")
    progress_line.doing("")
    assert stream.getvalue().endswith(ERASED)
    drawn = stream.getvalue()
    # The thread that draws would draw the next work and this one.
    progress_line.doing("next")
    wait_for(stream, " next, 0s")
    assert "package#x" not in stream.getvalue()[len(drawn) :]
    progress_line.doing("")


def test_the_progress_line_is_erased_before_other_lines(line):
    progress_line, stream = line
    progress_line.doing("a\nb")
    wait_for(stream, " a?b, 0s")
    progress_line.erase()
    assert ERASED in stream.getvalue()
    progress_line.doing("")


def test_short_work_is_not_shown():
    stream = io.StringIO()
    progress_line = Progress(stream)
    for number in range(100):
        progress_line.doing(str(number))
        progress_line.doing("")
    assert stream.getvalue() == ""


def test_a_closed_terminal_does_not_end_the_run(monkeypatch):
    class ClosedTerminal(io.StringIO):
        written = 0

        def write(self, text):
            ClosedTerminal.written += 1
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(progress, "_DELAY", 0.01)
    progress_line = Progress(ClosedTerminal())
    progress_line.doing("a")
    wait_until(lambda: ClosedTerminal.written)
    progress_line.doing("")


def run_with_terminal(*words, stderr_watched=True):
    """Run the command with a terminal as stderr; return the output of the terminal, and stdout."""
    master, slave = pty.openpty()
    env = dict(os.environ, TERM="xterm")
    process = subprocess.Popen(
        [*CCM, *words],
        stdout=subprocess.PIPE,
        stderr=slave if stderr_watched else subprocess.PIPE,
        env=env,
    )
    os.close(slave)
    out = process.stdout.read().decode()
    progress_line = b""
    try:
        while chunk := os.read(master, 4096):
            progress_line += chunk
    except OSError:
        pass
    os.close(master)
    if process.stderr:
        progress_line = process.stderr.read()
        process.stderr.close()
    process.stdout.close()
    assert process.wait() == 0
    return progress_line.decode(), out


@pytest.mark.starts_processes
def test_long_work_is_shown_only_on_a_terminal():
    words = ("ensure", "exec", "sleep 1")
    progress_line, out = run_with_terminal(*words)
    assert re.search(r"\r\x1b\[K exec#sleep 1: [a-z]+, 0s", progress_line)
    assert progress_line.endswith(ERASED)
    assert out.startswith(" WARN  exec#sleep 1 changed ")
    assert "\x1b" not in out
    assert run_with_terminal(*words, stderr_watched=False)[0] == ""


def lines(text):
    found = [json.loads(line) for line in text.splitlines()]
    assert all(list(each) == ["time", "level", "msg", "fields"] for each in found)
    return [(each["level"], each["msg"], each["fields"]) for each in found]


@pytest.mark.starts_processes
def test_log_lines_in_json(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "ccm:\n  pre_message: before\n  post_message: after\n  resources:\n  - exec: {name: 'true'}\n"
        "  - exec: {name: x, creates: /}\n"
    )
    ran = ccm("apply", "--log-format", "json", "--info", "m.yaml")
    found = lines(ran.out)
    assert [entry[:2] for entry in found] == [
        ("INFO", "before"),
        ("INFO", "Executing manifest"),
        ("WARN", "exec#true changed"),
        ("INFO", "exec#x stable"),
        ("INFO", "after"),
        ("INFO", "Manifest Run Summary"),
    ]
    assert found[1][2] == {"manifest": "m.yaml", "resources": 2}
    assert (found[-1][2]["total_resources"], found[-1][2]["changed_resources"]) == (2, 1)
    assert ("INFO", "Acting", {"resource": "exec#true", "action": "execute"}) in lines(ran.err)


@pytest.mark.starts_processes
def test_a_repeated_field_becomes_a_list(ccm, tmp_path):
    store = ccm("session", "new").out.strip().partition("=")[2]
    for name in ("a", "b"):
        ccm("ensure", "--session", store, "exec", "--alias", name, "false")
    ran = ccm(
        "--log-format=json", "ensure", "exec", "--session", store, "--require", "exec#a", "--require", "exec#b", "true"
    )
    assert lines(ran.out)[0][2]["unmet"] == ["exec#a", "exec#b"]


def test_differences_are_log_lines(ccm, tmp_path, me):
    user, group = me
    (tmp_path / "m.yaml").write_text(
        f"ccm: {{resources: [{{file: {{name: {tmp_path}/f, ensure: present, content: x, owner: {user}, group: {group}, "
        "mode: '0644'}}]}\n"
    )
    found = lines(ccm("apply", "--diff", "--noop", "--log-format", "json", "m.yaml").out)
    assert found[1][1] == "Difference"
    assert found[1][2]["resource"] == f"file#{tmp_path}/f"
    assert "\n+x\n" in found[1][2]["diff"]


def test_errors_are_log_lines(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: {name: x, nosuch: 1}}]}")
    ran = ccm("apply", "--log-format", "json", "m.yaml")
    level, message, fields = lines(ran.err)[0]
    assert (ran.status, ran.out, level) == (1, "", "ERROR")
    assert message == 'invalid manifest resource 1: unknown property "nosuch" in exec'
    assert fields["position"] == "m.yaml:1:36"
    assert fields["resource"] == "exec#x"
    assert fields["advice"].startswith("known: ")
    (tmp_path / "m.yaml").write_text("a: b: c")
    assert lines(ccm("apply", "--log-format", "json", "m.yaml").err)[0][2]["position"] == "m.yaml:1:5"


def test_an_unknown_format_is_refused(ccm):
    assert ccm("--log-format", "xml", "facts").err == "ccm: error: enum value must be one of text,json, got 'xml'\n"
