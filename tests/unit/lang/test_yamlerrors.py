# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of YAML: the messages."""

from __future__ import annotations

import sys

import pytest
from ccm.data.reading import parse_document
from ccm.lang import yaml
from ccm.lang.yaml import YAMLError
from ccm.lang.yamlerrors import explain
from ccm.model.errors import DataError
from yaml.reader import ReaderError

FAULTS = [
    ('a: "\\z"', "unknown escape in double quotes: double the '\\' or use single quotes"),
    ("!!int 1.5", 'cannot read "1.5" as !!int'),
    ("!!int a: 1", 'cannot read "a" as a key'),
    ("? [a]\n: 1", "a key must be a single text, not a list or a mapping"),
    ("a\n\tb: 1", "'key: value' is not allowed here: check the indentation, or quote text that holds ': '"),
    ("\ta: 1", "indented with a tab: use spaces"),
    ("a: \x01", "control character U+0001 is not allowed"),
    ("a: @x", "'@' cannot begin a text: put it in quotes"),
    ("? a\n? a", 'key "a" is already defined at line 1, column 3'),
    ("<<: 1", "<< needs a mapping, or a list of mappings"),
    ("a: &b [*b]", "nested more than 200 levels deep, or an alias holds itself"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_messages(text, message):
    with pytest.raises(YAMLError) as caught:
        yaml.load(text, "m.yaml")
    assert caught.value.message == message


def test_without_pyyaml_the_file_and_the_package_are_named(monkeypatch):
    monkeypatch.setattr(yaml, "_loader_class", None)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(DataError) as caught:
        parse_document("a: 1", "m.yaml")
    assert caught.value.message == "cannot read m.yaml: reading YAML needs PyYAML: install the package python3-yaml"


def test_an_error_without_a_position_is_passed_on():
    error = ReaderError("m.yaml", 0, 0, "utf-8", "input error")
    assert explain(error, "a: 1") == ("cannot be read: input error", 0)
