# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm session`: new, report, and removal."""

from __future__ import annotations

import json
import os
import stat
import subprocess

import pytest


@pytest.mark.parametrize("name", ["new", "start", "create"])
def test_a_session_is_created_below_the_temporary_directory(ccm, tmp_path, name):
    ran = ccm("session", name)
    path = ran.out.removeprefix("export CCM_SESSION_STORE=").rstrip("\n")
    assert os.path.dirname(path) == str(tmp_path)
    assert os.path.basename(path).startswith("ccm-session-")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o700


def test_a_session_is_created_in_a_given_directory(ccm, tmp_path):
    ran = ccm("session", "new", "--directory", "a/b")
    assert ran.out == f"export CCM_SESSION_STORE={tmp_path}/a/b\n"
    assert stat.S_IMODE(os.stat(tmp_path / "a/b").st_mode) == 0o700
    again = ccm("session", "new", "--directory", "a/b")
    assert (again.status, again.err) == (1, "ccm: error: session store a/b already exists\n")
    (tmp_path / "f").touch()
    assert "ccm: error: session store f/x cannot be made: " in ccm("session", "new", "--directory", "f/x").err


@pytest.mark.starts_processes
@pytest.mark.parametrize("name", ["a b", "it's", "$HOME", "`id`", 'a"b', "x;y", "~", "a:~b", "a\\b", "a\nb"])
def test_the_export_line_is_quoted_for_a_shell(ccm, tmp_path, name):
    export = ccm("session", "new", "--directory", name).out
    script = f'{export}cd / && printf %s "$CCM_SESSION_STORE"'
    store = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    assert store == f"{tmp_path}/{name}"


def test_a_temporary_directory_can_be_relative(ccm, tmp_path, monkeypatch):
    (tmp_path / "t").mkdir()
    monkeypatch.setenv("TMPDIR", "t")
    assert ccm("session", "new").out.startswith(f"export CCM_SESSION_STORE={tmp_path}/t/ccm-session-")


@pytest.mark.starts_processes
def test_a_report(ccm, tmp_path):
    (tmp_path / "s").mkdir()
    for command in ("true", "true", "false"):
        ccm("ensure", "exec", command, "--session", "s")
    lines = ccm("session", "report", "--session", "s").out.splitlines()
    assert lines[:3] == ["", "Session Summary", ""]
    assert lines[3].startswith("             Run Time: ")
    assert lines[4:] == [
        "      Total Resources: 3",
        "     Unique Resources: 2",
        "     Stable Resources: 0",
        "    Changed Resources: 2",
        "     Failed Resources: 1",
        "    Skipped Resources: 0",
        "  Refreshed Resources: 0",
        "         Total Errors: 1",
    ]


@pytest.mark.starts_processes
def test_a_report_in_json(ccm, tmp_path):
    (tmp_path / "s").mkdir()
    assert "start_time" not in ccm("session", "report", "--json", "--session", "s").out
    for command in ("true", "false"):
        ccm("ensure", "exec", command, "--session", "s")
    first = min(json.loads(path.read_text())["timestamp"] for path in (tmp_path / "s").iterdir())
    report = json.loads(ccm("session", "report", "--json", "--session", "s").out)
    counted = {name: count for name, count in report.items() if count}
    assert counted["start_time"] == first
    assert counted.pop("start_time") <= counted.pop("end_time")
    assert counted.pop("total_duration") > 0
    assert counted == {
        "total_resources": 2,
        "unique_resources": 2,
        "changed_resources": 1,
        "failed_resources": 1,
        "total_errors": 1,
    }


def test_a_report_needs_a_session(ccm, monkeypatch):
    ran = ccm("session", "report")
    assert ran.status == 1
    assert ran.err.startswith("ccm: error: no session store specified\n")
    monkeypatch.setenv("CCM_SESSION_STORE", "none")
    assert "      Total Resources: 0\n" in ccm("session", "report").out


@pytest.mark.starts_processes
def test_only_the_owner_can_read_events_of_a_session(ccm, tmp_path):
    mask = os.umask(0)
    try:
        store = ccm("session", "new").out.strip().partition("=")[2]
        ccm("ensure", "exec", "true", "--session", store)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(os.stat(store).st_mode) == 0o700
    modes = {stat.S_IMODE(entry.stat().st_mode) for entry in os.scandir(store)}
    assert modes == {0o600}


@pytest.mark.starts_processes
def test_variables_with_names_of_secrets_are_hidden_in_events(ccm, tmp_path):
    store = tmp_path / "store"
    store.mkdir()
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        "ccm:\n  resources:\n    - exec:\n"
        "        - 'true': {environment: [DB_PASSWORD=hunter2, API_TOKEN=two words, MODE=plain]}\n",
        encoding="utf-8",
    )
    assert ccm("apply", manifest, "--session", store).status == 0
    message = "".join(path.read_text(encoding="utf-8") for path in store.iterdir())
    assert "hunter2" not in message
    assert '"DB_PASSWORD=REDACTED"' in message
    assert '"API_TOKEN=REDACTED"' in message
    assert "MODE=plain" in message
