# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that are refused before the run, with the position of the error, by apply and by lint."""

from __future__ import annotations

import pytest

STABLE = "ccm: {resources: [{exec: [{'true': {creates: /}}]}]}"


@pytest.fixture
def manifest(tmp_path):
    def write(text):
        (tmp_path / "m.yaml").write_text(text)
        return "m.yaml"

    return write


ARCHIVE = "archive: {name: /a.tar, ensure: present, url: 'http://h/a.tar', owner: root, group: root, %s}"
CHECKED = "exec: {name: 'true', health_checks: [%s]}"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (CHECKED % "{command: 'true', goss_rules: {}}", "'command' or 'goss_rules' are mutually exclusive", "5:54"),
        ("exec: [{null: {}}]", "name is required", "5:15"),
        ("exec: [{~: {}}]", "name is required", "5:15"),
        ("exec: [{Null: {creates: /}}]", "name is required", "5:15"),
        ("exec:\n        - ~:", "name is required", "6:11"),
        ("exec: {name: null}", "name is required", "5:20"),
        (ARCHIVE % "extract_parent: rel", "extract_parent path must be absolute", "5:113"),
        (ARCHIVE % "creates: rel", "creates path must be absolute", "5:106"),
        ("scaffold: [{/s: {ensure: present, source: x, data: {y: [1, -.inf]}}}]", "data.y.2 must be a finite ", "5:66"),
        ("exec: [{'true': {health_checks: [{goss_rules: {file: {/x: {size: .nan}}}}]}}]", "finite number", "5:72"),
        ("file: [{defaults: {ensure: absent}}, {/x: }]", "ensure is required", "5:45"),
    ],
)
def test_manifests_are_refused_before_the_run(ccm, manifest, tmp_path, text, message, place):
    written = "ccm:\n  resources:\n    - exec: [{first: {command: touch ran}}]\n    -\n      " + text + "\n"
    ran = ccm("apply", manifest(written))
    assert (ran.status, ran.out) == (1, "")
    assert message in ran.err
    assert f"  at m.yaml:{place}" in ran.err
    linted = ccm("lint", "m.yaml")
    assert linted.status == 1
    assert message in linted.out
    assert f"m.yaml:{place}: error: " in linted.out
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        ("data: {a: {b: [1, .NaN]}}", "data.a.b.2 must be a finite number", "1:19"),
        ("data: {a: -.Inf}", "data.a must be a finite number", "1:11"),
        ("{overrides: {x: {y: .inf}}, data: {y: 1}}", "overrides.x.y must be a finite number", "1:21"),
    ],
)
def test_numbers_that_cannot_be_recorded_are_refused(ccm, manifest, data, message, place):
    text = data[:-1] + ", ccm: {resources: [{exec: {name: 'true'}}]}}" if data[0] == "{" else f"{data}\n{STABLE}"
    for words in (("apply", "--noop"), ("lint",)):
        ran = ccm(*words, manifest(text))
        assert ran.status == 1
        assert message in ran.out + ran.err
        assert f"m.yaml:{place}" in ran.out + ran.err


def test_numbers_that_cannot_be_recorded_are_refused_in_data_from_elsewhere(ccm, manifest, tmp_path):
    (tmp_path / "data.yaml").write_text("data: {a: {b: .inf}}")
    ran = ccm("apply", "--noop", "--hiera", "data.yaml", manifest(STABLE))
    message = "hiera data: a.b must be a finite number: neither .nan nor .inf can be recorded"
    assert (ran.status, message in ran.err) == (1, True)


@pytest.mark.parametrize("name", ["'null'", '"~"', "'~'", "nullable", "n: {}}, {'null'"])
def test_a_quoted_name_is_accepted(ccm, manifest, name):
    ran = ccm("apply", "--noop", manifest("ccm: {resources: [{exec: [{" + name + ": {}}]}]}"))
    assert ran.status == 0


def test_text_that_is_not_a_number_stays_text(ccm, manifest):
    assert ccm("apply", manifest("data: {a: '.nan', b: '.inf', .inf: 1, c: 1.0e+400}\n" + STABLE)).status == 0


def test_a_null_entry_without_ensure_has_advice(ccm, manifest):
    err = ccm("apply", manifest("ccm: {resources: [{file: [{defaults: {ensure: absent}}, {/x: }]}]}")).err
    assert "ensure is required\n" in err
    assert "defaults do not hold for an entry that is null: write {} for no properties of its own\n" in err


def test_defaults_do_not_apply_to_null_entries(ccm, manifest):
    text = "ccm: {resources: [{exec: [{defaults: {creates: /}}, {'true': ~}, {'false': {}}]}]}"
    out = ccm("apply", "--noop", manifest(text)).out
    assert "exec#true changed" in out
    assert "exec#false stable" in out
    message = "the defaults do not hold for exec#true, whose properties are null"
    assert message in ccm("lint", "m.yaml").out
    assert "write {} for no properties of its own" in ccm("lint", "m.yaml").out
