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


BARE = "text that begins with '{{' must be in quotes: without them, '{' begins a mapping"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("a: {{ x }}", 4),
        ("a: {{ x }}/b", 4),
        ("a: {{ x['y'] }}", 4),
        ("a: {{ lookup('a', 'b') }}", 4),
        ("- {{ x }}b", 3),
        ("a: [{{ x }}]", 5),
        ("a: [b, {{ x }}]", 8),
        ("a: {b: {{ x }}, c: d}", 8),
        ("{{ x }}: b", 1),
        ("  {{ x }} y\nb: d", 3),
    ],
)
@pytest.mark.parametrize("before", ["", f"# {'x' * yaml.LARGE}\n"])
def test_an_expression_without_quotes(text, column, before):
    with pytest.raises(YAMLError) as caught:
        yaml.load(before + text, "m.yaml")
    assert (caught.value.message, caught.value.column) == (BARE, column)


@pytest.mark.parametrize("text", ["a: 'b: {{ x }}' c: d", "a: x {{ y }} b: c", "a: b, {{ y }} b: c", "# - {{ x }}\n]"])
def test_other_faults_beside_an_expression(text):
    with pytest.raises(YAMLError) as caught:
        yaml.load(text, "m.yaml")
    assert caught.value.message != BARE


@pytest.mark.parametrize(
    ("text", "place", "end"),
    [
        ('a: 1\nb: "open\nc: 2\nd: "x"\ne: 3\n', (2, 4), 4),
        ("a: 'it\nb: 'x'\n", (1, 4), 2),
        ('- "a\n- b\n- "c"\n', (1, 3), 3),
        ('a: {b: "x, c: 1}\nd: "y"\n', (1, 8), 2),
        ('a: "x\n"b": 1\n', (1, 4), 2),
        ('# it is "\na: it\'s\nb: "multi\n  line"\nc: "open\nd: "x: 1\n', (5, 4), 6),
    ],
)
def test_an_open_quote_is_named_by_the_line_where_it_opens(text, place, end):
    with pytest.raises(YAMLError) as caught:
        yaml.load(text, "m.yaml")
    assert (caught.value.line, caught.value.column) == place
    assert caught.value.message == f"this quoted text ends in line {end}, where other text follows: close the quote"


def test_a_quote_that_is_closed_is_not_blamed():
    with pytest.raises(YAMLError) as caught:
        yaml.load('a: "multi\n  line"\nb: [1\n', "m.yaml")
    assert (caught.value.line, caught.value.message[:19]) == (3, "list '[' is not clo")


def test_without_pyyaml_the_file_and_the_package_are_named(monkeypatch):
    monkeypatch.setattr(yaml, "_loader_class", None)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(DataError) as caught:
        parse_document("a: 1", "m.yaml")
    assert caught.value.message == "cannot read m.yaml: reading YAML needs PyYAML: install the package python3-yaml"


def test_an_error_without_a_position_is_passed_on():
    error = ReaderError("m.yaml", 0, 0, "utf-8", "input error")
    assert explain(error, "a: 1", yaml.tokens_of) == ("cannot be read: input error", 0)
