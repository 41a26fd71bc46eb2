# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A resource without `ensure` has the default of its type, in manifests, requests and lint (decisions.md Q66)."""

from __future__ import annotations

import json

import pytest
from ccm.model.protocols import ENSURE_REQUEST

OWN = {"owner": "root", "group": "root"}
WITHOUT_ENSURE = {
    "archive": {**OWN, "url": "http://192.0.2.1/x.zip"},
    "file": {**OWN, "mode": "0644"},
    "package": {"provider": "apt"},
    "scaffold": {"source": "templates", "engine": "go"},
}


@pytest.fixture
def apply(ccm, tmp_path):
    """Apply the resources of one type in noop."""

    def run(type, declared):
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [{type: declared}]}}))
        return ccm("apply", "m.yaml", "--noop")

    return run


@pytest.fixture
def name(tmp_path, fake_program):
    """The name of a resource of each type; no package is installed, and each has a candidate."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/x").write_text("x")
    for program in ("apt-get", "apt-cache", "apt-mark", "dpkg-query"):
        fake_program(program, "exit 1")
    return lambda type: "x" if type == "package" else str(tmp_path / "x.zip")


@pytest.mark.starts_processes
@pytest.mark.parametrize("type", WITHOUT_ENSURE)
def test_it_is_present_when_the_key_is_not_there(ccm, apply, name, type):
    properties = WITHOUT_ENSURE[type]
    for declared in (
        {"name": name(type), **properties},
        [{name(type): {}}, {"defaults": properties}],
    ):
        ran = apply(type, declared)
        assert f"{type}#{name(type)} changed ensure=present" in ran.out
    request = {"protocol": ENSURE_REQUEST, "type": type, "properties": {"name": name(type), **properties}}
    reply = json.loads(ccm("ensure", "api", "pipe", "--noop", stdin=json.dumps(request)).out)
    assert (reply["state"]["requested_ensure"], reply["state"]["properties"]["ensure"]) == ("present", "present")


@pytest.mark.parametrize("type", WITHOUT_ENSURE)
@pytest.mark.parametrize("value", ["", None, "{{ '' }}", "{{ lookup('data.none', '') }}"])
def test_an_empty_one_is_refused(ccm, apply, name, type, value):
    properties = {"name": name(type), **WITHOUT_ENSURE[type], "ensure": value}
    wanted = "nsure is required", "nvalid ensure value", "value must be one of"
    refused = [
        apply(type, properties).err,
        apply(type, [{"defaults": {"ensure": "absent"}}, {name(type): properties}]).err,
        apply(type, [{"defaults": {"ensure": value}}, {name(type): WITHOUT_ENSURE[type]}]).err,
        ccm(
            *("ensure", "api", "pipe", "--noop"),
            stdin=json.dumps({"protocol": ENSURE_REQUEST, "type": type, "properties": properties}),
        ).out,
    ]
    for text in refused:
        assert any(each in text for each in wanted), text


def test_defaults_of_a_list_come_before_that_of_the_type(apply, name, tmp_path):
    (tmp_path / "x.zip").write_text("")
    ran = apply("file", [{name("file"): WITHOUT_ENSURE["file"]}, {"defaults": {"ensure": "absent"}}])
    assert "changed ensure=absent" in ran.out


@pytest.mark.starts_processes
def test_a_null_entry_does_not_become_the_opposite_of_the_defaults(apply, name):
    assert "ensure is required" in apply("package", [{"x": None}, {"defaults": {"ensure": "absent"}}]).err
    assert "changed ensure=present" in apply("package", [{"x": None}, {"defaults": {"alias": "y"}}]).out


@pytest.mark.parametrize("type", WITHOUT_ENSURE)
def test_lint_reports_a_missing_one_as_the_original_refuses_it(ccm, tmp_path, type):
    for given, found in (({}, 1), ({"ensure": "absent"}, 0)):
        declared = {type: {"name": "/x.zip", **WITHOUT_ENSURE[type], **given}}
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [declared]}}))
        for flags, level in ((("--upstream",), "error"), (("--portability",), "warning")):
            findings = json.loads(ccm("lint", "m.yaml", "--json", *flags).out)["findings"]
            messages = [each["level"] for each in findings if "wants ensure to be given" in each["message"]]
            assert messages == [level] * found


def test_lint_reports_attributes_of_files_that_the_original_wants(ccm, tmp_path):
    for given, wanted in (
        ({}, ["owner", "group", "mode"]),
        ({"owner": "root", "mode": "0644"}, ["group"]),
        ({"ensure": "directory", "owner": "root", "group": "root"}, ["mode"]),
        ({"ensure": "absent"}, []),
        ({"ensure": "{{ Data.state }}"}, []),
    ):
        declared = {"file": {"name": "/x", "ensure": "present", **given}}
        manifest = {"data": {"state": "absent"}, "ccm": {"resources": [declared]}}
        (tmp_path / "m.yaml").write_text(json.dumps(manifest))
        for flags, level in ((("--upstream",), "error"), (("--portability",), "warning")):
            findings = json.loads(ccm("lint", "m.yaml", "--json", *flags).out)["findings"]
            found = [(each["level"], each["message"]) for each in findings if "the original wants" in each["message"]]
            assert found == [(level, f"the original wants {name} to be given") for name in wanted]
        assert json.loads(ccm("lint", "m.yaml", "--json").out)["findings"] == []


def test_lint_checks_a_source_next_to_a_file_without_one(ccm, tmp_path):
    properties = {"name": "/x", "source": "none", **WITHOUT_ENSURE["file"]}
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [{"file": properties}]}}))
    assert "there is no file none next to the manifest" in ccm("lint", "m.yaml").out
