# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import gc
import math
import subprocess
import sys

import pytest
import yaml as pyyaml
from ccm.lang import yaml
from ccm.lang.yaml import YAMLError
from hypothesis import given, settings
from hypothesis import strategies as st

MANIFEST = """\
data:
  port: 8080   # @validate isInt(value)
ccm:
  resources:
    - file:
        - /etc/app:
            ensure: present
            mode: 0644
            content: "1.0"
        - defaults: {owner: root}
    - package:
        name: nginx
        ensure: 5.10
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("Off", "Off"),
        ("y", "y"),
        ("5", 5),
        ("+5", 5),
        ("-0", 0),
        ("+-73", 73),
        ("--5", "--5"),
        ("0644", 420),
        ("0o644", 420),
        ("0O7", "0O7"),
        ("089", "089"),
        ("0x1F", 31),
        ("-0x1F", -31),
        ("0x", "0x"),
        ("0b11", 3),
        ("0b12", "0b12"),
        ("1_000", 1000),
        ("0_7", 7),
        ("_1", "_1"),
        ("9223372036854775808", 9223372036854775808),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775808", -9223372036854775808),
        ("-9223372036854775809", "-9223372036854775809"),
        ("1.5", 1.5),
        ("2.0", 2.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("08.5", 8.5),
        ("1.5e-3", 0.0015),
        ("1.e3", 1000.0),
        ("1e3", "1e3"),
        ("12e03", "12e03"),
        ("1.8e309", "1.8e309"),
        ("1.0e-400", 0.0),
        ("1.2.3", "1.2.3"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("+.inf", "+.inf"),
        ("nan", "nan"),
        ("12:30:45", "12:30:45"),
        ("2024-02-29", "2024-02-29"),
        ("=", "="),
        ("<<", "<<"),
        ("'5'", "5"),
        ('"a\\tb\\u00e9"', "a\tbé"),
        ("'it''s'", "it's"),
        ("!!str 5.10", "5.10"),
        ('!!int "5"', 5),
        ("!!float 5", 5.0),
        ("!!bool yes", True),
        ("!!null x", None),
        ("!!binary aGk=", b"hi"),
        ("!own 5", "5"),
    ],
)
def test_scalars(text: str, value: object) -> None:
    read = yaml.load("k: " + text).value["k"]
    assert read == value
    assert type(read) is type(value)


def test_nan_and_huge_digits() -> None:
    assert math.isnan(yaml.load("k: .nan").value["k"])
    assert yaml.load("k: " + "9" * 5000).value["k"] == "9" * 5000
    assert yaml.load("k: " + "0" * 5000 + "7").value["k"] == 7


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\n---\na: 1", None),
        ("a: 1\n---\nb: 2", {"a": 1}),
        ("\ufeffa: 1", {"a": 1}),
        ("1: a\ntrue: b\n1.10: c\n~: d\n0644: e\n", {"1": "a", "true": "b", "1.1": "c", "null": "d", "420": "e"}),
        ("{a:1, b:x:y, c:'q', d}", {"a": 1, "b": "x:y", "c": "q", "d": None}),
        ("{http://x}", {"http://x": None}),
        ("[a:1]", ["a:1"]),
        ("a: |\n  x\n  y\nb: >-\n  c\n  d\n", {"a": "x\ny\n", "b": "c d"}),
        ("b: &b {k: 1, j: 2}\nd:\n  <<: *b\n  k: 9\n", {"b": {"k": 1, "j": 2}, "d": {"k": 9, "j": 2}}),
        ("b: &b {k: 1}\nd:\n  k: 9\n  <<: *b\n", {"b": {"k": 1}, "d": {"k": 1}}),
        ("d:\n  <<: [{k: 1}, {k: 2, j: 3}]\n", {"d": {"k": 2, "j": 3}}),
        ("a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}),
        ("a: &x 1\nb: &x {c: [2]}\nd: *x\n", {"a": 1, "b": {"c": [2]}, "d": {"c": [2]}}),
        ('{"a": "\\ud83d\\ude00 \\\\ud83d"}', {"a": "😀 \\ud83d"}),
    ],
)
def test_documents(text: str, value: object) -> None:
    assert yaml.load(text).value == value
    assert yaml.load(text.encode()).value == value


_WITH_INDICATORS = [
    ("--- |\t\n text", "text"),
    ("--- |-\t\n text", "text"),
    ("--- >\t\n text", "text"),
    ("--- |\t# c\n text", "text"),
    ("cmd: run &job:1\nb: |\t\n  text", {"cmd": "run &job:1", "b": "text"}),
    ("a: |\t# c\n b", {"a": "b"}),
    ("a: >-#x\n b", {"a": "b"}),
    ("a: |2#x\n   b", {"a": " b"}),
    ("a: &j:x |\n b", {"a": "b"}),
    ("a: !!str &j:x b", {"a": "b"}),
]


@pytest.mark.parametrize("is_in_python", [False, True])
@pytest.mark.parametrize(("text", "value"), _WITH_INDICATORS)
def test_tabs_and_comments_behind_the_indicators_of_a_block_of_text(
    text: str, value: object, is_in_python: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_in_python:
        monkeypatch.setattr(yaml, "_loader_class", yaml._loader_in_python())
    assert yaml.load(text).value == value
    for refused in ("a: |#x\n b", "--- |#x\n b", "a: !!str |#c\n b", "a: &q |#c\n b"):
        with pytest.raises(YAMLError):
            yaml.load(refused)


@pytest.mark.parametrize(
    "text", ["grep -vE '^$|#' f", "sed s|#|| f", "x # see &job: b", "run &job:1", "'--- | x'", "a &&job:b", "a >#b"]
)
def test_commands_comments_and_quoted_text_are_read_by_libyaml(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise AssertionError("read in Python")

    monkeypatch.setattr(yaml, "_loader_in_python", none)
    assert set(yaml.load(f"a: {text}\n# {text}\n").value) == {"a"}


def test_an_alias_returns_a_separate_value() -> None:
    value = yaml.load("a: &x {k: []}\nb: *x\n").value
    value["a"]["k"].append(1)
    assert value["b"] == {"k": []}


@pytest.mark.parametrize(
    ("path", "key", "value", "written"),
    [
        ((), (1, 1), (1, 1), None),
        (("data", "port"), (2, 3), (2, 9), "8080"),
        (("ccm", "resources"), (4, 3), (5, 5), None),
        (("ccm", "resources", 0), (5, 7), (5, 7), None),
        (("ccm", "resources", 0, "file", 0, "/etc/app"), (6, 11), (7, 13), None),
        (("ccm", "resources", 0, "file", 0, "/etc/app", "mode"), (8, 13), (8, 19), "0644"),
        (("ccm", "resources", 0, "file", 0, "/etc/app", "content"), (9, 13), (9, 22), "1.0"),
        (("ccm", "resources", 0, "file", 1, "defaults", "owner"), (10, 22), (10, 29), "root"),
        (("ccm", "resources", 1, "package", "ensure"), (13, 9), (13, 17), "5.10"),
    ],
)
def test_positions_and_source_texts(
    path: tuple[str | int, ...], key: tuple[int, int], value: tuple[int, int], written: str | None
) -> None:
    document = yaml.load(MANIFEST, "manifest.yaml")
    assert document.position(path) == key
    assert document.value_position(path) == value
    assert document.scalar(path) == written


def test_missing_values_have_no_position() -> None:
    document = yaml.load(MANIFEST)
    for path in (("nope",), ("data", 0), ("data", "port", "x"), ("ccm", "resources", 9), ("ccm", "resources", -1)):
        assert document.position(path) is None
        assert document.scalar(path) is None
    assert yaml.load("").position(()) is None


def test_positions_in_merged_mappings_and_short_pairs() -> None:
    document = yaml.load("b: &b {k: 01}\nd:\n  <<: *b\n  j: 2\ne: {x:07}\n1: 5.10\n")
    assert document.position(("d", "k")) == (1, 8)
    assert document.scalar(("d", "k")) == "01"
    assert document.position(("e", "x")) == (5, 5)
    assert document.scalar(("1",)) == "5.10"


def test_lines_of_the_source() -> None:
    document = yaml.load("a: 1\r\n# note\nb: 2")
    assert document.lines == ["a: 1", "# note", "b: 2"]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\na: 2", 2, 1, ['key "a" is already defined at line 1, column 1']),
        ('a: 1\nb:\n  1: x\n  "1": y', 4, 3, ['"1"', "line 3, column 3"]),
        ("b: {k: 1}\n<<: {k: 2}\nk: 3\n<<: {j: 1}", 4, 1, ['"<<"', "line 2"]),
        ("a:\n\tb: 1", 2, 1, ["tab", "spaces"]),
        ("a: @x", 1, 4, ["'@'", "quotes"]),
        ("a: b: c", 1, 5, ["not allowed here"]),
        ("a: - x", 1, 4, ["list entry"]),
        ("v: [1\n", 1, 4, ["'['", "not closed"]),
        ("v: {a: 1\n", 1, 4, ["'{'", "not closed"]),
        ("a: 'x", 1, 4, ["does not end"]),
        ("a: *nope", 1, 4, ['"nope"']),
        (" q: r\nl: z", 2, 1, ["indentation"]),
        ("a: \x01", 1, 4, ["U+0001"]),
        ("? [a, b]\n: 1", 1, 3, ["key"]),
        ("<<: 1", 1, 5, ["<<", "mapping"]),
        ("a: !!int x", 1, 4, ["!!int"]),
        ("a: &a [1, *a]", 1, 7, ["alias"]),
        ("x: 1\ny: " + "[" * 100000, 2, 202, ["200"]),
        ("- " * 5000, 1, 399, ["200"]),
    ],
)
def test_errors_have_a_position_and_a_reason(text: str, line: int, column: int, words: list[str]) -> None:
    with pytest.raises(YAMLError) as caught:
        yaml.load(text, "m.yaml")
    error = caught.value
    for word in words:
        assert word in error.message
    if "alias" not in words:
        assert (error.line, error.column) == (line, column)
        assert str(error) == f"m.yaml:{line}:{column}: {error.message}"


def test_the_excerpt_points_at_the_column() -> None:
    with pytest.raises(YAMLError) as caught:
        yaml.load("data:\n  v: @x\n")
    assert caught.value.excerpt == "2 |   v: @x\n  |      ^"
    with pytest.raises(YAMLError) as caught:
        yaml.load("a: '" + "x" * 5000 + "' 'y'")
    assert len(caught.value.excerpt) < 300


def test_bytes_that_are_not_utf8() -> None:
    assert yaml.load(b"a: 1\nb: \xff").value == {"a": 1, "b": "\ufffd"}
    assert yaml.load("a: \udcff").value == {"a": "\ufffd"}


@pytest.mark.parametrize("shape", ["[%s]", "{k: [%s]}", "{<<: [{x: 1}], a: [%s]}"])
def test_aliases_cannot_expand_without_limit(shape: str) -> None:
    lines = ["a0: &a0 " + shape % "x"]
    lines += [f"a{n}: &a{n} " + shape % ", ".join([f"*a{n - 1}"] * 10) for n in range(1, 30)]
    with pytest.raises(YAMLError, match="too large"):
        yaml.load("\n".join(lines))


def test_a_large_manifest_is_read_with_positions() -> None:
    entry = '        - /srv/f%d:\n            ensure: present\n            mode: "0644"\n            content: "%s"\n'
    text = "ccm:\n  resources:\n    - file:\n" + "".join(entry % (n, "x" * 1000) for n in range(1000))
    position = yaml.load(text).position(("ccm", "resources", 0, "file", 999, "/srv/f999", "mode"))
    assert position == (4002, 13)


def test_the_garbage_collector_keeps_its_setting() -> None:
    assert gc.isenabled()
    yaml.load("a: 1")
    assert gc.isenabled()
    gc.disable()
    try:
        yaml.load("a: 1")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_without_libyaml_the_values_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    want = yaml.load(MANIFEST).value
    monkeypatch.setattr(yaml, "_loader_class", None)
    monkeypatch.delattr(pyyaml, "CSafeLoader", raising=False)
    document = yaml.load(MANIFEST)
    assert document.value == want
    assert document.scalar(("ccm", "resources", 1, "package", "ensure")) == "5.10"
    for text in ("[" * 5000, "a: @", "a: *x", "a:\n\tb: 1"):
        with pytest.raises(YAMLError):
            yaml.load(text)
    monkeypatch.setattr(yaml, "_loader_class", None)


@pytest.mark.starts_processes
def test_pyyaml_is_imported_on_use_and_named_when_it_is_missing() -> None:
    code = (
        "import sys; from ccm.lang import yaml\n"
        "assert 'yaml' not in sys.modules\n"
        "sys.modules['yaml'] = None\n"
        "try: yaml.load('a: 1')\n"
        "except yaml.YAMLUnavailable as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "python3-yaml" in run.stdout


READ_BEFORE_PYYAML = """
import sys
from ccm.lang import yaml, yamlwriting

assert yaml.load("{a: [1, 'x']}").value == {"a": [1, "x"]}
for text in ("a: @", "a: *x", "a: \\x01", "[1"):
    try:
        yaml.load(text)
    except yaml.YAMLError:
        continue
    raise AssertionError(text)
"""
WRITTEN = """
assert yamlwriting.dump({"a": [1, "x"]}) == "a:\\n- 1\\n- x\\n"
"""
USE_OF_PYYAML = """
import yaml as pyyaml

assert "yaml._yaml" in sys.modules and pyyaml.__with_libyaml__
text = "{a: [1, 'x']}"
assert pyyaml.load(text, pyyaml.CSafeLoader) == {"a": [1, "x"]}
for read in (pyyaml.scan, pyyaml.parse):
    kinds = [[type(part) for part in read(text, Loader=loader)] for loader in (pyyaml.CLoader, pyyaml.Loader)]
    assert kinds[0] == kinds[1]
assert pyyaml.emit(pyyaml.parse("a: 1", Loader=pyyaml.CLoader), Dumper=pyyaml.CDumper) == "a: 1\\n"
assert pyyaml.dump({"a": 1}, Dumper=pyyaml.CDumper) == "a: 1\\n"
assert isinstance(pyyaml.compose("a", Loader=pyyaml.CSafeLoader), pyyaml.nodes.ScalarNode)
for text, kind in (("a: @", pyyaml.scanner.ScannerError), ("a: \\x01", pyyaml.reader.ReaderError)):
    try:
        pyyaml.load(text, pyyaml.CSafeLoader)
    except pyyaml.error.YAMLError as error:
        assert type(error) is kind, error
assert yaml.load("a: 1").value == {"a": 1}
for text in ("a: @", "a: *x"):
    try:
        yaml.load(text)
    except yaml.YAMLError:
        continue
    raise AssertionError(text)
assert yamlwriting.dump({"a": [1, "x"]}) == "a:\\n- 1\\n- x\\n"
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("before", [READ_BEFORE_PYYAML, READ_BEFORE_PYYAML + WRITTEN])
def test_pyyaml_has_its_own_classes_when_it_is_imported_after_a_text_was_read(before: str) -> None:
    subprocess.run([sys.executable, "-c", before + USE_OF_PYYAML], check=True)


@settings(max_examples=300)
@given(st.text("-+.0179_eExob", min_size=1, max_size=8))
def test_a_text_that_looks_like_a_number_is_quoted_or_a_number(text: str) -> None:
    value = yaml.plain(text)
    assert isinstance(value, (str, int, float))
    if isinstance(value, str):
        assert value == text


@settings(max_examples=300)
@given(st.text("ab:-{}[],&*!|>'\"%@#? \n\t<", max_size=30))
def test_any_text_has_a_document_or_a_yaml_error(text: str) -> None:
    try:
        yaml.load(text)
    except YAMLError as error:
        assert error.line >= 1
