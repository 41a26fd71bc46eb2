# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest
from ccm.lang.gjson.result import GJSONError
from ccm.lang.gjson.search import get
from ccm.lang.gjson.wildcard import matches
from hypothesis import given, settings
from hypothesis import strategies as st

PEOPLE = [
    {"first": "Dale", "last": "Murphy", "age": 44, "nets": ["ig", "fb"]},
    {"first": "Roger", "last": "Craig", "age": 68, "nets": ["fb"]},
    {"first": "Jane", "last": "Murphy", "age": 47, "nets": []},
]
DOCUMENT: dict[str, Any] = {
    "facts": {"os": "linux", "cores": 8.0, "load": 0.25, "tiny": 1e-7},
    "data": {
        "people": PEOPLE,
        "nums": [1, 2, 3, 10],
        "mixed": [1, "1", True, None, {"a": 1}, [1]],
        "obj": {"b": 2, "a": 1, "c": {"x": [1, 2]}},
        "html": "<a>&",
        "json": '{"x": [1, 5.50]}',
        "a.b": "dot",
        "a*b": "star",
        "null": None,
        "cols": {"id": ["1", "2"], "n": [7]},
        "big": 9007199254740993,
    },
    "environ": {"HOME": "/root"},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("facts.os", "linux"),
        ("data.nums.3", 10),
        ("data.nums.03", 10),
        ("data.nums.#", 4),
        ("data.people.#.first", ["Dale", "Roger", "Jane"]),
        ("data.people.#.nets.0", ["ig", "fb"]),
        ("data.people.#.nope", []),
        ("data.a\\.b", "dot"),
        ("data.a\\*b", "star"),
        ("data.o*.a", 1),
        ("data.n?ms.0", 1),
        ("data.*.0", 1),
        ("data.null", None),
        ('data.people.#(last=="Murphy").age', 44),
        ('data.people.#(last=="Murphy")#.age', [44.0, 47.0]),
        ("data.people.#(age>44)#.first", ["Roger", "Jane"]),
        ("data.people.#(age<=44).first", "Dale"),
        ('data.people.#(first%"*a*")#.first', ["Dale", "Jane"]),
        ('data.people.#(first!%"*a*").first', "Roger"),
        ('data.people.#(nets.#(=="fb"))#.first', ["Dale", "Roger"]),
        ("data.people.#(nets.#>0)#.first", ["Dale", "Roger"]),
        ("data.people.#(nope)#", []),
        ("data.mixed.#(==1)#", [1.0, "1"]),
        ("data.mixed.#(=~true)#", [1.0, "1", True]),
        ("data.mixed.#(=~null)#", [None, {"a": 1.0}, [1.0]]),
        ("data.people.#(age>1000)#|#", 0),
        ("data.people|0|first", "Dale"),
        ("data.{nums.#,obj.a}", {"_": 4.0, "a": 1.0}),
        ('data.{"n":nums.0,obj.nope}', {"n": 1.0}),
        ("data.[nums.0,obj.b,nope]", [1.0, 2.0]),
        ('[!"x",!5,!null]', ["x", 5.0, None]),
        ("!true", True),
        ('!{"a":[1,2]}.a.1', 2),
        ("data.obj.@keys", ["a", "b", "c"]),
        ("data.obj.@values.1", 2),
        ("data.nums.@reverse", [10.0, 3.0, 2.0, 1.0]),
        ("data.people.@reverse.0.first", "Jane"),
        ("[data.nums,[data.nums]].@flatten", [1.0, 2.0, 3.0, 10.0, [1.0, 2.0, 3.0, 10.0]]),
        ('[[[data.nums]]].@flatten:{"deep":true}', [1.0, 2.0, 3.0, 10.0]),
        ('[!{"a":1,"b":2},!{"b":3}].@join', {"a": 1.0, "b": 3.0}),
        ("data.obj.c.@tostr", '{"x":[1,2]}'),
        ("data.html.@tostr", '"\\u003ca\\u003e\\u0026"'),
        ("data.json.@fromstr.x.1", 5.5),
        ("data.cols.@group", [{"id": "1", "n": 7.0}, {"id": "2"}]),
        ("data.@dig:first", ["Dale", "Roger", "Jane"]),
        ("data.obj.@this.a", 1),
        ("data.obj.@valid.a", 1),
        ("..#", 1),
        ("data.big", 9007199254740993),
        ("facts.cores", 8),
        ("facts.load", 0.25),
        ("facts.tiny", 0),
        ("*.os", "linux"),
    ],
)
def test_paths_with_a_result(path: str, value: object) -> None:
    result = get(DOCUMENT, path)
    assert result.exists
    found = result.lookup_value()
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "|",
        "!",
        "nope",
        "data|",
        "data.nope.x",
        "data.nums.4",
        "data.nums.x",
        "facts.os.x",
        "data.obj.@nope",
        "data.html.@fromstr",
        "data.people.#()",
        'data.people.#(last=="Nobody")',
        'data.people.#(last=="x"',
    ],
)
def test_paths_without_a_result(path: str) -> None:
    result = get(DOCUMENT, path)
    assert not result.exists
    assert (result.raw, result.string, result.value, result.lookup_value()) == ("", "", None, None)


@pytest.mark.parametrize(
    ("path", "raw", "string"),
    [
        ("data.html", '"\\u003ca\\u003e\\u0026"', "<a>&"),
        ("data.obj", '{"a":1,"b":2,"c":{"x":[1,2]}}', '{"a":1,"b":2,"c":{"x":[1,2]}}'),
        ("facts.tiny", "1e-7", "0.0000001"),
        ("facts.cores", "8", "8"),
        ("data.null", "null", ""),
        ("!1.50", "1.50", "1.5"),
        ("{data.big,!true}", '{"big":9007199254740993,"_":true}', '{"big":9007199254740993,"_":true}'),
        ("data.obj.@reverse", '{"c":{"x":[1,2]},"b":2,"a":1}', '{"c":{"x":[1,2]},"b":2,"a":1}'),
        ("data.obj.@pretty", '{\n  "a": 1,\n  "b": 2,\n  "c": {\n    "x": [1, 2]\n  }\n}\n', None),
        ("data.obj.c.@pretty.@ugly", '{"x":[1,2]}', '{"x":[1,2]}'),
        ('data.obj.c.@pretty:{"width":10,"indent":"\t"}', '{\n\t"x": [\n\t\t1,\n\t\t2\n\t]\n}\n', None),
        ('data.obj.@reverse.@pretty:{"sortKeys":true,"width":9}|a', "1", "1"),
        ("data.json.@fromstr", '{"x": [1, 5.50]}', '{"x": [1, 5.50]}'),
    ],
)
def test_json_text_and_string(path: str, raw: str, string: str | None) -> None:
    result = get(DOCUMENT, path)
    assert result.raw == raw
    assert result.string == (raw if string is None else string)


class Lazy(dict[str, object]):
    """A mapping that creates its values on access, and records the accessed keys."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(dict.fromkeys(names))
        self.accessed: list[str] = []

    def __getitem__(self, name: str) -> object:
        if name not in self:
            raise KeyError(name)
        self.accessed.append(name)
        return {"x": name}


@pytest.mark.parametrize("path", ["facts.host.x", "facts|host|x", "facts.host.@this.x", "{facts.host.x}", "facts.nope"])
def test_plain_keys_read_only_their_values(path: str) -> None:
    facts = Lazy(["network", "host", "memory"])
    get({"facts": facts, "data": {}, "environ": {}}, path)
    assert set(facts.accessed) <= {"host"}


def test_mappings_are_read_in_sorted_order_or_in_their_own() -> None:
    class Own(dict[str, object]):
        keep_order = True

    assert get({"b": {"d": 1, "c": 2}, "a": 3}, "@this").raw == '{"b":{"c":2,"d":1},"a":3}'
    assert get({"b": 1, "a": 3}, "@this", keep_order=False).raw == '{"a":3,"b":1}'
    assert get({"b": Own(d=1, c=2)}, "b").raw == '{"d":1,"c":2}'
    assert get({"b": Own(d=1, c=2)}, "b.@keys").value == ["d", "c"]


def test_values_without_a_json_form_are_an_error_when_their_text_is_needed() -> None:
    document = {"data": {"nan": float("nan"), "x": 1}}
    assert get(document, "data.x").lookup_value() == 1
    with pytest.raises(GJSONError, match="NaN"):
        _raw = get(document, "data").raw


@pytest.mark.parametrize(
    "path",
    [
        "data" + "|[@this,@this]" * 40,
        "@tostr" + "|@tostr" * 60,
        "data.@dig:@dig:@dig:@dig:@dig:@dig:@dig:x",
        "[" * 200 + "data" + "]" * 200,
    ],
)
def test_paths_with_too_much_work_or_output_are_an_error(path: str) -> None:
    deep: list[Any] = []
    for _level in range(60):
        deep = [deep, "<x>"]
    document = {"data": deep}
    with pytest.raises(GJSONError):
        _raw = get(document, path).raw


@pytest.mark.parametrize("path", ['!{"a":1 ' + "x" * 20000 + "}", '!["' + "a" * 20000 + '" x]'])
def test_a_long_literal_that_is_not_json_is_an_error(path: str) -> None:
    with pytest.raises(GJSONError, match="the path holds a literal that is not valid JSON"):
        _value = get({}, path).value


def test_a_document_that_is_nested_too_deeply_is_an_error() -> None:
    deep: list[Any] = []
    for _level in range(5000):
        deep = [deep]
    for path in ("a", "a.@this", "a.@pretty", "![" + "[" * 50000):
        with pytest.raises(GJSONError):
            result = get({"a": deep}, path)
            _read = (result.value, result.raw)


@pytest.mark.parametrize(
    ("text", "pattern", "fits"),
    [
        ("", "", True),
        ("", "*", True),
        ("abc", "a*c", True),
        ("abc", "a?c", True),
        ("ac", "a?c", False),
        ("abc", "a*b*d", False),
        ("aab", "*ab", True),
        ("a*b", "a\\*b", True),
        ("axb", "a\\*b", False),
        ("ab", "ab\\", False),
        ("a\nb", "a?b", True),
        ("aba", "*a*a*", True),
        ("aa", "a*?a", False),
        ("éé", "??", True),
    ],
)
def test_wildcards(text: str, pattern: str, fits: bool) -> None:
    assert matches(text, pattern) is fits


def test_many_stars_need_no_exponential_time() -> None:
    assert not matches("a" * 50000, "*a?" * 40 + "b")
    assert not matches("a" * 50000, "*a" * 1000 + "b*")


def slow_match(text: str, pattern: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(slow_match(text[start:], pattern[1:]) for start in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and slow_match(text[1:], pattern[1:])


@given(st.text("ab", max_size=8), st.text("ab*?", max_size=8))
def test_wildcards_follow_the_rule(text: str, pattern: str) -> None:
    assert matches(text, pattern) == slow_match(text, pattern)


@settings(max_examples=400)
@given(
    st.lists(
        st.sampled_from(["data", "people", "nums", "obj", "#", "a", "0", "*", ".", "|", "#(", ")#", "==", "~true", "@"])
        | st.sampled_from(
            ["this", "keys", "pretty", "dig:", "tostr", "fromstr", "flatten", "{", "}", "[", "]", '"', "!"]
        )
        | st.text("\\?:,%<= 5é", max_size=2),
        max_size=14,
    )
)
def test_any_text_is_a_path(words: list[str]) -> None:
    result = get(DOCUMENT, "".join(words))
    assert result.exists == bool(result.raw)
    _read = (result.value, result.string, result.lookup_value())
