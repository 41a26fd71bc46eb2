# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quoting, plain values, messages, inline manifests."""

from __future__ import annotations

import datetime
import json

import pytest
from ccm.ansible_tasks.argument_spec import argument_spec
from ccm.ansible_tasks.inline_manifest import mend_inline_manifest
from ccm.ansible_tasks.quoting import NotQuoted, check_quoted, written_mode
from ccm.ansible_tasks.result import plain
from ccm.ansible_tasks.words import explain
from ccm.model.errors import InvalidResource, Position
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(0, 0o777))
def test_octal_modes_come_back(mode):
    assert written_mode(mode) == f"{mode:04o}"


@given(st.one_of(st.booleans(), st.floats(), st.integers(max_value=-1), st.integers(min_value=0o1000), st.none()))
def test_other_modes_are_to_be_quoted(mode):
    with pytest.raises(NotQuoted, match="quote it"):
        written_mode(mode)


def test_text_options_take_text():
    spec = {
        "text": {"type": "str", "aliases": ["other"]},
        "list": {"type": "list", "elements": "str"},
        "number": {"type": "int"},
        "mode": {"type": "raw"},
    }
    check_quoted(spec, {"text": "1.10", "list": ["1.5", 3], "number": 1.5, "mode": 0o644, "unknown": 1.5})
    for wrong in ({"text": 1.1}, {"other": True}, {"list": ["a", 1.5]}, {"mode": 0.5}):
        with pytest.raises(NotQuoted, match="quote it"):
            check_quoted(spec, wrong)


ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(st.characters(codec=None, exclude_categories=())),
        st.binary(),
        st.dates(),
    ),
    lambda inner: st.one_of(
        st.lists(inner), st.tuples(inner), st.dictionaries(st.one_of(st.text(), st.integers(), st.none()), inner)
    ),
)


@given(ANYTHING)
def test_plain_values_are_json_in_utf8(value):
    assert json.loads(json.dumps(plain(value), ensure_ascii=False).encode("utf-8")) == plain(value)


def test_plain_values_keep_what_json_has():
    value = {"a": [1, 1.5, True, None, "é"], "b": {}}
    assert plain(value) == value
    assert plain((b"\xff", "\ud800", datetime.date(2026, 1, 2))) == ["\\xff", "\\ud800", "2026-01-02"]
    deep = []
    for _level in range(5000):
        deep = [deep]
    json.dumps(plain(deep))


def test_errors_tell_all_they_know():
    error = InvalidResource(
        "is wrong",
        resource="file#/x",
        property="mode",
        value="u+x",
        position=Position("m.yaml", 3, 4),
        advice="do this",
    )
    assert explain(error) == 'm.yaml:3:4: file#/x: is wrong (mode: "u+x"); do this'
    assert explain(InvalidResource("no"), "exec#y") == "exec#y: no"
    assert explain(InvalidResource('mode "u+x" is wrong', property="mode", value="u+x")) == 'mode "u+x" is wrong'
    assert explain(InvalidResource("x", property="name", value="v" * 500)) == f'x (name: "{"v" * 80}...")'


def test_inline_manifests_get_their_modes_back():
    manifest = {
        "data": {"mode": 420, "ratio": 0.5},
        "ccm": {
            "resources": [
                {"file": [{"defaults": {"mode": 0o600}}, {"/a": {"mode": 0o644}}, {"/b": None}, "odd"]},
                {"file": {"name": "/c", "mode": "0640"}, "unknown": [{"x": {"mode": 1.5}}]},
                {"exec": {"name": "x", "timeout": "10s", "returns": [1]}},
                "odd",
            ]
        },
    }
    mend_inline_manifest(manifest)
    file = manifest["ccm"]["resources"][0]["file"]
    assert (file[0]["defaults"]["mode"], file[1]["/a"]["mode"]) == ("0600", "0644")
    assert manifest["data"] == {"mode": 420, "ratio": 0.5}


@pytest.mark.parametrize(
    "odd", [{}, {"ccm": None}, {"ccm": {"resources": "x"}}, {"ccm": {"resources": [[], {"file": 1}]}}]
)
def test_odd_inline_manifests_are_left_to_validation(odd):
    before = json.dumps(odd)
    mend_inline_manifest(odd)
    assert json.dumps(odd) == before


@pytest.mark.parametrize(("key", "value"), [("mode", 644), ("content", 1.1), ("ensure", True), ("owner", 1.5)])
def test_inline_manifests_are_told_to_quote(key, value):
    manifest = {"ccm": {"resources": [{"file": [{"/a": {key: value}}]}]}}
    with pytest.raises(NotQuoted, match=f"^file#/a: {key} is .*quote it"):
        mend_inline_manifest(manifest)


def test_secrets_are_not_logged():
    from ccm.resources.archive.type import TYPE as ARCHIVE

    spec = argument_spec(ARCHIVE)
    assert [name for name, option in spec.items() if option.get("no_log")] == ["headers", "password"]
