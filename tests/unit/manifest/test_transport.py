# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A document that is sent to a node behaves like the parsed document."""

from __future__ import annotations

import json

import pytest
from ccm.data.annotations import find_rules
from ccm.lang.yaml import YAMLError, load
from ccm.manifest.transport import from_text, pack, pack_value, to_text, unpack
from ccm.model.errors import ManifestError
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.recorded import cases


def paths(value, path=()):
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from paths(entry, (*path, key))


def sent_and_received(document):
    return unpack(from_text(to_text({"document": pack(document)}))["document"])


def check_same(text):
    document = load(text, "m.yaml")
    other = sent_and_received(document)
    assert (other.value, other.name, other.text, other.lines) == (
        document.value,
        document.name,
        document.text,
        document.lines,
    )
    for path in [*paths(document.value), ("no", "such"), (0,), ("ccm", 99, "x")]:
        for question in ("position", "value_position", "scalar"):
            assert getattr(other, question)(path) == getattr(document, question)(path), (question, path)


def is_yaml(text):
    try:
        load(text)
    except YAMLError:
        return False
    return True


def manifests():
    for path, case in cases():
        for name, file in (case.get("files") or {}).items():
            content = file.get("content") if isinstance(file, dict) else file
            if name.endswith(".yaml") and isinstance(content, str):
                yield pytest.param(content, id=f"{path.parent.name}-{path.stem}-{name}")


MANIFESTS = list(manifests())


def test_the_cases_contain_manifests():
    assert len(MANIFESTS) > 100


@pytest.mark.parametrize("text", MANIFESTS)
def test_manifests_of_the_cases(text):
    if is_yaml(text):
        check_same(text)


def test_scalars_keep_their_spelling():
    check_same(
        """\
a: 0644
b: 5.10
c: ~
d: "quoted"
e: 'single'
f: |
  block
g: !!binary aGVsbG8=
h: 1_000
i: [0x1F, 1e3, true, "true", null, ""]
j: &anchor {k: 007, l: yes}
m: *anchor
n: {<<: *anchor, o: 1}
p: {q:1}
r:
"""
    )


SCALARS = st.sampled_from(["0644", "1.10", "true", "~", '"x"', "x y", "0o17", "1e3", "-7", "''", "12:30", "2026-01-01"])
KEYS = st.sampled_from(["a", "b", "ccm", "1", "x y"])


def flow(inner):
    lists = st.lists(inner, max_size=4).map(lambda items: "[" + ", ".join(items) + "]")
    maps = st.dictionaries(KEYS, inner, max_size=4).map(
        lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}"
    )
    return st.one_of(lists, maps)


@given(st.recursive(SCALARS, flow, max_leaves=20))
def test_any_document(text):
    check_same(text)


def test_annotations_are_sent():
    document = load("data:\n  # @require\n  a: 1\n  # @validate isInt(value)\n  b: x\n", "m.yaml")
    rules = find_rules(sent_and_received(document))[0]
    expected = find_rules(document)[0]
    assert [(rule.key, rule.required, rule.validation, rule.position) for rule in rules] == [
        (rule.key, rule.required, rule.validation, rule.position) for rule in expected
    ]
    assert len(rules) == 2


def test_values_without_a_file_have_no_position():
    document = unpack(json.loads(json.dumps(pack_value({"a": [1]}, "manifest"))))
    assert (document.value, document.name, document.text) == ({"a": [1]}, "manifest", "")
    assert document.position(("a",)) is document.value_position(("a", 0)) is document.scalar(("a", 0)) is None


@pytest.mark.parametrize("text", ["", "x", "eJw=", "eNqrVgIAAZYA"])
def test_a_damaged_document_is_refused(text):
    with pytest.raises(ManifestError, match="arrived incomplete"):
        from_text(text)


def test_a_large_manifest_is_sent_compressed():
    files = "".join(
        f"        - /srv/{n}: {{ensure: present, owner: root, group: root, mode: 0644, content: text {n}}}\n"
        for n in range(1000)
    )
    document = load("ccm:\n  resources:\n    - file:\n" + files, "m.yaml")
    shipped = to_text(pack(document))
    print(len(document.text), len(shipped))
    assert len(shipped) < len(document.text)
