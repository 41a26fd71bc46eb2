# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure file` and `ccm ensure exec`: from flags to properties to events."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def event(ccm, tmp_path):
    """Ensure a resource in a session of its own; return the recorded event."""
    store = tmp_path / "store"

    def run(*words):
        for old in store.glob("*"):
            old.unlink()
        store.mkdir(exist_ok=True)
        ran = ccm("ensure", "--session", store, *words)
        assert ran.status == 0, ran.err
        (found,) = store.glob("*.event")
        return json.loads(found.read_text())

    return run


@pytest.mark.starts_processes
def test_exec_with_every_flag(event, tmp_path):
    words = (
        *(
            "exec",
            "run it",
            "--creates",
            "/none",
            "--returns",
            "0",
            "--returns",
            "3",
            "--timeout",
            "5s",
            "--cwd",
            "/tmp",
        ),
        *("-e", "A=1", "--environment", "B=2", "--path", "/bin:/usr/bin", "--refresh-only", "-S", "file#/x"),
        *("--logoutput", "--exec-if", "true", "--exec-unless", "false", "--provider", "shell", "--alias", "it"),
        *("--if", "true", "--unless", "1 == 2", "--check", "check it", "--check-tries", "2", "--check-sleep", "90s"),
    )
    properties = event("--noop", *words)["properties"]
    checks = properties.pop("health_checks")
    assert properties == {
        "name": "run it",
        "alias": "it",
        "ensure": "present",
        "provider": "shell",
        "control": {"if": "true", "unless": "1 == 2"},
        "command": "",
        "cwd": "/tmp",
        "environment": ["A=1", "B=2"],
        "path": "/bin:/usr/bin",
        "returns": [0, 3],
        "timeout": "5s",
        "creates": "/none",
        "onlyif": "true",
        "unless": "false",
        "refreshonly": True,
        "subscribe": ["file#/x"],
        "logoutput": True,
    }
    assert checks == [{"command": "check it", "tries": 2, "try_sleep": "1m30s"}]


@pytest.mark.starts_processes
def test_a_variable_may_have_an_empty_value(event, tmp_path):
    """Q83."""
    event("exec", "sh -c 'env > variables'", "-e", "HTTP_PROXY=", "--cwd", tmp_path)
    assert "HTTP_PROXY=" in (tmp_path / "variables").read_text().splitlines()


@pytest.mark.starts_processes
def test_exec_with_defaults(event):
    found = event("exec", "true")
    assert found["properties"] == {
        "name": "true",
        "ensure": "present",
        "command": "",
        "returns": [0],
        "timeout": "1m",
    }
    assert (found["provider"], found["changed"], found["failed"]) == ("posix", True, False)


@pytest.mark.starts_processes
def test_a_failed_resource_does_not_fail_the_command(ccm):
    ran = ccm("ensure", "exec", "false")
    assert ran.status == 0
    assert ran.out.startswith(" ERROR exec#false failed ensure=present runtime=")
    assert "errors=failed to reach desired state: exit code 1" in ran.out


@pytest.mark.starts_processes
def test_output_of_a_command_is_logged_before_its_line(ccm):
    lines = ccm("ensure", "exec", "printf 'one\\ntwo\\n'", "--logoutput").out.splitlines()
    assert lines[:2] == [" INFO  one", " INFO  two"]
    assert "changed" in lines[2]


def test_a_new_file_belongs_to_the_user(event, me, tmp_path):
    owner, group = me
    assert event("file", tmp_path / "a", "--content", "x")["properties"] == {
        "name": str(tmp_path / "a"),
        "ensure": "present",
        "content": "x",
        "owner": owner,
        "group": group,
        "mode": "0644",
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("ann:staff", ("ann", "staff")),
        ("ann", ("ann", None)),
        (":staff", (None, "staff")),
        ("1:2", ("1", "2")),
    ],
)
def test_owner_and_group_in_one_flag(event, me, tmp_path, given, wanted):
    properties = event("file", tmp_path / "none", "absent", "--owner", given)["properties"]
    assert (properties["owner"], properties["group"]) == tuple(
        want or mine for want, mine in zip(wanted, me, strict=True)
    )


def test_directories_get_execute_bits(event, tmp_path):
    assert event("file", tmp_path / "d", "directory")["properties"]["mode"] == "0755"
    assert event("file", tmp_path / "e", "directory", "--mode", "0700")["properties"]["mode"] == "0700"


def test_content_of_a_file_is_a_template_and_can_be_empty(event, tmp_path):
    (tmp_path / "t").write_text("sum {{ 1 + 2 }}\n")
    assert event("file", tmp_path / "a", "--content-file", "t")["properties"]["content"] == "sum 3\n"
    assert (tmp_path / "a").read_text() == "sum 3\n"
    assert event("file", tmp_path / "a", "--content", "")["properties"]["content"] == ""
    assert (tmp_path / "a").read_text() == ""


def test_a_full_directory_is_removed_only_with_force(ccm, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").touch()
    assert "failed" in ccm("ensure", "file", tmp_path / "d", "absent").out
    assert "changed" in ccm("ensure", "file", tmp_path / "d", "absent", "--force").out
    assert not (tmp_path / "d").exists()


@pytest.mark.starts_processes
def test_data_is_read_from_the_current_directory(ccm, tmp_path):
    (tmp_path / ".hiera").write_text("data: {v: dot}")
    (tmp_path / "other.yaml").write_text("data: {v: other}")
    words = ("exec", 'printf \'{{ lookup("data.v", "none") }}\\n\'', "--logoutput")
    assert ccm("ensure", *words).out.startswith(" INFO  dot\n")
    assert ccm("ensure", *words, "--hiera", "other.yaml").out.startswith(" INFO  other\n")
    assert ccm("ensure", "--hiera", "none.yaml", *words).out.startswith(" INFO  none\n")
    (tmp_path / "bad.yaml").write_text("hierarchy: []")
    assert ccm("ensure", "--hiera", "bad.yaml", *words).status == 1


@pytest.mark.starts_processes
def test_sessions_are_shared(ccm, tmp_path, monkeypatch):
    (tmp_path / "s").mkdir()
    monkeypatch.setenv("CCM_SESSION_STORE", str(tmp_path / "s"))
    ccm("ensure", "exec", "true", "--alias", "first")
    assert "refreshed" in ccm("ensure", "exec", "echo", "--refresh-only", "--subscribe", "exec#first").out
    ccm("ensure", "exec", "false")
    assert "skipped due to unmet requirement" in ccm("ensure", "exec", "id", "--require", "exec#false").out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["file", "a"], "file#a: invalid resource: file path must be absolute"),
        (
            ["file", "/a", "there"],
            'file#/a: invalid resource: invalid ensure value: must be one of "present", "absent"',
        ),
        (["file", "/a", "--content", "x", "--content-file", "t"], "cannot specify both contents and contents-file"),
        (["file", "/a", "--content", "", "--source", "t"], "cannot specify both source and contents or contents-file"),
        (["file", "/a", "--source", "none"], "path 'none' does not exist"),
        (["file", "/a", "--mode", "u+x"], 'file#/a: invalid resource: mode "u+x" is not a valid octal number'),
        (["exec", "true", "--provider", "nope"], "ccm: error: invalid resource: provider not found"),
        (["exec", "true", "--path", "bin"], 'exec#true: invalid resource: invalid path: "bin" is not an absolute path'),
        (["exec", "true", "--require", "exec#x"], "session store should be set when using requires"),
        (["exec", "{{ nope }}"], "unknown name nope"),
        (["--session", "", "exec", "true"], "session store should not be empty"),
        (["exec", "true", "--returns", "many"], "expected a whole number got 'many'"),
    ],
)
def test_refused_commands(ccm, tmp_path, words, text):
    (tmp_path / "t").touch()
    ran = ccm("ensure", *words)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("ccm: error: ")
    assert text in ran.err


@pytest.mark.starts_processes
def test_a_session_that_does_not_exist_is_reported_after_the_run(ccm, tmp_path):
    ran = ccm("ensure", "exec", f"touch {tmp_path}/x", "--session", tmp_path / "none")
    assert (ran.status, ran.out) == (1, "")
    assert f"ccm: error: session store {tmp_path}/none does not exist" in ran.err
    assert (tmp_path / "x").exists()


@pytest.mark.starts_processes
def test_a_health_check_of_the_command_line_runs(event):
    found = event("exec", "true", "--check", "sh -c 'echo well; exit 1'", "--check-tries", "2", "--check-sleep", "1ms")
    assert found["health_check"] == [{"status": 1, "tries": 2, "Output": "well"}]
    assert found["failed"] is True


@pytest.mark.parametrize("given", [(), ("--hiera", ".hiera"), ("--hiera", "none.yaml")])
def test_a_file_of_data_that_is_missing_is_named_in_the_log_only(ccm, tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    ran = ccm("ensure", "exec", "true", "--noop", "--debug", *given)
    name = given[-1] if given else ".hiera"
    assert ran.status == 0
    lines = [line.partition(" level=")[2] for line in ran.err.splitlines() if "iera" in line]
    assert lines == [
        f'DEBUG msg="Loading overriding hiera data from external source" source={name}',
        f'DEBUG msg="Hiera data file not found, skipping" file={name}',
    ]


def test_a_file_of_data_that_leads_nowhere_is_missing_and_another_one_is_read(ccm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("ensure", "exec", "{{ lookup('data.x', 'none') }}", "--noop")
    (tmp_path / ".hiera").symlink_to("nowhere")
    assert "exec#none" in ccm(*words).out
    (tmp_path / "nowhere").write_text("data: {x: given}\n")
    assert "exec#given" in ccm(*words).out
    (tmp_path / "nowhere").write_text("data: [\n")
    assert ccm(*words).status == 1


@pytest.mark.parametrize(
    ("type", "words"),
    [
        ("file", "present, absent, directory, link"),
        ("package", "present, absent, latest, purged, a version"),
        ("service", "running, stopped, unmanaged"),
        ("user", "present, absent"),
    ],
)
def test_the_help_names_the_words_of_ensure(ccm, type, words):
    ran = ccm("ensure", type, "--help")
    assert f"Ensure value: {words}\n" in ran.out + ran.err
