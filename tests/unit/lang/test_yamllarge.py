# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of large documents reads each text as the other reader does, and keeps no nodes."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys

import pytest
import yaml as pyyaml
from ccm.lang import yaml
from ccm.lang.yaml import LARGE, YAMLError, load
from ccm.lang.yamllarge import LargeDocument, load_large

from tests.seed import chance, numbers
from tests.unit.layout import ROOT

#: How many changed texts are read by both readers.
CHANGED = int(os.environ.get("CCM_YAML_TEXTS", "300"))
TEXTS = [
    "a: [1, {b: 010}, {c: ~}, [x, 5.10], last]\n",
    "- {k: 1}\n- {'5': 0x1f, 6: true}\n- - 1\n  - {a: 1_000}\n- end\n",
    "base: &b {mode: 0644, owner: root}\nl:\n- {<<: *b, x: 1}\n- {<<: [*b, {y: 01}], mode: 0600}\n- last\n",
    "l: &l [{a: 01}, [02], {c: [{d: 03}, {e: 04}]}]\nagain: *l\nthird: {x: [*l, *l]}\n",
    "ccm:\n  resources:\n    - file:\n        - /a: {mode: 0644}\n        - /b: {mode: '06'}\n    - exec: [{ls: {}}]\n",
    "{a: 1, 2: 3}\n",
    "l: [{!<tag:yaml.org,2002:int> '7': 08, ~: 1, 5.0: 2}, {? a : 07}, {? b}, [~, 3]]\n",
    # What is merged, before and after own entries.
    "b: &b {x: 01, y: {z: 1}}\nl: [{x: 05, <<: *b}, {<<: *b, x: 05}, {y: 07, <<: *b}, {}]\n",
    "b: &b {x: 01, y: {z: 1}}\nl: [{<<: *b, y: 07}, {<<: *b, x: [1]}, {}]\n",
    "b: &b {x: 01}\nc: &c {x: t, y: 02}\nd: &d {x: [1], y: 03}\n"
    "l: [{<<: [*b, *c]}, {<<: [*c, *b]}, {<<: [*b, *d]}, {<<: [*d, *b], y: 04}, {<<: [{<<: *b, q: 05}, *c]}, {}]\n",
    "l: [&x {a: 01, l: [[02], [03]]}, *x, {<<: *x, l: *x}, [*x, *x], {}]\n",
    "x: &x [[01], [02]]\nl: [[*x], {<<: {k: *x}}, *x, {}]\n",
]
#: Texts that both readers read with all nodes.
OTHERS = [
    "",
    "# nothing\n",
    "5",
    "'text'",
    "- !!str 7\n- [!!binary aGk=, {}]\n",
    "a: ! 5\nb: [{}, {}]\n",
    "--- |#x\n b: 1\n",
    "l: [{x:07}, {y:8, z: 1}, {}]\n",
    "l: [{x:abc}, {x:'07'}, {x:}, {}]\n",
    "l: [&a {b: 1}, &a {c: 2}, *a, {}]\n",
    "l: [{a: 1}, {b: 2}]\n...\n% nothing\n",
    "l: [{a: 1}, {b: 2}]\n---\nother: @x\n",
]
ERRORS = [
    "l: [{a: 1, a: 2}, {b: 1}]\nc: @x\n",
    "l: [{a: 1, a: 2}, {b: 1}]\n",
    "l: [{a: 1, 'a': 2}, {b: 1}]\n",
    "l: [{05: 1, 5: 2}, {b: 1}]\n",
    "l: [{a:1, a: 2}, {b: 1}]\n",
    "b: &b {x: 1}\nl: [{<<: *b, <<: *b}, {}]\n",
    "a: &a [{b: [*a, 1, 2]}, {c: 1}]\n",
    "a: &a {k: [*a, 1]}\nb: 1\n",
    "a: &a {<<: *a, b: 1}\n",
    "l: [{a: !!int x}, {b: 1}]\n",
    "l: [{!!int x: 1}, {b: 1}]\n",
    "l: [{<<: [1, 2]}, {}]\n",
    "l: [{<<: [[1], 2]}, {}]\n",
    "l: [{<<: 5}, {}]\n",
    "l: [{? [x, y] : 1}, {}]\n",
    "l: [{? {x: y} : 1}, {}]\n",
    "l: [{}, *unknown]\n",
    "l:\n\t- {}\n\t- {}\n",
    "l: [{a: \0}, {}]\n",
    "l: [{}, {a: \x07}]\n",
    "l:\n- {a: 1}\n -{b: 2}\n",
    "l: [{}, " + "[" * 300,
    "l: [" + "[" * 198 + "{}" + "]" * 198 + ", {}]",
    "l: [" + "[" * 199 + "{}" + "]" * 199 + ", {}]",
    # An alias is deeper than its anchor: the list has 150 levels, the alias is at the 60th.
    "x: &x [" + "[" * 150 + "{}, 1" + "]" * 150 + ", 1]\ny: " + "[" * 60 + "*x, 1" + "]" * 60 + "\n",
    "x: &x [{}, " + "[" * 150 + "{}, 1" + "]" * 150 + ", 1]\ny: [1, " + "[" * 60 + "*x" + "]" * 60 + "]\n",
    "x: &x [[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]\n"
    + "".join(f"x{n}: &x{n} [{','.join([f'*x{n - 1}' if n else '*x'] * 10)}]\n" for n in range(7)),
]
#: What a change puts into a text.
PIECES = [
    *"-?:,[]{}#&*!|>'\"%@` \t\n\r",
    "\r\n",
    "\0",
    "\x85",
    "\u2028",
    "\ufeff",
    "é",
    "&a ",
    "*a",
    "*a ",
    "&a",
    "<<: *a\n",
]
PIECES += [
    "<<: ",
    "!!str ",
    "!!int ",
    "! ",
    "~",
    "05",
    "0x1f",
    "1_0",
    "null",
    ": ",
    "- ",
    "- {a: 05, b: [06]}\n",
    "---\n",
    "...\n",
]


def paths(value, path=()):
    """Yield all paths of a value, and some that are not there."""
    yield path
    yield (*path, "nope")
    yield (*path, 99)
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, entry in entries:
        yield from paths(entry, (*path, step))


def parts(value):
    """Yield the lists and mappings in a value."""
    if isinstance(value, (dict, list)):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from parts(each)


def read(reader, text, *, is_dropped=False):
    """Return all that a reader says about a text: the value with types and the order of keys, places, or the error."""
    try:
        document = reader(text, "m.yaml")
    except YAMLError as error:
        return error.message, error.line, error.column, error.excerpt, error.name
    if is_dropped:
        document.drop()
    found = list(paths(document.value))
    assert len({id(part) for part in parts(document.value)}) == len(list(parts(document.value)))
    # Scalars before positions: for these the text may be read again, with all nodes.
    said = [repr(document.value), document.text, document.lines, *map(document.scalar, found)]
    for ask in (document.position, document.value_position, document.is_unquoted, document.scalar):
        said += map(ask, found)
    return said


def assert_same(text):
    expected = read(load, text)
    assert read(load_large, text) == expected, text
    assert read(load_large, text, is_dropped=True) == expected, text


@pytest.mark.parametrize("text", TEXTS)
def test_a_large_document_is_as_a_small_one(text):
    assert isinstance(load_large(text), LargeDocument)
    assert_same(text)


@pytest.mark.parametrize("text", [*OTHERS, *ERRORS], ids=range(len(OTHERS) + len(ERRORS)))
def test_other_texts_and_errors_are_the_same(text):
    assert not isinstance(read(load_large, text), LargeDocument)
    assert_same(text)


@pytest.mark.parametrize("text", [*TEXTS, *ERRORS[:6]], ids=range(len(TEXTS) + 6))
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode().replace(b"a", b"\xff\xfe"),
        lambda text: text.encode("utf-16"),
        lambda text: f"{text.rstrip()} # {'x' * 100_000}\n",
        lambda text: f"---\n{text}",
        lambda text: f"# {'é' * 40_000}\n{text}",
    ],
)
def test_encodings_ends_of_lines_and_long_lines(text, change):
    assert_same(change(text))


def test_a_value_of_ten_megabytes():
    text = f"l:\n- {{a: 05, b: '{'x y ' * 2_500_000}'}}\n- {{c: 06}}\n"
    assert_same(text)


def texts_of_manifests():
    """Return the manifests and other YAML texts of tests and documents."""
    found = [path.read_bytes() for part in ("tests", "docs") for path in sorted((ROOT / part).rglob("*.y*ml"))]
    for path in sorted((ROOT / "docs").rglob("*.md")):
        blocks = re.findall(r"^```yaml\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
        found += [block.encode() for block in blocks]
    return list(dict.fromkeys(text for text in found if len(text) < 20_000))


def test_the_manifests_of_tests_and_documents():
    found = texts_of_manifests()
    assert len(found) > 100
    for text in found:
        assert_same(text)


def changed(text, others, random):
    """Return a text with a few changes."""
    for _change in range(random.randint(1, 4)):
        at = random.randint(0, len(text))
        end = min(len(text), at + random.choice((0, 0, 1, 1, 3, 10)))
        kind = random.random()
        if kind < 0.7:
            text = text[:at] + random.choice(PIECES) + text[end:]
        elif kind < 0.85:
            lines = random.choice(others).splitlines(keepends=True) or [""]
            first = random.randrange(len(lines))
            begin = text.rfind("\n", 0, at) + 1
            text = text[:begin] + "".join(lines[first : first + random.randint(1, 3)]) + text[begin:]
        else:
            text = text[:at] + text[end:] + text[at:end]
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded[: len(encoded) // 2] + b"\xff" + encoded[len(encoded) // 2 :] if random.random() < 0.05 else encoded


@pytest.mark.soak
def test_changed_texts():
    others = [*TEXTS, *TEXTS, *OTHERS, *ERRORS[:20]]
    others += [text.decode("utf-8", "replace") for text in texts_of_manifests() if len(text) < 3000]
    for number in numbers(CHANGED):
        random = chance("yaml texts", number)
        assert_same(changed(random.choice(others), others, random))


def test_manifests_below_the_limit_have_their_nodes(monkeypatch):
    from ccm.manifest.reader import parse_manifest

    text = b"ccm: {resources: [{exec: {name: a}}, {exec: {name: b}}]}\n#"
    for length in (LARGE - 1, LARGE, LARGE + 1):
        document = parse_manifest(text + b"x" * (length - len(text)), "m.yaml")
        assert isinstance(document, LargeDocument) == (length >= LARGE)
        assert document.position(("ccm", "resources", 0, "exec", "name")) == (1, 27)


def test_values_of_aliases_are_separate():
    value = load_large("l: &l [{a: []}, {b: 1}]\nm: *l\n").value
    value["l"][0]["a"].append(1)
    assert value["m"] == [{"a": []}, {"b": 1}]


def test_nodes_are_not_kept():
    text = "l:\n" + "".join(f"- {{name: n{number}, mode: 0644}}\n" for number in range(1000))
    document = load_large(text)
    gc.collect()
    nodes = sum(isinstance(each, pyyaml.nodes.Node) for each in gc.get_objects())
    assert nodes < 100
    assert document.scalar(("l", 500, "mode")) == "0644"
    assert document.position(("l", 500, "mode")) == (502, 16)


def test_a_loader_in_python_reads_as_usual(monkeypatch):
    monkeypatch.setattr(yaml, "_loader_class", yaml._loader_in_python())
    assert load_large("l: [{a: 1}, {b: 2}]").value == {"l": [{"a": 1}, {"b": 2}]}


READ_WITHOUT_PYYAML = """
import sys
from ccm.lang import yaml
from ccm.lang.yamllarge import load_large

text = "a: [1, x]\\n" + "# more\\n" * (yaml.LARGE // 6) + sys.argv[1]
assert len(text) > yaml.LARGE and "yaml.error" not in sys.modules
try:
    load_large(text)
except yaml.YAMLError as error:
    assert error.line == text.count("\\n") + 1, error
else:
    raise AssertionError("not refused")
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("refused", ["b: @", "b: *x", "b: c: d"])
def test_a_large_text_with_an_error_has_its_place_before_pyyaml_is_imported(refused):
    run = subprocess.run([sys.executable, "-c", READ_WITHOUT_PYYAML, refused], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
