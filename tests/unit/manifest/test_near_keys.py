# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and sections that are nearly right: what applying and lint say of them."""

from __future__ import annotations

import pytest
from ccm.cli.main import main


def said_of(text, command, tmp_path, capsys):
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    main([*command.split(), str(path)])
    written = capsys.readouterr()
    return written.out + written.err


RESOURCES = "ccm: {resources: [{exec: {name: /bin/true}}]}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RESOURCES + "hierachy: {order: []}\n", 'unknown key "hierachy" in the manifest, did you mean "hierarchy"?'),
        (RESOURCES + "hierarchy: {ordr: []}\n", 'unknown key "ordr" in hierarchy, did you mean "order"?'),
    ],
)
def test_applying(text, said, tmp_path, capsys):
    assert said in said_of(text, "apply --noop", tmp_path, capsys)


@pytest.mark.parametrize("command", ["apply --noop", "lint"])
def test_top_level_keys_that_begin_with_x_are_ignored(command, tmp_path, capsys):
    text = "x-owned: &owned {creates: /}\nccm: {resources: [{exec: [{/bin/true: {<<: *owned}}]}]}\n"
    said = said_of(text, command, tmp_path, capsys)
    assert "unknown key" not in said
    assert ("exec#/bin/true stable" in said) == (command != "lint")
    said = said_of("xowned: 1\n" + RESOURCES, command, tmp_path, capsys)
    assert 'unknown key "xowned" in the manifest' in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RESOURCES + "overrides: {data: 1}\n", 'overrides "data" must be a mapping'),
        (RESOURCES + "data: [http://ann:hunter2@example.net/]\n", "a URL has a password in plain text"),
        (RESOURCES + "data: {a: [http://ann:hunter2@example.net/]}\n", "a URL has a password in plain text"),
        ("ccm: {engine: {autogrup: true}, resources: []}\n", 'unknown property "autogrup" in engine, did you mean'),
    ],
)
def test_lint(text, said, tmp_path, capsys):
    assert said in said_of(text, "lint", tmp_path, capsys)
