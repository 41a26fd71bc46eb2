# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The builtins without closure: texts, numbers, conversions, lists, bits, dates."""

from __future__ import annotations

import pytest
from ccm.lang.expr.catalogue import BUILTINS, PREDICATES, implementation
from ccm.lang.expr.errors import RunError
from ccm.lang.expr.program import Environment, compile_expression
from ccm.lang.go.fmt import sprint
from ccm.lang.go.time.times import Duration, Time

ENVIRONMENT = Environment({"Data": "map"})
VARIABLES = {"Data": {"i": 7, "f": 2.5, "mixed": [1, "two", 3.5, True, None], "map": {"b": 2, "a": [1]}, "s": "Grüße"}}


def evaluate(text):
    return compile_expression(text, ENVIRONMENT).run(VARIABLES)


TEXTS = [
    ("trim(' \\u00a0a ') + trim('xxaxx', 'x')", "aa"),
    ("trimPrefix('abc', 'a') + trimSuffix('abc', 'c')", "bcab"),
    ("upper('straße ᾳ')", "STRAßE ᾼ"),
    ("lower('ÄÖ İ')", "äö i"),
    ("split('a,b,c', ',')", ["a", "b", "c"]),
    ("split('a,b,c', ',', 2)", ["a", "b,c"]),
    ("split('añb', '')", ["a", "ñ", "b"]),
    ("split('abc', '', 2)", ["a", "bc"]),
    ("split('abc', ',', 0)", []),
    ("splitAfter('a,b,c', ',')", ["a,", "b,", "c"]),
    ("replace('aaa', 'a', 'b') + replace('aaa', 'a', 'b', 1)", "bbbbaa"),
    ("replace('ab', '', '-')", "-a-b-"),
    ("repeat('ab', 3)", "ababab"),
    ("join(['a', 'b'], '-') + join(['a', 'b'])", "a-bab"),
    ("[indexOf(Data.s, 'e'), lastIndexOf('abab', 'b'), indexOf('a', 'z')]", [6, 3, -1]),
    ("hasPrefix('abc', 'a') and hasSuffix('abc', 'c')", True),
    ("[len(Data.s), len([1]), len({a: 1}), len(b'é')]", [5, 1, 1, 2]),
]

NUMBERS = [
    ("[abs(-5), abs(-5.5)]", [5, 5.5]),
    ("[ceil(1.2), floor(-1.2), round(2.5), round(-2.5), round(1.4), round(7)]", [2.0, -2.0, 3.0, -3.0, 1.0, 7.0]),
    ("[max(1, 2.5), min([3, [1, 2]]), max([])]", [2.5, 1, None]),
    ("[mean(1, 2, [3, 6]), median(3, 1, 2), median([1, 2]), mean([])]", [3.0, 2.0, 1.5, 0.0]),
    ("[bitand(6, 3), bitor(6, 3), bitxor(6, 3), bitnand(6, 3), bitnot(6)]", [2, 7, 5, 4, -7]),
    ("[bitshl(1, 4), bitshr(-8, 1), bitushr(-1, 60), bitshl(1, 63)]", [16, -4, 15, -(1 << 63)]),
    ("8080 ** 1.5 == 726301.6673531738", True),
]

CONVERSIONS = [
    ("[int('-42'), int(2.9), int(-2.9), float('1e3'), float('-Inf') < 0]", [-42, 2, -2, 1000.0, True]),
    ("map([nil, 1, 1.5, 'a', [], {}, true], type(#))", ["nil", "int", "float", "string", "array", "map", "bool"]),
    ("[type(now()), type(duration('1s')), type(Data.s[0])]", ["time.Time", "time.Duration", "uint"]),
    ("string(Data.mixed)", "[1 two 3.5 true <nil>]"),
    ("string(1000000.0) + string(nil)", "1e+06<nil>"),
    (
        "toJSON({b: [1, 1.5, nil], a: '<&>'})",
        '{\n  "a": "\\u003c\\u0026\\u003e",\n  "b": [\n    1,\n    1.5,\n    null\n  ]\n}',
    ),
    ('fromJSON(\'{"a": [1, true, null, "\\\\u00e9"]}\')', {"a": [1.0, True, None, "é"]}),
    ("fromBase64(toBase64('é✓'))", "é✓"),
]

LISTS = [
    ("[first([1, 2]), last([1, 2]), first([]), last([])]", [1, 2, None, None]),
    ("[get([1], 0), get([1], 9), get({a: 1}, 'a'), get({a: 1}, 'b'), get(Data.nope, 'x')]", [1, None, 1, None, None]),
    ("[take([1, 2, 3], 2), take([1], 9)]", [[1, 2], [1]]),
    ("[keys(Data.map), values({a: 1}), toPairs({a: 1})]", [["b", "a"], [1], [["a", 1]]]),
    ("fromPairs([['a', 1], [2, 'b']])[2]", "b"),
    ("reverse([1, 2, 3])", [3, 2, 1]),
    ("uniq([1, 'a', 1.0, 'a', true, [1], [1.0], nil, nil])", [1, "a", True, [1], None]),
    ("concat([1], [2, [3]], [])", [1, 2, [3]]),
    ("flatten([1, [2, [3, []]]])", [1, 2, 3]),
    ("[sort([3, 1, 2.5]), sort(['b', 'a'], 'desc')]", [[1, 2.5, 3], ["b", "a"]]),
]


@pytest.mark.parametrize(("text", "want"), TEXTS + NUMBERS + CONVERSIONS + LISTS)
def test_value(text, want):
    assert evaluate(text) == want


DATES = [
    ("duration('1h30m') + duration('30m')", "2h0m0s"),
    ("2 * duration('45m')", "1h30m0s"),
    ("duration('90m').Hours()", "1.5"),
    ("duration('1h') > duration('59m')", "true"),
    ("date('2024-02-29')", "2024-02-29 00:00:00 +0000 UTC"),
    ("date('2024-02-29T10:20:30.5+02:00')", "2024-02-29 10:20:30.5 +0200 +0200"),
    ("date('Mon, 02 Jan 2006 15:04:05 MST')", "2006-01-02 15:04:05 +0000 MST"),
    ("date('29/02/2024', '02/01/2006').YearDay()", "60"),
    ("date('2024-02-29') + duration('24h')", "2024-03-01 00:00:00 +0000 UTC"),
    ("date('2024-03-01') - date('2024-02-28')", "48h0m0s"),
    ("date('2024-01-31').AddDate(0, 1, 0).Format('Jan _2, 2006')", "Mar  2, 2024"),
    ("date('2024-02-29').Weekday()", "Thursday"),
    ("date('2024-02-29').Month().String()", "February"),
    ("date('2024-02-29T10:20:30Z').Truncate(duration('1h')).Format('3:04PM')", "10:00AM"),
    ("date('2024-02-29T10:20:30Z').Unix()", "1709202030"),
    ("date('2024-12-30').ISOWeek()", "2025"),
    ("toJSON(date('2024-02-29')) + toJSON(duration('1us'))", '"2024-02-29T00:00:00Z"1000'),
    ("now() - now() < duration('1m')", "true"),
]


@pytest.mark.parametrize(("text", "want"), DATES)
def test_dates_read_as_go_prints_them(text, want):
    assert sprint(evaluate(text)) == want


def test_types_of_dates():
    assert isinstance(evaluate("date('2024-02-29')"), Time)
    assert isinstance(evaluate("duration('1s')"), Duration)


@pytest.mark.parametrize(
    "text",
    [
        "date('2023-02-29')",
        "date('2024-01-01', '2006-01-02 15')",
        "timezone('No/Where')",
        "duration('1d')",
        "fromBase64('a')",
        "fromJSON('[1,]')",
        "fromJSON('NaN')",
        "toJSON(groupBy([1], #))",
        "take([1], -1)",
        "keys(Data.i)",
        "join(Data.mixed)",
        "upper(Data.i)",
        "float('1_0')",
        "bitand(Data.f, 1)",
        "max(Data.mixed)",
    ],
)
def test_errors_of_builtins(text):
    with pytest.raises(RunError):
        evaluate(text)


def test_every_builtin_has_an_implementation():
    for name in BUILTINS - set(PREDICATES):
        assert callable(implementation(name))
