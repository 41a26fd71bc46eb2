# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import sys

import pytest
from ccm.lang import jsondoc
from ccm.lang.jsondoc import load_json
from ccm.lang.yaml import YAMLError
from hypothesis import given
from hypothesis import strategies as st

TEXT = '{"a": [1, {"b": 5.10}, "x"],\n "c": {"d": 1},\n "c": {"e": "\\ud83d\\ude00", "f": [ ]}}'


@pytest.mark.usefixtures("scanner")
def test_values() -> None:
    assert load_json(TEXT).value == {"a": [1, {"b": 5.1}, "x"], "c": {"e": "😀", "f": []}}
    assert load_json(b"\xef\xbb\xbf[1]").value == [1]


def test_numbers_can_all_be_floats() -> None:
    value = load_json("[1, 2.5, 1e3]", floats=True).value
    assert [type(number) for number in value] == [float, float, float]
    assert isinstance(load_json("[1]").value[0], int)


@pytest.mark.parametrize(
    ("path", "key", "value", "written"),
    [
        ((), (1, 1), (1, 1), None),
        (("a",), (1, 2), (1, 7), None),
        (("a", 0), (1, 8), (1, 8), "1"),
        (("a", 1, "b"), (1, 12), (1, 17), "5.10"),
        (("a", 2), (1, 24), (1, 24), "x"),
        (("c", "e"), (3, 8), (3, 13), "😀"),
    ],
)
def test_positions_and_source_texts(
    path: tuple[str | int, ...], key: tuple[int, int], value: tuple[int, int], written: str | None
) -> None:
    document = load_json(TEXT)
    assert document.position(path) == key
    assert document.value_position(path) == value
    assert document.scalar(path) == written


def test_missing_values_have_no_position() -> None:
    document = load_json(TEXT)
    for path in (("z",), ("a", 3), ("a", -1), ("a", "b"), ("c", "d"), ("c", "f", 0), ("a", 0, 0)):
        assert document.position(path) is None
        assert document.scalar(path) is None


@pytest.fixture(params=["json imported", "json not imported", "no scanner in C"])
def scanner(request, monkeypatch):
    """json's scanner in C names a mistake only where json is imported, and not every Python has it."""
    if request.param == "json not imported":
        for name in ("json", "json.decoder", "json.scanner", "json.encoder"):
            monkeypatch.delitem(sys.modules, name, raising=False)
    if request.param == "no scanner in C":
        monkeypatch.setattr(jsondoc, "make_scanner", None)


@pytest.mark.usefixtures("scanner")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (1, 1)),
        ('{"a":\n ]', (2, 2)),
        ("[1] x", (1, 5)),
        ("{'a': 1}", (1, 2)),
        ("NaN", (1, 1)),
        ("[1e999]", (1, 1)),
        ("9" * 10000, (1, 1)),
        ("\x00", (1, 1)),
        ("[" * 100000, (1, 1)),
        ('{"a":' * 300 + "1" + "}" * 300, (1, 1)),
    ],
)
def test_errors(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(YAMLError) as caught:
        load_json(text, "facts.json")
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).startswith("facts.json:")


@pytest.mark.usefixtures("scanner")
def test_an_error_names_the_mistake() -> None:
    with pytest.raises(YAMLError) as caught:
        load_json("[1,\n {'a': 1}]")
    assert caught.value.message == "not valid JSON: expecting property name in double quotes"
    assert caught.value.excerpt == "2 |  {'a': 1}]\n  |   ^"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=12,
    ),
    st.sampled_from([None, 0, 3]),
)
def test_every_value_is_at_its_position(value: object, indent: int | None) -> None:
    document = load_json(json.dumps(value, indent=indent))
    lines = document.text.split("\n")
    todo: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while todo:
        path, item = todo.pop()
        found = document.value_position(path)
        assert found is not None
        rest = "\n".join([lines[found[0] - 1][found[1] - 1 :], *lines[found[0] :]])
        assert json.JSONDecoder().raw_decode(rest)[0] == item
        if isinstance(item, dict):
            todo += [((*path, key), member) for key, member in item.items()]
        elif isinstance(item, list):
            todo += [((*path, index), member) for index, member in enumerate(item)]


def test_only_line_feeds_are_counted_in_positions_of_errors():
    with pytest.raises(YAMLError) as caught:
        load_json('["a\u2028b",\r\n x]')
    assert (caught.value.line, caught.value.excerpt) == (2, "2 |  x]\n  |  ^")
