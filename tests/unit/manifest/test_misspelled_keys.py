# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Misspelled keys and sections: the messages of apply and lint."""

from __future__ import annotations

import pytest
from ccm.cli.main import main


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
