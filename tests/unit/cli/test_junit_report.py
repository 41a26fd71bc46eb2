# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`--junit` of `ccm apply` and `ccm plan`."""

from __future__ import annotations

import json
import os
from xml.etree import ElementTree

import pytest

MANIFEST = """\
ccm:
  resources:
    - exec:
        - "true": {}
        - "false": {}
        - "echo <&> \\u0001": {require: ["exec#false"]}
        - never: {command: "true", control: {if: "false"}}
    - apply:
        - child.yaml: {}
"""
CHILD = "ccm: {resources: [{file: {name: /nosuch/file, ensure: absent}}]}\n"


@pytest.fixture
def manifest(tmp_path):
    (tmp_path / "child.yaml").write_text(CHILD, encoding="utf-8")
    path = tmp_path / "manifest.yaml"
    path.write_text(MANIFEST, encoding="utf-8")
    return path


def suites(path):
    return {suite.get("name"): suite for suite in ElementTree.parse(path).getroot()}


@pytest.mark.starts_processes
def test_a_run_as_junit_xml(ccm, manifest, tmp_path):
    plain = ccm("apply", manifest, "--no-report").out.splitlines()
    ran = ccm("apply", manifest, "--no-report", "--junit", "out.xml")
    assert (ran.status, len(ran.out.splitlines())) == (0, len(plain))
    found = suites(tmp_path / "out.xml")
    suite, child = found[str(manifest)], found["child.yaml"]
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "0", "2"]
    done, failed, unmet, skipped, _apply = suite
    assert (done.get("name"), done.find("system-out").text) == ("exec#true", "changed")
    assert "exit code 1 not in allowed returns" in failed.find("failure").text
    assert unmet.find("skipped").get("message") == "unmet requirement: exec#false"
    assert unmet.get("name") == "exec#echo <&> \\x01"
    assert skipped.find("skipped").get("message") == "its control is not met"
    assert [case.get("name") for case in child] == ["file#/nosuch/file"]


def test_a_plan_as_junit_xml(ccm, manifest, tmp_path):
    ran = ccm("plan", manifest, "--json", "--junit", "out.xml")
    assert len(json.loads(ran.out)["steps"]) == 6
    first = suites(tmp_path / "out.xml")[str(manifest)][0]
    assert first.find("system-out").text == "changed: Would have executed"


@pytest.mark.parametrize("command", ["apply", "plan"])
def test_a_manifest_that_cannot_be_used_is_a_failed_case(ccm, tmp_path, command):
    (tmp_path / "bad.yaml").write_text("ccm: {resources: [{fil: {name: /x}}]}\n", encoding="utf-8")
    assert ccm(command, "bad.yaml", "--junit", "out.xml").status == 1
    (case,) = suites(tmp_path / "out.xml")["bad.yaml"]
    assert "unknown resource type fil" in case.find("failure").text


@pytest.mark.starts_processes
def test_a_file_that_cannot_be_written_is_an_error(ccm, manifest):
    ran = ccm("apply", manifest, "--no-report", "--junit", "missing/out.xml")
    assert (ran.status, "cannot write the report missing/out.xml: " in ran.err) == (1, True)
    assert "exec#true changed" in ran.out


@pytest.mark.parametrize("is_link", [False, True])
def test_the_report_does_not_replace_a_named_pipe(ccm, manifest, tmp_path, is_link):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    name = "link" if is_link else "pipe"
    ran = ccm("apply", manifest, "--no-report", "--junit", name)
    text = f"cannot write the report {name}: {name} exists as a named pipe; cannot replace it by a file"
    assert (ran.status, text in ran.err, "changed" in ran.out) == (1, True, False)
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("command", ["apply", "plan"])
@pytest.mark.parametrize("is_link", [False, True])
def test_the_report_does_not_replace_a_directory(ccm, manifest, tmp_path, is_link, command):
    (tmp_path / "reports").mkdir()
    (tmp_path / "link").symlink_to("reports")
    name = "link" if is_link else "reports"
    ran = ccm(command, manifest, "--junit", name)
    text = f"cannot write the report {name}: {name} exists as a directory; cannot replace it by a file"
    assert (ran.status, text in ran.err, ran.out, os.listdir(tmp_path / "reports")) == (1, True, "", [])
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("command", ["apply", "plan"])
def test_a_report_on_a_mount_point_is_refused_before_the_run(ccm, manifest, listed_mounts, tmp_path, command):
    (tmp_path / "out.xml").write_text("mounted")
    listed_mounts(tmp_path / "out.xml")
    ran = ccm(command, manifest, "--junit", "out.xml")
    text = (
        "cannot write the report out.xml: out.xml can be neither replaced nor removed: /at2 of /dev/b (ext4) is mounted"
    )
    assert (ran.status, text in ran.err, ran.out) == (1, True, "")
    assert (tmp_path / "out.xml").read_text() == "mounted"


def test_the_report_does_not_replace_a_link_to_the_output(ccm, manifest, tmp_path):
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")
    ran = ccm("apply", manifest, "--no-report", "--junit", "stdout")
    text = "cannot write the report stdout: stdout is a link of the system; cannot replace it by a file"
    assert (ran.status, text in ran.err) == (1, True)
    assert (tmp_path / "stdout").is_symlink()
