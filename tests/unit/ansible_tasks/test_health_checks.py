# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks with health checks."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.argument_spec import argument_spec
from ccm.ansible_tasks.exec_task import run_exec
from ccm.model.common import common_properties
from ccm.resources.exec.type import TYPE as EXEC

from tests.unit.ansible_tasks.module import ran


def task(*checks, check=False, **arguments):
    arguments = {"name": "/bin/true", "health_checks": list(checks), **arguments}
    return ran(lambda module: run_exec(module, EXEC), argument_spec(EXEC), arguments, check)


def test_a_check_is_declared_like_in_manifests():
    declared = next(prop for prop in common_properties() if prop.name == "health_checks")
    kinds = {
        field.name: {"integer": "int", "string": "str", "data": "dict"}.get(field.kind) for field in declared.fields
    }
    options = argument_spec(EXEC)["health_checks"]["options"]
    assert {name: option["type"] for name, option in options.items()} == {
        name: kind for name, kind in kinds.items() if name != "format"
    }


@pytest.mark.starts_processes
def test_a_passed_check():
    result = task({"command": "echo well"})
    assert (result["changed"], result["failed"]) == (True, False)
    assert result["event"]["health_check"] == [{"status": 0, "tries": 1, "Output": "well"}]


@pytest.mark.starts_processes
@pytest.mark.parametrize("check_mode", [False, True])
def test_a_failed_check_fails_the_task(check_mode, tmp_path):
    script = tmp_path / "check"
    script.write_text("#!/bin/sh\necho high\nexit 1\n")
    script.chmod(0o755)
    checks = [{"command": str(script), "tries": 2, "try_sleep": "1ms"}, {"command": "true"}]
    result = task(*checks, check=check_mode, creates="/")
    assert result["msg"] == 'exec#/bin/true: health check status "WARNING"; health check check: high'
    assert [entry["name"] for entry in result["health_checks"]] == ["check", "true"]
    assert [entry["status"] for entry in result["event"]["health_check"]] == [1, 0]
    assert result["event"]["health_check"][0] == {"status": 1, "tries": 2, "Output": "high"}
    assert len(result["warnings"]) == 2
    assert result["warnings"][0].startswith("Health check failed type=exec name=/bin/true format=nagios check=check")


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo first; echo second; exit 2", "first"),
        ("echo 'no route' >&2; echo more >&2; exit 2", "no route"),
        ("exit 3", "exit status 3"),
    ],
)
def test_the_message_says_which_check_failed_and_why(script, reason):
    quiet = {"command": "echo well", "name": "first"}
    result = task(quiet, {"command": f'sh -c "{script}"', "name": "answers"}, creates="/")
    assert result["msg"].endswith(f"; health check answers: {reason}")
    assert [check["name"] for check in result["health_checks"]] == ["first", "answers"]


def test_check_mode_runs_no_check_of_a_task_that_would_change():
    result = task({"command": "false"}, check=True)
    assert (result["changed"], result["failed"]) == (True, False)
    assert "health_check" not in result["event"]
    assert result["log"] == ["health checks not run: would change type=exec name=/bin/true"]


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"command": "true", "timeout": "soon"}, 'invalid timeout duration "soon"'),
        ({"command": " "}, "'format' flag is required"),
        ({"command": "sleep 5", "timeout": "10ms"}, "signal: killed"),
        ({"command": "no-such-command-here"}, "executable file not found"),
    ],
)
def test_a_check_that_cannot_run_has_a_reason(check, words):
    assert words in task(check)["msg"]


@pytest.mark.starts_processes
def test_a_module_that_was_sent_without_the_code_for_rules_refuses_them():
    result = task({"goss_rules": {"file": {"/": {"exists": True}}}})
    assert "goss_rules are not available in this module: use ccm.core.apply" in result["msg"]
