# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of manifests: a manifest runs again, and child manifests with their modes, data and counts (behaviour.md 4)."""

from __future__ import annotations

import copy
import os

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.log import Log

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import run_manifest


@pytest.mark.starts_processes
def test_events_of_a_child_come_before_that_of_its_resource_in_the_same_session(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {}}]", run.touches("b")])
    run.has("child.yaml", [run.touches("a")])
    run.apply()
    names = [event.name for event in run.session.events()]
    assert names == [f"touch {run.directory}/a", "child.yaml", f"touch {run.directory}/b"]
    assert [event.name for event in run.recorder.events] == names
    assert run.existing_files() == ["a", "b"]


@pytest.mark.starts_processes
def test_a_relative_child_is_found_beside_its_parent(run):
    run.has("m.yaml", ["- apply: [{sub/child.yaml: {}}]", "- apply: [{again.yaml: {}}]"])
    run.has("sub/child.yaml", ["- apply: [{grand.yaml: {}}]"])
    run.has("sub/grand.yaml", [run.touches("a")])
    run.has("again.yaml", [run.touches("b")])
    run.apply()
    assert run.existing_files() == ["a", "b"]


MODES = [
    # (mode of the run, properties of the resource, (child changes the host, event of the child is noop, checks only))
    pytest.param({}, "", (True, False, False), marks=pytest.mark.starts_processes),
    ({}, "noop: true", (False, True, False)),
    pytest.param({}, "noop: false", (True, False, False), marks=pytest.mark.starts_processes),
    ({}, "health_check_only: true", (False, False, True)),
    ({"noop": True}, "", (False, True, False)),
    ({"noop": True}, "noop: false", (False, True, False)),
    ({"noop": True}, "health_check_only: true", (False, False, True)),
    ({"health_check_only": True}, "", (False, False, True)),
    ({"health_check_only": True}, "health_check_only: false", (False, False, True)),
    ({"health_check_only": True}, "noop: true", (False, False, True)),
]


@pytest.mark.parametrize(("mode", "given", "wanted"), MODES)
@pytest.mark.parametrize("deep", [False, True])
def test_a_child_can_only_add_noop_and_health_check_only(run, mode, given, wanted, deep):
    run.has("m.yaml", [f"- apply: [{{child.yaml: {{{given}}}}}]"])
    run.has("child.yaml", ["- apply: [{grand.yaml: {}}]" if deep else run.touches("a")])
    run.has("grand.yaml", [run.touches("a")])
    event = run.apply(**mode)[f"exec#touch {run.directory}/a"]
    assert (run.existing_files() == ["a"], event.noop, event.health_check_only) == wanted
    assert not event.failed
    assert not run.events["apply#child.yaml"].noop


def test_noop_and_health_check_only_exclude_each_other(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {noop: true, health_check_only: true}}]"])
    run.has("child.yaml", [run.touches("a")])
    event = run.apply()["apply#child.yaml"]
    assert event.errors == ["cannot set healthcheck only and noop mode at the same time"]
    assert run.existing_files() == []


def test_allow_apply_is_checked_before_any_resource_of_a_child_runs(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {allow_apply: false}}]"])
    run.has("child.yaml", [run.touches("a"), "- apply: [{grand.yaml: {}}]"])
    assert run.apply()["apply#child.yaml"].errors == ["apply resources are denied"]
    assert run.existing_files() == []


@pytest.mark.starts_processes
def test_counts_include_each_resource_once_with_its_last_event(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {}}]"])
    unless = f"{{'touch {run.directory}/a': {{creates: {run.directory}/a}}}}"
    run.has(
        "child.yaml", [f"- exec: [{unless}]", f"- exec: [{unless}]", "- exec: [{'true': {control: {if: 'false'}}}]"]
    )
    status = run.apply()["apply#child.yaml"].status.details
    assert status == {"resource_count": 3, "changed_count": 0, "failed_count": 0}


@pytest.mark.starts_processes
def test_events_of_earlier_runs_are_not_counted(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {}}]"])
    run.has("child.yaml", [run.touches("a")])
    run.apply()
    run.has("child.yaml", ["- exec: [{'false': {}}]", run.touches("a")])
    path = run.directory / "child.yaml"
    path.write_text(path.read_text().replace("ccm:", "ccm:\n  fail_on_error: true"))
    run.apply()
    lines = dict(zip(run.log.messages, run.log.fields, strict=True))["Child manifest had failures"]
    assert lines == {"manifest": "child.yaml", "resources": 2, "changed": 0, "failed": 1, "skipped": 1}


@pytest.mark.starts_processes
def test_the_lock_timeout_is_passed_to_children(run):
    expected = []
    (run.directory / "m.yaml").write_text(
        "ccm:\n  engine: {lock_timeout: 7s}\n  resources:\n    - apply: [{child.yaml: {}}]\n"
    )
    run.has("child.yaml", [run.touches("a")])
    run.apply(
        sinks=[
            Recorder(
                lambda resource, provider, _state: expected.append(
                    (resource.type.name, provider.context.options.lock_timeout)
                )
            )
        ]
    )
    assert expected == [("apply", 7_000_000_000), ("exec", 7_000_000_000)]


@pytest.mark.starts_processes
def test_children_are_applied_without_events_when_only_health_checks_run(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {}}]", "- apply: [{other.yaml: {health_checks: [{command: 'true'}]}}]"])
    for name in ("child.yaml", "other.yaml"):
        run.has(name, ["- exec: [{'echo x': {health_checks: [{command: 'true'}]}}]"])
    run.apply(health_check_only=True)
    lines = [message for message in run.log.messages if "#" in message]
    assert lines == ["exec#echo x stable", "exec#echo x stable", "apply#other.yaml stable"]
    assert run.events["apply#child.yaml"].status.details["resource_count"] == 1


@pytest.mark.parametrize(
    ("written", "place", "message", "about"),
    [
        (
            "- exec: {name: a, comand: b}",
            "c.yaml:3:23",
            'invalid manifest resource 1: unknown property "comand" in exec, did you mean "command"?',
            {"resource": "exec#a", "property": "comand"},
        ),
        ("- ]", "c.yaml:3:7", "c.yaml is not YAML: ", {}),
        ("- file: {name: relative, ensure: absent}", "c.yaml:3:", "invalid manifest resource 1: file path must", {}),
    ],
)
def test_the_position_of_an_error_in_a_child_is_logged(run, written, place, message, about):
    run.has("m.yaml", ["- apply: {name: c.yaml}"])
    run.has("c.yaml", [written])
    [error] = run.apply()["apply#c.yaml"].errors
    assert error.startswith(message)
    [(_level, line, fields)] = [line for line in run.program_log.lines if line[1] == "Manifest is not valid"]
    assert fields["position"].startswith(place)
    assert error not in f"{line} {fields}"
    assert fields.items() >= {"manifest": "c.yaml", **about}.items()


MANIFEST = """
ccm:
  resources:
    - file:
        - {target}: {{ensure: present, content: "{{{{ readFile('{source}') }}}}", mode: "0644", {owner}}}
    - exec:
        - echo:
            command: "echo {{{{ lookup('data.word') }}}}"
            cwd: "{{{{ '/' }}}}"
data: {{word: hello}}
"""


@pytest.mark.starts_processes
def test_a_second_run_uses_the_changed_state(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    owner = f"owner: '{os.geteuid()}', group: '{os.getegid()}'"
    text = MANIFEST.format(source=source, target=target, owner=owner).encode()
    manifest = read_manifest(text, "m.yaml", str(tmp_path), Inputs(facts={}, environ={}))
    declared = [copy.deepcopy(vars(resource.properties)) for resource in manifest.resources]
    for word in ("one", "two"):
        source.write_text(word, encoding="utf-8")
        recorder = Recorder()
        run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
        events = recorder.events
        assert [event.errors for event in events] == [(), ()]
        assert events[0].changed
        assert target.read_text(encoding="utf-8") == word
        assert events[0].as_dict()["properties"]["content"] == word
    assert [vars(resource.properties) for resource in manifest.resources] == declared
