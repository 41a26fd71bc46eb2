# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of each resource in the result of a manifest's run."""

from __future__ import annotations

import os

import pytest
from ccm.manifest.reader import parse_manifest
from ccm.manifest.transport import pack

from .test_apply_task import task

FILES = """\
- file:
    - defaults: {ensure: present, owner: "%d", group: "%d", mode: "0644"}
    - %s/new: {content: one, health_checks: [{command: echo well}]}
- exec: {name: sh -c 'echo printed', logoutput: true}
- exec: {name: x, creates: /}
- exec: {name: excluded, control: {if: "false"}}
- exec: {name: sh -c 'exit 3'}
- exec: {name: y, require: ["exec#sh -c 'exit 3'"]}
"""


@pytest.fixture
def files(tmp_path):
    return FILES % (os.geteuid(), os.getegid(), tmp_path)


@pytest.mark.starts_processes
def test_each_resource_has_its_outcome_and_its_message(files, tmp_path):
    result = task(files)
    assert [(found["outcome"], found["msg"]) for found in result["resources"]] == [
        ("changed", "Created the file"),
        ("changed", "Executed"),
        ("stable", "Nothing to do"),
        ("skipped", "not managed: excluded by control"),
        ("failed", "failed to reach desired state: exit code 3: exit code 3 not in allowed returns [0]"),
        ("skipped due to unmet requirement", "not managed: unmet requirements exec#sh -c 'exit 3'"),
    ]
    assert result["resources"][0]["resource"] == f"file#{tmp_path}/new"
    assert result["resources"][0]["position"] == "site/manifest.yaml:5:11"
    assert all("diff" not in found for found in result["resources"])


@pytest.mark.starts_processes
def test_each_resource_has_its_own_lines_and_health_checks(files):
    first, printing, stable = task(files)["resources"][:3]
    assert first["health_checks"] == [{"name": "echo well", "status": 0, "tries": 1, "Output": "well"}]
    assert [line.split(" ")[1] for line in first["log"]] == ["changed"]
    assert printing["log"][0] == "printed"
    assert len(stable["log"]) == 1
    assert stable["log"][0].startswith("exec#x stable")
    assert "health_checks" not in printing


def test_check_mode_tells_what_would_be_done_and_what_differs(files, tmp_path):
    result = task(files, check=True, diff=True)
    first = result["resources"][0]
    assert (first["outcome"], first["msg"]) == ("changed", "Would have created the file")
    assert first["diff"][0]["after"] == "one"
    assert result["resources"][2]["diff"] == []
    assert result["diff"] == [entry for found in result["resources"] for entry in found["diff"]]
    assert list(tmp_path.iterdir()) == []


def test_the_resources_of_a_child_come_before_the_one_that_applies_it():
    child = pack(parse_manifest(b"ccm: {resources: [{exec: {name: x, creates: /}}]}\n", "child.yaml"))
    found = task("- apply:\n    - child.yaml: {}\n", children={"child.yaml": child})["resources"]
    assert [entry["resource"] for entry in found] == ["exec#x", "apply#child.yaml"]
    assert [len([line for line in entry["log"] if "exec#x" in line]) for entry in found] == [1, 0]


@pytest.mark.starts_processes
@pytest.mark.parametrize(("given", "ran"), [(None, 2), (True, 1), (False, 2)])
def test_the_first_failure_ends_the_run_on_request(given, ran):
    options = {} if given is None else {"fail_on_error": given}
    result = task("- exec: {name: 'false'}\n- exec: {name: 'true'}\n", options=options)
    assert (result["failed"], len(result["resources"])) == (True, ran)
