# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators, literals, access, closures and scopes of the expression language, as tables of expression and value."""

from __future__ import annotations

import math

import pytest
from ccm.lang.expr.program import Environment, compile_expression
from ccm.lang.go.kinds import IntList

ENVIRONMENT = Environment({"Facts": "map", "Data": "map", "Environ": "map[string]string", "text": "string"})
VARIABLES = {
    "Facts": {"os": "linux", "cores": 8.0},
    "Data": {
        "port": 8080,
        "weight": 1.5,
        "name": "nginx",
        "nil": None,
        "tags": ["web", "prod"],
        "ports": [80, 443, 8080],
        "umlaut": "grün",
        "users": [
            {"name": "ann", "age": 30, "groups": ["a", "b"]},
            {"name": "bob", "age": 20, "groups": []},
            {"name": "cid", "age": 30, "groups": ["b"]},
        ],
        "a b": {"deep": [1, [2, 3]]},
    },
    "Environ": {"HOME": "/root"},
    "text": "some text",
}


def evaluate(text, as_bool=False):
    return compile_expression(text, ENVIRONMENT, as_bool).run(VARIABLES)


def same(got, want):
    both_nan = isinstance(got, float) and isinstance(want, float) and math.isnan(got) and math.isnan(want)
    return type(got) is type(want) and (got == want or both_nan)


LITERALS = [
    ("nil", None),
    ("true", True),
    ("1_000", 1000),
    ("0x1F", 31),
    ("0b101", 5),
    ("0o17", 15),
    ("007", 7),
    (".5", 0.5),
    ("1e3", 1000.0),
    ("1.5e-2", 0.015),
    (r"'a\tb\x41\u00e9\u{1F600}\101'", "a\tbAé\U0001f600A"),
    ('"it\'s"', "it's"),
    ("`raw \\n ``quoted```", "raw \\n `quoted`"),
    (r"b'a\xff'", b"a\xff"),
    ("[1, 'a', [nil],]", [1, "a", [None]]),
    ("{a: 1, 'b c': 2, 3: 4, (text): 5,}", {"a": 1, "b c": 2, "3": 4, "some text": 5}),
    ("{a: 1, a: 2}", {"a": 1}),
    ("1 /* not this */ + 2 // nor this", 3),
]

OPERATORS = [
    ("1 + 2 * 3", 7),
    ("-2 ** 2", -4.0),
    ("2 ** 3 ** 2", 512.0),
    ("7 / 2", 3.5),
    ("6 / 2", 3.0),
    ("-7 % 3", -1),
    ("1 / 0", math.inf),
    ("-1 / 0", -math.inf),
    ("0 / 0", math.nan),
    ("9223372036854775807 + 1", -9223372036854775808),
    ("1 + 1.5", 2.5),
    ("'a' + 'b'", "ab"),
    ("1 == 1.0", True),
    ("[1, 2] == [1.0, 2.0]", True),
    ("{a: 1} == {a: 1.0}", False),
    ("'a' < 'b'", True),
    ("1 < 2 < 3", True),
    ("3 > 2 > 2", False),
    ("not true or true", True),
    ("not (true or true)", False),
    ("true && false || true", True),
    ("1 in [1, 2]", True),
    ("Data.port in [80.0, 8080.0]", True),
    ("'os' in Facts", True),
    ("'x' not in ['a']", True),
    ("Data.nil in ['']", True),
    ("'x' in Data.nil", False),
    ("'abc' contains 'b'", True),
    ("'abc' startsWith 'a' and 'abc' endsWith 'c'", True),
    ("not ('abc' contains 'z')", True),
    ("'abc' not contains 'z'", True),
    ("'foo42' matches '^[a-z]+[0-9]+$'", True),
    ("Data.nil matches '.'", False),
    ("1..4", IntList([1, 2, 3, 4])),
    ("4..1", IntList()),
    ("nil ?? 1", 1),
    ("Data.nil ?? Data.nope ?? 'x'", "x"),
    ("false ? 1 : true ? 2 : 3", 2),
    ("if 1 > 2 { 'a' } else if 2 > 1 { 'b' } else { 'c' }", "b"),
    ("false and Data.nil.x", False),
    ("Data.nil.x and false", False),
    ("true or Data.nil.x", True),
    ("true and 'text' == text", False),
]

ACCESS = [
    ("Facts.os", "linux"),
    ("Facts['os']", "linux"),
    ("$env.Facts.os", "linux"),
    ("$env['Data'].port", 8080),
    ("Data.nope", None),
    ("Environ.NOPE", ""),
    ("let e = Environ; e.NOPE", ""),
    ("Data.nil?.x.y.z", None),
    ("Data.nil?.[0]?.x ?? 'none'", "none"),
    ("Data['a b'].deep[1][0]", 2),
    ("Data.ports[-1]", 8080),
    ("Data.ports[1.9]", 443),
    ("Data.ports[1:]", [443, 8080]),
    ("Data.ports[:-1]", [80, 443]),
    ("Data.ports[-2:100]", [443, 8080]),
    ("Data.ports[2:1]", []),
    ("Data.name[1:3]", "gi"),
    ("Data.umlaut[0:2] == 'gr'", True),
    ("Data.umlaut[2:4]", "ü"),
    ("int(Data.umlaut[2])", 0xC3),
    ("len(Data.umlaut)", 4),
]

CLOSURES = [
    ("filter(Data.ports, # > 100)", [443, 8080]),
    ("filter(Data.users, .age == 30)[0].name", "ann"),
    ("last(filter(Data.users, .age == 30)).name", "cid"),
    ("first(filter(Data.users, .age > 99))", None),
    ("map(Data.users, .name)", ["ann", "bob", "cid"]),
    ("map(Data.users, {.name + '!'})", ["ann!", "bob!", "cid!"]),
    ("map(Data.tags, {#index})", [0, 1]),
    ("map(Data.users, {{n: .name, i: #index}})[1]", {"n": "bob", "i": 1}),
    ("map(filter(Data.ports, # > 100), # + 1)", [444, 8081]),
    ("map(1..2, {let x = #; map(1..2, # * x)})", [[1, 2], [2, 4]]),
    ("all(Data.ports, # > 0) and any(Data.ports, # == 80)", True),
    ("none(Data.ports, # < 0) and one(Data.ports, # == 80)", True),
    ("none(Data.ports, # == 80) and none(Data.ports, # == 81)", False),
    ("none(Data.ports, # == 81) && none(Data.ports, # == 80)", False),
    ("none(Data.ports, # == 81) and none(Data.ports, # == 82)", True),
    ("any(Data.ports, # == 81) or any(Data.ports, # == 80)", True),
    ("count(Data.ports, # > 100)", 2),
    ("count([true, false, true])", 2),
    ("count(Data.ports, # > 100) > 1", True),
    ("find(Data.ports, # > 100)", 443),
    ("findIndex(Data.ports, # > 100)", 1),
    ("findLast(Data.ports, # > 100)", 8080),
    ("findLastIndex(Data.ports, # > 9999)", None),
    ("sum(Data.ports)", 8603),
    ("sum(Data.users, .age)", 80),
    ("sum(map(Data.users, #index))", 3),
    ("sum(1..2000000)", 2000001000000),
    ("reduce(Data.ports, #acc + #)", 8603),
    ("reduce(Data.tags, #acc + # + string(#index), '>')", ">web0prod1"),
    ("groupBy(Data.users, .age)[30] | map(.name)", ["ann", "cid"]),
    ("groupBy(Data.users, .age)[31] == nil", True),
    ("len(groupBy([1, 1.0, true], #))", 3),
    ("sortBy(Data.users, .age) | map(.name)", ["bob", "ann", "cid"]),
    ("sortBy(Data.users, .age, 'desc') | map(.name)", ["ann", "cid", "bob"]),
    ("Data.users | filter(.age > 20) | map(.name) | join(',')", "ann,cid"),
]

SCOPES = [
    ("let x = 1; let y = x + 1; x + y", 3),
    ("1; 2", 2),
    ("1;", 1),
    ("map([1], {let z = #; z + 1})", [2]),
    ("::upper('x')", "X"),
]


@pytest.mark.parametrize(("text", "want"), LITERALS + OPERATORS + ACCESS + CLOSURES + SCOPES)
def test_value(text, want):
    assert same(evaluate(text), want), repr(evaluate(text))


@pytest.mark.parametrize(
    ("text", "want"), [("Data.nil", False), ("Data.nope", False), ("1 < 2", True), ("Data.port == 80", False)]
)
def test_as_bool_takes_nil_for_false(text, want):
    assert evaluate(text, as_bool=True) is want


def test_a_value_is_not_shared_between_runs():
    program = compile_expression("[1, 2]", ENVIRONMENT)
    program.run(VARIABLES).append(3)
    assert program.run(VARIABLES) == [1, 2]


def test_a_mapping_can_create_its_values_on_access():
    class Lazy(dict):
        def __missing__(self, key):
            return "made " + key

    assert compile_expression("Facts.x + Facts['y']", ENVIRONMENT).run({"Facts": Lazy()}) == "made xmade y"


def test_a_missing_map_is_nil_and_empty():
    assert compile_expression("[Data == nil, Data.x, len(Data), 'x' in Data]", ENVIRONMENT).run({}) == [
        True,
        None,
        0,
        False,
    ]
