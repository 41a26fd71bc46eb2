# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that apply themselves, and chains that are too long (behaviour.md 4)."""

from __future__ import annotations

import time

import pytest
from ccm.manifest import reader
from ccm.manifest.apply_chain import MAX_DEPTH
from ccm.manifest.source import fetch_file

from tests.patience import wait_until

#: A file whose last change was longer ago than that many ns is read once.
SETTLED = 20_000_000


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


def test_a_long_chain_follows_the_recorded_text(run):
    run.has("m.yaml", ["- apply: [{c1.yaml: {}}]"])
    for number in range(1, MAX_DEPTH + 1):
        run.has(f"c{number}.yaml", [f"- apply: [{{c{number + 1}.yaml: {{}}}}]"])
    cause = run.apply()["apply#c10.yaml"].causes[0]
    assert cause.message == "maximum apply depth of 10 exceeded"
    assert "m.yaml > c1.yaml > c2.yaml" in cause.advice
