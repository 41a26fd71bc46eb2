# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks of a resource: each runs, and what cannot be run is UNKNOWN (Q6, Q64)."""

from __future__ import annotations

import pytest
from ccm.engine.transaction import run_transaction
from ccm.model.health_check import CheckResult

from tests.unit.engine.lamp_type import context, lamp
from tests.unit.manifest.runs import GRAPH, loaded, ran


@pytest.mark.parametrize("error", [TypeError("s3cret"), OverflowError("s3cret")])
def test_an_unexpected_error_in_a_health_check_makes_its_result_unknown(error):
    def raise_error(check, resource, context):
        raise error

    check = dict.fromkeys(("command", "timeout", "try_sleep"), "")
    check |= {"goss_rules": {"file": {}}, "name": "h", "tries": 1, "format": "goss"}
    event = run_transaction(lamp("desk", health_checks=[check]), context(run_check=raise_error))
    problem, status = event.errors
    assert problem == event.health_checks[0]["Output"]
    assert problem.startswith(f"health check h: unexpected {type(error).__name__}")
    assert status == 'health check status "UNKNOWN"'
    assert event.health_checks[0]["status"] == 3
    assert "s3cret" not in problem


def test_health_checks_fail_without_a_runner_of_health_checks():
    check = {
        "command": "true",
        "goss_rules": None,
        "name": "h",
        "timeout": "",
        "tries": 1,
        "try_sleep": "",
        "format": "",
    }
    event = run_transaction(lamp("desk", health_checks=[check]), context())
    assert event.errors[0] == "health check h: health checks are not supported here"


@pytest.mark.parametrize("engine", ["", GRAPH])
def test_health_checks_of_a_resource_in_noop_are_not_run(engine):
    resources = "- exec: {name: ls, meta: {noop: true}, health_checks: [{command: 'false'}]}"
    events, log = ran(loaded(resources, engine=engine))
    assert (events["ls"].failed, "health checks not run: would change" in log) == (False, True)


FAILING = "health_checks: [{command: 'false'}]"


NOT_RUN = " INFO  health checks not run: would change type=exec name={}"


@pytest.fixture
def preview(ccm, tmp_path):
    """Return the lines that `ccm apply --noop` prints for a manifest with these `exec` resources."""

    def run(*resources):
        lines = "".join(f"    - exec: {{name: {resource}}}\n" for resource in resources)
        (tmp_path / "m.yaml").write_text(f"ccm:\n  resources:\n{lines}")
        return ccm("apply", "m.yaml", "--noop", "--no-report").out.splitlines()

    return run


def test_noop_does_not_check_a_resource_that_would_change(preview):
    lines = preview(f"'true', {FAILING}")
    assert lines[1] == NOT_RUN.format("true")
    assert lines[2].startswith(" WARN  exec#true changed")


@pytest.mark.starts_processes
def test_noop_checks_no_resource_after_one_that_would_change(preview):
    lines = preview(f"first, creates: /, {FAILING}", "'true'", f"last, creates: /, {FAILING}")
    assert lines[1].startswith(" WARN  Health check failed type=exec name=first")
    assert lines[2].startswith(" ERROR exec#first failed")
    assert lines[4] == NOT_RUN.format("last")
    assert lines[5].startswith(" INFO  exec#last stable")


def test_a_plan_has_no_failed_checks_of_resources_that_would_change(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{{exec: {{name: 'true', {FAILING}}}}}]}}")
    ran = ccm("plan", "m.yaml")
    assert (ran.status, ran.out.splitlines()[-1]) == (2, "1 to change, 0 stable, 0 skipped, 0 to fail")


def check(name):
    return {
        "name": name, "command": "true", "goss_rules": None, "timeout": "", "tries": 1, "try_sleep": "", "format": "",
    }  # fmt: skip


def test_all_checks_run_and_any_result_but_ok_fails_the_event():
    results = {"a": CheckResult(0, 1, "fine"), "b": CheckResult(2, 3, "bad", ("x", "y")), "c": CheckResult(1, 1, "so")}
    given = {"run_check": lambda check, _resource, _context: results[check["name"]]}
    event = run_transaction(lamp("desk", health_checks=[check(name) for name in results]), context(**given))
    assert event.checked == ["a", "b", "c"]
    assert event.health_checks == [results[name].as_dict() for name in results]
    assert event.check_failures == ["x", "y"]
    assert event.errors == ['health check status "CRITICAL"', 'health check status "WARNING"']


def test_a_check_gets_what_is_known_of_the_run():
    found = []
    run_context = context(directory="/site", run_check=lambda *given: found.append(given) or CheckResult(0, 1, ""))
    resource = lamp("desk", health_checks=[check("a")])
    run_transaction(resource, run_context)
    ((_check, of, known),) = found
    assert of is resource
    assert (known.directory, known.machine, known.user_log) == ("/site", run_context.machine, run_context.user_log)
