# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML that the parser of the original accepts and PyYAML refuses or reads differently, with and without libyaml."""

from __future__ import annotations

import pytest
import yaml as pyyaml
from ccm.lang import yaml
from ccm.lang.yaml import YAMLError
from ccm.lang.yamlrewriting import Rewriting
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

LONG = "key " * 400 + "x"

# Recorded from the original: goccy/go-yaml 1.19.2.
READ = [
    ("d:\n  fmt: %h %l\n", {"d": {"fmt": "%h %l"}}),
    ("d:\n  - %a\n  - - %b\n", {"d": ["%a", ["%b"]]}),
    ("d:\n  %Y-%m-%d: 1\n", {"d": {"%Y-%m-%d": 1}}),
    ("d:\n  %Y-%m-%d\n", {"d": "%Y-%m-%d"}),
    ("d:\n  v: %a\n    %b\n    c %d\n", {"d": {"v": "%a %b c %d"}}),
    ("d:\n  v: {a: %b, %c: [%d, '%e']}\n", {"d": {"v": {"a": "%b", "%c": ["%d", "%e"]}}}),
    ('d:\n  v: {"a":%b}\n', {"d": {"v": {"a": "%b"}}}),
    ("d:\n  v: &x %a\n  w: *x\n", {"d": {"v": "%a", "w": "%a"}}),
    ("d:\n  v: !!str %a # %b\n", {"d": {"v": "%a"}}),
    ("d:\n  v: !a%20b %c\n", {"d": {"v": "%c"}}),
    ("d:\n  v: %{x}\n  w: |\n    %a\n  x: 100%\n", {"d": {"v": "%{x}", "w": "%a\n", "x": "100%"}}),
    ("d:\n  %YAML: 1.2\n", {"d": {"%YAML": 1.2}}),
    ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
    ("# c\n%FOO: bar\n\n---\na: 1\n", {"a": 1}),
    ("v: [:8080, ::1, :, '::']\n", {"v": [":8080", "::1", ":", "::"]}),
    ("v: [?.txt, a?b, ?, b?, ?? ]\n", {"v": ["?.txt", "a?b", "?", "b?", "??"]}),
    ("v: {a: :b, c: ?d, ?e: :, f: ?}\n", {"v": {"a": ":b", "c": "?d", "?e": ":", "f": "?"}}),
    ("v: [a, &x :b, *x, !!str ?c]\n", {"v": ["a", ":b", ":b", "?c"]}),
    ("v: [ # c\n  :a,\n  ?b,\n  [:c, {d: :e}]]\n", {"v": [":a", "?b", [":c", {"d": ":e"}]]}),
    ("v: [:a: b, ?c: d, :/x]\n", {"v": [{":a": "b"}, {"?c": "d"}, ":/x"]}),
    ("v: {? a : b, ?c: d}\n", {"v": {"a": "b", "?c": "d"}}),
    ("v: {a:, b :, c: d:}\nw: [a:, b:]\n", {"v": {"a": None, "b": None, "c": "d:"}, "w": ["a:", "b:"]}),
    ('v: {a :b, c  :d e, "f" :g}\n', {"v": {"a": "b", "c": "d e", "f": "g"}}),
    ("a: ?\nb: ?c\n", {"a": "?", "b": "?c"}),
    ("? a\n: b\n? c\n", {"a": "b", "c": None}),
    ('v: "\\ud83d\\ude00 \\\\ud83d"\n', {"v": "😀 \\ud83d"}),
    ('"\\ud83d\\ude00": ["\\uD83D\\uDE00"]\n', {"😀": ["😀"]}),
    ('v: "a\\ude00"\n', {"v": "a\ufffd"}),
    ('v: "\\U0000d83d \\U00110000"\n', {"v": "\ufffd \ufffd"}),
    ("v: '\\ud83d\\ude00'\nw: \\ude00\nx: \"\\ude00\"\n", {"v": "\\ud83d\\ude00", "w": "\\ude00", "x": "\ufffd"}),
    (f"{LONG}: v\n", {LONG: "v"}),
    (f'd:\n  "{LONG}": v\n  b: c\n', {"d": {LONG: "v", "b": "c"}}),
    (f"v: {{{LONG}: 1, b: 2}}\n", {"v": {LONG: 1, "b": 2}}),
    (f"d:\n  v: %a\n  {LONG}: [:b]\n", {"d": {"v": "%a", LONG: [":b"]}}),
    ("v: |\n  \ttab\n", {"v": "\ttab\n"}),
    ("v: |-  # c\n\n  \ttab\n", {"v": "\n\ttab"}),
    ("- |\n \t\ttab\n- >\n  \ttab\n", ["\t\ttab\n", "\ttab\n"]),
    ("v: |\n \t\nw: 1\n", {"v": "\t\n", "w": 1}),
    ("v: a\x85b\u2028c\u2029d\n", {"v": "a\x85b\u2028c\u2029d"}),
    ('"a\u2028": "b\x85c"\nd: \'e\u2028\'\n', {"a\u2028": "b\x85c", "d": "e\u2028"}),
    ("v: |\n  a\x85b\n", {"v": "a\x85b\n"}),
    ("# c\u2028a: 1\nv: 1\x85 # x\x85w: 1\n", {"v": "1\x85"}),
    ("- a\x85- b\n", ["a\x85- b"]),
    ("a: &web.port 80\nb: *web.port\n", {"a": 80, "b": 80}),
    ("&a: k: &b:c v\nl: {*a: : *b:c}\n", {"k": "v", "l": {"k": "v"}}),
    ("x: &a 1\n*a: w\n", {"x": 1, "1": "w"}),
    ("- &é/\"'#!&*%@😀 1\n- [*é/\"'#!&*%@😀, '*é/', \"&a.b\"]\n", [1, [1, "*é/", "&a.b"]]),
    ("a: &x.y |\n  &x.y\nb: &x:y\n  k: *x.y\nc: *x:y\n", {"a": "&x.y\n", "b": {"k": "&x.y\n"}, "c": {"k": "&x.y\n"}}),
    ("-\ta\n- \tb\n-\t[c,\td]\n-\t|\n  e\n-\t# c\n  f: g\n", ["a", "b", ["c", "d"], "e\n", {"f": "g"}]),
    (" \t\n\t# c\na: b\n \t\n \tc\td\n", {"a": "b\nc\td"}),
    ('{"a b"\n  : 1, c\n  d: 2, "e\n  f": [g\n  h: 3]}', {"a b": 1, "c d": 2, "e f": [{"g h": 3}]}),
    ("{\"a\"::b, 'c'::d}", {"a": ":b", "c": ":d"}),
    ("{a: !!str, !!str : b, c: !<tag:yaml.org,2002:str>,d: [!x]}", {"a": "", "": "b", "c": "", "d": [""]}),
    ("a: !!str\t1\n", {"a": "1"}),
    ("--- |\nx: {{ y }}\n  z\n\n# w\n---\nv\n", "x: {{ y }}\n  z\n\n# w\n"),
    ("--- !!str >-  # c\nx\ny\n...\n", "x y"),
    ("--- |2\n  x\n", " x\n"),
    ("--- |\n  x\n  y\n", "x\ny\n"),
    ("%YAML 1.3\n---\na: 1\n", {"a": 1}),
    ("%YAML\t1.1\n---\na: 1\n", {"a": 1}),
    ("...\n# c\na: 1\n... # end\nb: 2\n", {"a": 1}),
    ("...", None),
    (
        "a: ! 12\nb: [! ~, ! 'c', ! '']\n! d: &e ! true\nf: *e\n",
        {"a": "12", "b": ["~", "c", ""], "d": "true", "f": "true"},
    ),
    ("a: echo ! 1\nb: |\n  ! 1\nc: !\n", {"a": "echo ! 1", "b": "! 1\n", "c": None}),
    ("a: {!!merge <<: {b: 1}, c: 2}\n! <<: {d: 3}\n", {"a": {"b": 1, "c": 2}, "d": 3}),
    (">\n \t\n detected\n", "\t\ndetected\n"),
    (b"v: a\xffb\n", {"v": "a\ufffdb"}),
    (b'# \xe9\n"k\xc3": |\n  \xe2\x82 \xed\xa0\x80\n', {"k\ufffd": "\ufffd\ufffd \ufffd\ufffd\ufffd\n"}),
]

# Refused by the original too, or by us on purpose; the message gives the true reason.
_DIRECTIVE = "'%' at the beginning of a line begins a directive, and '---' has to follow: put text in quotes"
_PERCENT = "'%' cannot begin a text on a line that is not indented: put it in quotes"
_HALF = "only the first half of a character: the escape of the second half has to follow"
_TAB = "indented with a tab: use spaces"
_NAME = "a name has to follow '&' or '*', without '[', ']', '{', '}' and ','"
_BLOCK = "the text after '|' or '>' begins on the next line: put text that begins with them in quotes"
_VALUE = "'key: value' is not allowed here: check the indentation, or quote text that holds ': '"
_CLOSED = "list '[' is not closed, or a ',' is missing in it"
REFUSED = [
    ("fmt: %h %l\n", 1, 6, _PERCENT),
    ("- %a\n", 1, 3, _PERCENT),
    ("d: [%a]\n", 1, 5, _PERCENT),
    ("%Y-%m-%d\n", 1, 1, _DIRECTIVE),
    ("a: 1\n%b: 2\n", 2, 1, _DIRECTIVE),
    ("%YAML 1.2\na: 1\n", 1, 1, _DIRECTIVE),
    ("%a\n%b\n", 1, 1, _DIRECTIVE),
    ("d:\n  v: [\n%a\n  ]\n", 3, 1, _DIRECTIVE),
    ("d:\n  v: %a\n  w: %b: c\n", 3, 8, _VALUE),
    ("v: [:a, [:b]\nw: 1\n", 1, 4, _CLOSED),
    ('v: "\\ud83d"\n', 1, 5, _HALF),
    ('v: "a \\ud83d\\u0041"\n', 1, 7, _HALF),
    ('v: "\\ud83d\\ud83d\\ude00"\n', 1, 5, _HALF),
    ("a:\n  v: |\n  \tx\n", 3, 3, _TAB),
    ("a:\n \tb: 1\n", 2, 2, _TAB),
    ("v: *\u2028a\n", 1, 4, 'alias "\u2028a" has no anchor before it'),
    ("v: & a\n", 1, 5, _NAME),
    ("v: [*]\n", 1, 6, _NAME),
    ("v: &a[b 1\n", 1, 6, _NAME),
    ("v: *a.b\n", 1, 4, 'alias "a.b" has no anchor before it'),
    ("-\t- a\n", 1, 3, "a list entry '- …' must begin a line of its own"),
    ("-\ta: b\n", 1, 4, _VALUE),
    ("- a\nb: 1\n", 2, 1, "expected a list entry '- …' here: check the indentation"),
    ("v:\n a\n\tb\n", 3, 1, _TAB),
    ("v: >#c\n  x\n", 1, 5, _BLOCK),
    ("!!merge v: {a: 1}\n", 1, 1, 'cannot read "v" as a key'),
    ("v: !!merge <<\n", 1, 4, 'cannot read "<<" as !!merge'),
    ("v: 1\n... x\n", 2, 5, "belongs to nothing above it: check the indentation"),
    ("v: |\u2028  a\n", 1, 5, _BLOCK),
    ("v: >x\n", 1, 5, _BLOCK),
]


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def parser(request, monkeypatch):
    monkeypatch.setattr(yaml, "_loader_class", None)
    if request.param == "python":
        monkeypatch.delattr(pyyaml, "CSafeLoader", raising=False)


@pytest.mark.parametrize(("text", "value"), READ)
def test_texts_are_read_like_in_the_original(text, value):
    assert yaml.load(text).value == value


@pytest.mark.parametrize(("text", "line", "column", "message"), REFUSED)
def test_refused_texts_have_the_true_reason(text, line, column, message):
    with pytest.raises(YAMLError) as caught:
        yaml.load(text)
    assert (caught.value.message, caught.value.line, caught.value.column) == (message, line, column)


def test_positions_and_source_texts_are_those_of_the_original_text():
    document = yaml.load('d:\n  # \u2028\n  a: "\\ud83d\\ude00"\n  %b: {"c": [:d, ?e]}\n')
    assert document.lines[1] == "  # \u2028"
    assert document.position(("d", "%b")) == (4, 3)
    assert document.value_position(("d", "%b", "c", 1)) == (4, 18)
    assert document.scalar(("d", "a")) == "😀"
    assert document.scalar(("d", "%b", "c", 0)) == ":d"
    assert document.is_unquoted(("d", "%b", "c", 0))


def test_a_substitute_character_can_occur_in_the_text():
    private = "".join(map(chr, range(0xF0000, 0xF0010)))
    assert yaml.load(f"d:\n  a: {private}\n  b: %c\n").value == {"d": {"a": private, "b": "%c"}}


def test_aliases_of_rewritten_nodes_are_restored_once():
    assert yaml.load("d: &x [b, ?a]\ne: *x\n").value == {"d": ["b", "?a"], "e": ["b", "?a"]}


def test_an_anchor_can_be_defined_again():
    assert yaml.load("d:\n  a: &x %a\n  b: &x [?b]\n  c: *x\n").value == {"d": {"a": "%a", "b": ["?b"], "c": ["?b"]}}


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(alphabet="ab:?%{}[],|>-&*!#\"'\\ud8\t\n \x85\u2028", max_size=60))
def test_rewriting_keeps_positions_and_can_be_undone(text):
    rewriting = Rewriting(text)
    assert len(rewriting.text) == len(text)
    assert rewriting.restored(rewriting.text).replace("#", "%") == text.replace("#", "%")
    try:
        yaml.load(text)
    except YAMLError as error:
        assert 1 <= error.line <= text.count("\n") + 1
