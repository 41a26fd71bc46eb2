# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Child manifests: modes, data, depth and counts (behaviour.md 4)."""

from __future__ import annotations

import time

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest import reader
from ccm.manifest.apply_chain import MAX_DEPTH
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.manifest.run import run_manifest
from ccm.manifest.source import fetch_file
from ccm.testing import RecordedLog

from tests.patience import wait_until
from tests.unit.engine.recorder import Recorder

#: A file whose last change was longer ago than that many ns is read once.
SETTLED = 20_000_000


class Run:
    """One run of a manifest in its own directory."""

    def __init__(self, directory):
        self.directory = directory
        self.session = Session()
        self.recorder = Recorder()
        self.log = RecordedLog()
        self.program_log = RecordedLog()
        self.events = {}

    def has(self, name, resources, **top):
        """Write a manifest: `resources` are lines of its list, `top` further YAML by key."""
        parts = [f"{key}: {value}\n" for key, value in top.items()]
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts) + "ccm:\n  resources:\n" + "".join(f"    {line}\n" for line in resources))

    def touches(self, name):
        return f"- exec: [{{'touch {self.directory}/{name}': {{}}}}]"

    def apply(self, name="m.yaml", sinks=(), **modes):
        inputs = Inputs(facts={}, environ={})
        manifest = read_manifest((self.directory / name).read_bytes(), name, str(self.directory), inputs)
        logs = {"log": self.program_log, "user_log": self.log}
        run_manifest(manifest, self.session, Machine(), **logs, sinks=(self.recorder, *sinks), **modes)
        self.events = {f"{event.type}#{event.name}": event for event in self.session.events()}
        return self.events

    def existing_files(self):
        return sorted(path.name for path in self.directory.iterdir() if path.suffix != ".yaml" and path.is_file())


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


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


DATA = [
    # (data of the parent, data of the resource, data of the child, data that the child uses)
    ("{a: 1}", None, "{a: 2, b: 3}", "map[a:1 b:3]"),
    ("{a: 1}", "{a: 4}", "{a: 2, b: 3}", "map[a:4 b:3]"),
    ("{a: 1}", "{}", "{a: 2}", "map[a:2]"),
    ("{a: 1}", "{c: '${ Data.a }'}", "{a: 2}", "map[a:2 c:1]"),
    ("{l: [1]}", None, "{l: [2]}", "map[l:[2 1]]"),
    ("{}", None, "{a: 2}", "map[a:2]"),
]


@pytest.mark.starts_processes
@pytest.mark.parametrize(("parents", "given", "own", "wanted"), DATA)
def test_data_is_either_given_or_inherited(run, parents, given, own, wanted):
    properties = f"{{data: {given}}}" if given else "{}"
    run.has("m.yaml", [f"- apply: [{{child.yaml: {properties}}}]"], data=parents)
    run.has("child.yaml", ["- exec: [{see: {command: \"test '{{ Data }}' = '" + wanted + "'\"}}]"], data=own)
    assert not run.apply()["exec#see"].failed


@pytest.mark.starts_processes
def test_data_that_a_child_requires_can_come_from_its_parent(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {data: {port: 1}}}]", "- apply: [{again.yaml: {data: {}}}]"])
    for name in ("child.yaml", "again.yaml"):
        run.has(name, [run.touches(name[:1])], data='\n  port: "" # @require')
    run.apply()
    assert not run.events["apply#child.yaml"].failed
    assert run.events["apply#again.yaml"].errors == ['key "port" is required but has no value']


def test_allow_apply_is_checked_before_any_resource_of_a_child_runs(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {allow_apply: false}}]"])
    run.has("child.yaml", [run.touches("a"), "- apply: [{grand.yaml: {}}]"])
    assert run.apply()["apply#child.yaml"].errors == ["apply resources are denied"]
    assert run.existing_files() == []


def failures(run):
    return [(event.name, event.errors[0]) for event in run.session.events() if event.type == "apply" and event.failed]


@pytest.mark.starts_processes
@pytest.mark.parametrize("order", ["", "  engine: {order: graph}\n"])
@pytest.mark.parametrize("data", [None, "{l: {n: 1}}"])
def test_a_manifest_that_applies_itself_fails_at_once_with_its_chain(run, data, order):
    run.has("m.yaml", ["- exec: [{'true': {}}]", "- apply: [{child.yaml: {}}]"], **({"data": data} if data else {}))
    run.has("child.yaml", ["- apply: [{m.yaml: {}}]"])
    (run.directory / "m.yaml").write_text(f"{(run.directory / 'm.yaml').read_text()}{order}")
    run.apply()
    assert len([event for event in run.session.events() if event.type == "exec"]) == 1
    assert failures(run) == [
        ("m.yaml", "is being applied already with the same data: m.yaml > child.yaml > m.yaml"),
        ("child.yaml", "child manifest had 1 failed resources"),
    ]
    assert run.events["apply#m.yaml"].causes[0].advice == "break the circle, pass on other data, or end it by control"


def test_a_cycle_is_found_through_links_and_other_names(run):
    run.has("m.yaml", ["- apply: [{sub/../other.yaml: {}}]"])
    (run.directory / "sub").mkdir()
    (run.directory / "other.yaml").symlink_to("m.yaml")
    run.apply()
    assert failures(run)[0][1].endswith(": m.yaml > sub/../other.yaml")


def test_a_manifest_that_is_applied_again_is_no_circle(run):
    run.has("m.yaml", ["- apply: [{a.yaml: {}}]", "- apply: [{b.yaml: {}}]"])
    run.has("a.yaml", ["- apply: [{b.yaml: {}}]"])
    run.has("b.yaml", ["- exec: [{'true': {creates: /}}]"])
    run.apply()
    assert failures(run) == []


def test_a_manifest_may_apply_itself_with_other_data(run):
    run.has("m.yaml", ["- apply: [{again.yaml: {data: {rest: [again.yaml, again.yaml, last.yaml]}}}]"])
    run.has("again.yaml", ['- apply: [{"{{ Data.rest[0] }}": {data: {rest: "${ Data.rest[1:] }"}}}]'])
    run.has("last.yaml", ["- exec: [{last: {command: 'true', creates: /}}]"])
    run.apply()
    assert failures(run) == []
    assert "exec#last" in run.events


@pytest.mark.starts_processes
@pytest.mark.parametrize(("times", "is_done"), [(5, True), (50, False)])
def test_control_may_end_a_manifest_that_applies_itself(run, times, is_done):
    (run.directory / "count").write_text("")
    control = f"{{if: \"len(file('count')) < {times}\"}}"
    once = "- exec: [{sh -c 'printf x >> count': {cwd: " + str(run.directory) + "}}]"
    run.has("m.yaml", [once, f"- apply: [{{m.yaml: {{control: {control}}}}}]"])
    run.apply()
    assert len((run.directory / "count").read_text()) == (times if is_done else MAX_DEPTH)
    assert bool(failures(run)) != is_done
    if not is_done:
        chain = " > ".join(["m.yaml"] * (MAX_DEPTH + 1))
        assert failures(run)[0][1] == f"maximum apply depth of {MAX_DEPTH} exceeded: {chain}"


@pytest.mark.parametrize(
    ("given", "data", "reason"),
    [
        ("", None, "is being applied already with the same data: "),
        # Lists are appended, so that the data of each is another one.
        ("", "{l: [1]}", "maximum apply depth of 10 exceeded before with the same data: "),
        ("control: {if: 'true'}", None, "maximum apply depth of 10 exceeded before with the same data: "),
    ],
)
def test_the_work_for_a_manifest_that_applies_itself_often_is_small(run, monkeypatch, given, data, reason):
    names = ["m.yaml", "other.yaml", "third.yaml", "fourth.yaml"]
    run.has("m.yaml", [f"- apply: [{{{name}: {{{given}}}}}]" for name in names], **({"data": data} if data else {}))
    for name in names[1:]:
        (run.directory / name).symlink_to("m.yaml")
    read = []
    monkeypatch.setattr(reader, "fetch_file", lambda path, *note: read.append(path) or fetch_file(path, *note))
    wait_until(lambda: time.time_ns() - (run.directory / "m.yaml").stat().st_ctime_ns > SETTLED)
    run.apply()
    assert len(run.recorder.events) <= 4 * MAX_DEPTH * len(names)
    assert all(event.failed for event in run.recorder.events)
    assert any(error.startswith(reason) for event in run.recorder.events for error in event.errors)
    assert sorted(read) == sorted(str(run.directory / name) for name in names)


@pytest.mark.starts_processes
def test_a_child_that_the_run_changes_is_read_again(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {}}]", "- exec: [{cp new.yaml child.yaml: {cwd: HERE}}]"])
    text = (run.directory / "m.yaml").read_text().replace("HERE", str(run.directory))
    (run.directory / "m.yaml").write_text(f"{text}    - apply: [{{child.yaml: {{}}}}]\n")
    run.has("child.yaml", [run.touches("a")])
    run.has("new.yaml", [run.touches("b")])
    wait_until(lambda: time.time_ns() - (run.directory / "child.yaml").stat().st_ctime_ns > SETTLED)
    run.apply()
    assert run.existing_files() == ["a", "b"]


def test_a_long_chain_follows_the_recorded_text(run):
    run.has("m.yaml", ["- apply: [{c1.yaml: {}}]"])
    for number in range(1, MAX_DEPTH + 1):
        run.has(f"c{number}.yaml", [f"- apply: [{{c{number + 1}.yaml: {{}}}}]"])
    cause = run.apply()["apply#c10.yaml"].causes[0]
    assert cause.message == "maximum apply depth of 10 exceeded"
    assert "m.yaml > c1.yaml > c2.yaml" in cause.advice


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
