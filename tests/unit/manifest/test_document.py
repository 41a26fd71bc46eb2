# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outer shape of a manifest: its keys and sections, and the messages of apply and lint."""

from __future__ import annotations

import pytest
from ccm.cli.main import main
from ccm.lang.yaml import load
from ccm.manifest.document import ManifestDocument
from ccm.model.errors import ManifestError


def output_of(text, command, tmp_path, capsys):
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    main([*command.split(), str(path)])
    written = capsys.readouterr()
    return written.out + written.err


RESOURCES = "ccm: {resources: [{exec: {name: /bin/true}}]}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RESOURCES + "hierachy: {order: []}\n", 'unknown key "hierachy" in the manifest, did you mean "hierarchy"?'),
        (RESOURCES + "hierarchy: {ordr: []}\n", 'unknown key "ordr" in hierarchy, did you mean "order"?'),
    ],
)
def test_misspelled_keys_in_apply(text, message, tmp_path, capsys):
    assert message in output_of(text, "apply --noop", tmp_path, capsys)


@pytest.mark.parametrize("command", ["apply --noop", "lint"])
def test_top_level_keys_that_begin_with_x_are_ignored(command, tmp_path, capsys):
    text = "x-owned: &owned {creates: /}\nccm: {resources: [{exec: [{/bin/true: {<<: *owned}}]}]}\n"
    message = output_of(text, command, tmp_path, capsys)
    assert "unknown key" not in message
    assert ("exec#/bin/true stable" in message) == (command != "lint")
    message = output_of("xowned: 1\n" + RESOURCES, command, tmp_path, capsys)
    assert 'unknown key "xowned" in the manifest' in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RESOURCES + "overrides: {data: 1}\n", 'overrides "data" must be a mapping'),
        (RESOURCES + "data: [http://ann:hunter2@example.net/]\n", "a URL has a password in plain text"),
        (RESOURCES + "data: {a: [http://ann:hunter2@example.net/]}\n", "a URL has a password in plain text"),
        ("ccm: {engine: {autogrup: true}, resources: []}\n", 'unknown property "autogrup" in engine, did you mean'),
    ],
)
def test_misspelled_keys_in_lint(text, message, tmp_path, capsys):
    assert message in output_of(text, "lint", tmp_path, capsys)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("# nothing\n", "the manifest is empty", None),
        ("- ccm\n", "the manifest must be a mapping, not a list", "m.yaml:1:1"),
        ("ccm: [a]\n", "ccm must be a mapping, not a list", "m.yaml:1:6"),
        ("ccm: {resources: x}\n", "jsonschema validation failed: at '/ccm/resources': got string, want array", None),
        ("ccm: {}\n", "jsonschema validation failed: at '/ccm/resources': got null, want array", None),
        ("ccm: {resources: [a: b], resources_jet_file: x}\n", "jet_file and resources cannot be used together", None),
        ("ccm: {fail_on_error: 1, resources: []}\n", "fail_on_error must be true or false, not an integer", None),
        ("ccm: {pre_message: [a], resources: []}\n", "ccm.pre_message must be text, not a list", "m.yaml:1:20"),
        (
            "hierarchy: {merge: all}\n" + RESOURCES,
            "at '/hierarchy/merge': value must be one of 'first', 'deep'",
            "m.yaml:1:20",
        ),
        ("overrides: {a: 1}\n" + RESOURCES, "at '/overrides/a': got number, want object", "m.yaml:1:13"),
    ],
)
def test_another_shape_is_refused_with_its_place(text, message, place):
    with pytest.raises(ManifestError) as refused:
        document = ManifestDocument(load(text.encode(), "m.yaml"), "m.yaml")
        document.resources()
        document.fail_on_error()
        document.text("pre_message")
    assert message in refused.value.message
    assert place is None or str(refused.value.position) == place


def test_the_parts_of_a_manifest():
    text = b"ccm: {pre_message: 1.50, fail_on_error: true, resources: [{exec: {name: ls}}]}\n"
    document = ManifestDocument(load(text, "m.yaml"), "m.yaml")
    assert (document.text("pre_message"), document.text("post_message")) == ("1.50", "")
    assert (document.fail_on_error(), document.engine, document.jet_file) == (True, None, "")
    assert document.resources() == [{"exec": {"name": "ls"}}]


def test_without_the_schema_keys_are_not_checked():
    text = RESOURCES + "hierachy: {}\noverrides: {a: 1}\n"
    assert ManifestDocument(load(text.encode(), "m.yaml"), "m.yaml", strict=False).resources()
