# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that run a manifest which the controller parsed: messages of failures."""

from __future__ import annotations

import tempfile
import textwrap

import pytest
from ccm.ansible_tasks.apply_options import APPLY_OPTIONS, PACKED
from ccm.ansible_tasks.apply_task import run_apply
from ccm.manifest.reader import parse_manifest
from ccm.manifest.transport import pack, to_text

from .module import ran

EVENTS = {"events": True}
ADVICE = "give path the directory that holds all files"


def task(resources, *, options=None, children=None, data=None, vaulted=False, **modes):
    """Return the result of a task with `options` whose manifest declares `resources`, YAML text.

    `children` are the packed manifests that it applies, `data` is the option of this name.
    """
    text = "ccm:\n  resources:\n" + textwrap.indent(textwrap.dedent(resources), "    ")
    payload = {"document": pack(parse_manifest(text.encode(), "site/manifest.yaml")), "children": children or {}}
    payload.update(data=data, vaulted=vaulted)
    return ran(run_apply, APPLY_OPTIONS, {"manifest": {PACKED: to_text(payload)}, **(options or {})}, **modes)


@pytest.mark.starts_processes
@pytest.mark.parametrize(("count", "more"), [(1, ""), (5, ""), (7, "; and 2 more, see resources")])
def test_failures_are_in_one_message(count, more):
    failing = "".join(f"- exec: {{name: 'sh -c \"exit {number}\"'}}\n" for number in range(1, count + 1))
    result = task(failing + "- exec: {name: 'true'}\n")
    assert result["failed"]
    lead, _colon, rest = result["msg"].partition(": ")
    assert lead == f"{count} of {count + 1} resources failed"
    assert rest.count("failed to reach desired state: exit code") == min(count, 5)
    assert rest.endswith(f"exit code {min(count, 5)} not in allowed returns [0]{more}")


@pytest.mark.parametrize("call", ["kvGet('B', 'k')", "registrations('', '', '', '')"])
def test_nats_on_a_node_without_its_package(monkeypatch, call):
    monkeypatch.setattr("ccm.ansible_tasks.apply_task.find_spec", lambda name: None)
    result = task(f'- exec: {{name: x, command: "/bin/echo ${{ {call} }}"}}\n')
    reason = "NATS in expressions that the node resolves needs the Python package nats-py, which is not installed"
    assert f"{reason}: install ccm-core[nats] with pip" in result["msg"]


@pytest.mark.starts_processes
def test_a_failed_rule_is_named():
    result = task(
        "- exec: {name: 'true', health_checks: [{goss_rules: {file: {/none: {exists: true}}}}]}\n", options=EVENTS
    )
    rule = "File: /none: exists: Expected false to equal true"
    assert result["msg"] == (
        f'1 of 1 resources failed: site/manifest.yaml:3:7: exec#true: health check status "CRITICAL"; {rule}'
    )
    assert result["events"][0]["check_failures"] == [rule]
    assert f"{rule} type=exec name=true format=goss" in result["log"]


def test_the_place_of_a_late_error_is_a_field():
    result = task("- exec:\n    name: x\n    creates: '{{ Data.no.no }}'\n", options=EVENTS)
    place = "site/manifest.yaml:5:18"
    (resource,), (event,) = result["resources"], result["events"]
    assert (resource["position"], resource["error_position"]) == ("site/manifest.yaml:3:7", place)
    assert event["error_position"] == place
    assert resource["msg"].startswith("resolving field Creates: cannot fetch no from <nil>")
    assert result["msg"].startswith(f"1 of 1 resources failed: {place}: exec#x: resolving field Creates: ")
    assert result["msg"].count("manifest.yaml") == 1


@pytest.mark.starts_processes
def test_the_output_of_a_run_is_returned():
    result = task("- exec: {name: 'printf seen', logoutput: true}\n- exec: {name: x, creates: /}\n", options=EVENTS)
    assert "seen" in result["log"]
    assert result["log"][-1].startswith("exec#x stable ensure=present")
    assert (result["warnings"], [set(event) & {"check_failures"} for event in result["events"]]) == ([], [set(), set()])


@pytest.mark.parametrize("name", ["../evil.yaml", "../../.evil.yaml", "sub/../../evil.yaml"])
def test_a_child_outside_of_the_sent_files_is_refused(name):
    result = task(f"- apply:\n    - {name}: {{}}\n")
    assert result["failed"]
    assert result["msg"].endswith(f"apply#{name}: {name} is outside of the directory that was sent; {ADVICE}")


def test_the_place_of_an_error_in_a_vaulted_manifest_is_apart():
    """The action plugin shows it in place of the message."""
    given = "- exec: {name: x, k: hunter2}\n"
    assert "place" not in task(given)
    assert task(given, vaulted=True)["place"] == "site/manifest.yaml:3:23"


FILE = "- file: {name: %s/x, ensure: present, owner: root, group: root, mode: '0600', %s}\n"


@pytest.mark.parametrize(
    "given",
    [
        FILE % ("/srv", "source: ../evil"),
        FILE % ("/srv", "source: sub/../../evil"),
        FILE % ("/srv", "source: '{{ Data.evil }}'"),
        FILE % ("/srv", "content: '{{ readFile(Data.evil) }}'"),
        "- scaffold: {name: /srv/x, ensure: present, source: ../evil}\n",
        "- exec: {name: x, creates: /, health_checks: [{goss_rules: {gossfile: {../evil: {}}}}]}\n",
    ],
)
def test_a_relative_name_outside_of_the_sent_directory_is_refused(tmp_path, monkeypatch, given):
    """Any user may write files in the directory above it."""
    monkeypatch.setenv("TMPDIR", f"{tmp_path}/.//")
    (tmp_path / "evil").write_text("{}\n", encoding="utf-8")
    result = task(given, options={"facts": {}}, data={"evil": "../evil"}, check=True)
    assert result["failed"]
    assert "evil is outside of the directory that was sent" in result["msg"]


def test_a_template_of_resources_outside_of_the_sent_directory_is_refused():
    payload = {"document": pack(parse_manifest(b"ccm: {resources_jet_file: ../evil.jet}\n", "site/manifest.yaml"))}
    result = ran(run_apply, APPLY_OPTIONS, {"manifest": {PACKED: to_text(payload)}})
    assert "../evil.jet is outside of the directory that was sent (resources_jet_file: " in result["msg"]
    assert "; give path the directory that holds all files" in result["msg"]


def test_names_below_the_sent_directory_and_whole_names_may_be_read(tmp_path):
    """And the files of a manifest of the node, beside which they are."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "above").write_text("a\n", encoding="utf-8")
    child = "ccm:\n  resources:\n    " + FILE % (tmp_path, "source: ../above")
    (tmp_path / "sub/one.yaml").write_text(child, encoding="utf-8")
    result = task(
        FILE % (tmp_path, f"source: {tmp_path}/above") + f"- apply:\n    - {tmp_path}/sub/one.yaml: {{}}\n",
        check=True,
    )
    assert result["msg"] == "3 of 3 resources would change"


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    "given",
    [
        "- file: {name: /srv/x, content: '{{ readFile(\"in.txt\") }}', owner: root, group: root, mode: '0644'}\n",
        "- file: {name: /srv/x, content: '{{ template(\"in.templ\") }}', owner: root, group: root, mode: '0644'}\n",
        "- scaffold: {name: /srv/x, ensure: present, source: in.d, engine: go}\n",
    ],
)
def test_a_file_that_was_not_sent_is_named(given, check):
    result = task(given, options={"facts": {}}, check=check)
    name = given[given.index("in.") :].partition('"')[0].partition(",")[0]
    assert result["failed"]
    assert f"{name} was not sent with the manifest; {ADVICE}" in result["msg"].replace(" (source)", "")


def test_a_template_of_resources_that_was_not_sent_is_named():
    payload = {"document": pack(parse_manifest(b"ccm: {resources_jet_file: in.jet}\n", "site/manifest.yaml"))}
    result = ran(run_apply, APPLY_OPTIONS, {"manifest": {PACKED: to_text(payload)}})
    assert "in.jet was not sent with the manifest (resources_jet_file: " in result["msg"]
    assert f"; {ADVICE}" in result["msg"]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("name", ["inside", "sub/../inside"])
def test_a_source_that_was_not_sent_is_refused_in_check_mode_too(tmp_path, check, name):
    """With a file as `path`, and with a manifest in the play, no other files are sent."""
    result = task(FILE % (tmp_path, f"source: {name}"), check=check)
    assert result["failed"]
    assert "inside was not sent with the manifest" in result["msg"]
    assert "give path the directory that holds all files" in result["msg"]


def test_a_child_of_the_node_is_named_by_its_whole_path(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/one.yaml").write_text("ccm: {resources: [{apply: {name: ../two.yaml}}]}\n", encoding="utf-8")
    (tmp_path / "two.yaml").write_text("ccm: {resources: [{exec: {name: x, creates: /}}]}\n", encoding="utf-8")
    result = task(f"- apply:\n    - {tmp_path}/sub/one.yaml: {{}}\n")
    assert (result["failed"], result["msg"]) == (False, "0 of 3 resources changed")


def test_a_child_of_the_node_may_be_above_the_sent_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    test_a_child_of_the_node_is_named_by_its_whole_path(tmp_path)


@pytest.mark.starts_processes
@pytest.mark.parametrize("command", ["true", "false"])
def test_nothing_of_what_was_sent_stays_on_the_node(command, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert task(f"- exec: {{name: '{command}'}}\n")["failed"] is (command == "false")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.starts_processes
@pytest.mark.parametrize(("parallel", "expected"), [("2", ["exec#ls", "exec#true"]), (None, ["exec#true", "exec#ls"])])
def test_resources_run_in_graph_order_on_request(parallel, expected):
    text = "- exec: {name: 'true'}\n- exec: {name: ls, meta: {before: ['exec#true']}}\n"
    text = text if parallel else text.replace(", meta: {before: ['exec#true']}", "")
    result = task(text, options={"parallel": parallel})
    assert [found["resource"] for found in result["resources"]] == expected


def test_a_wrong_number_of_resources_at_once_is_refused():
    result = task("- exec: {name: ls}\n", options={"parallel": "none"})
    assert 'parallel must be a whole number from 1, or auto, not "none"' in result["msg"]


@pytest.mark.starts_processes
def test_lists_of_the_option_data_are_appended_to_those_of_the_manifest():
    text = """
        data: {ports: [0], web: {names: [a], port: 1}}
        ccm: {resources: [{exec: {name: x, command: "/bin/echo ${ Data.ports } ${ Data.web }", logoutput: true}}]}
        """
    payload = {"document": pack(parse_manifest(textwrap.dedent(text).encode(), "site/manifest.yaml"))}
    payload["data"] = {"ports": [1, 2], "web": {"names": ["b"], "port": 2}}
    result = ran(run_apply, APPLY_OPTIONS, {"manifest": {PACKED: to_text(payload)}})
    assert result["resources"][0]["log"][0] == "[0 1 2] map[names:[a b] port:2]"
