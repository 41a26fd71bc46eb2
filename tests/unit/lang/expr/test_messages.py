# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of expressions: the reason alone."""

from __future__ import annotations

import pytest
from ccm.lang.expr.errors import ExprError
from ccm.lang.expr.program import compile_expression

from tests.unit.lang.expr.test_errors import ENVIRONMENT, VARIABLES

FAULTS = [
    ("take(Data.port,1)", "cannot take from int"),
    ("take(Data.list,Data.name)", "cannot take string elements"),
    ("reverse(Data.port)", "cannot reverse int"),
    ("toPairs(Data.port)", "cannot transform int to pairs"),
    ("fromPairs(Data.port)", "cannot transform %!s(int=8080) from pairs"),
    ("concat([1], Data.port)", "cannot concat int"),
    ("fromPairs(Data.nil)", "cannot transform <invalid reflect.Value> from pairs"),
    ("flatten(Data.port)", "cannot flatten int"),
    ("values(Data.port)", "cannot get values from int"),
    ("now().AddDate(99999999,1,1)", "year out of range"),
    ("let l=[now(),1]; l[0].AddDate(1)", "invalid number of arguments: expected 3, got 1"),
    ("let l=[now(),1]; l[0].AddDate(1,2,'a')", "reflect: Call using string as type int"),
    ("median(Data.name)", "invalid argument for median (type string)"),
    ("date(timezone('UTC'))", "runtime error: index out of range [0] with length 0"),
    ("sort([1],Data.port)", "sort order argument must be a string (got int)"),
    ("Data.port matches 'a'", "interface conversion: interface {} is int, not []uint8"),
    ("{(Data.nil): 1}", "interface conversion: interface {} is nil, not string"),
    ("{(Data.port): 1}", "interface conversion: interface {} is int, not string"),
    ("upper(Data.nil)", "interface conversion: interface {} is nil, not string"),
    ("fromJSON('1e999')", "json: cannot unmarshal number 1e999 into Go value of type float64"),
    ("groupBy([{}], #)", "hash of unhashable type: map[string]interface {}"),
    ("groupBy([1,[]], #)", "runtime error: hash of unhashable type []interface {}"),
    ("groupBy([1], #)[[]]", "runtime error: hash of unhashable type []interface {}"),
    ("fromPairs([[{}, 1]])", "runtime error: hash of unhashable type map[string]interface {}"),
    ("any(fromJSON('{\"a\": 1}'), # == 1)", "reflect: call of reflect.Value.Index on map Value"),
    ("Data.port | all(true)", "reflect: call of reflect.Value.Len on int Value"),
    ("Data.nope?.call(take([1]))", "invalid number of arguments (expected 2, got 1)"),
    ("Data.port(int())", "stack underflow"),
    ("Data.port(upper())", "stack underflow"),
    ("Data.port(trim())", "invalid number of arguments for trim (expected 1 or 2, got 0)"),
    ("Data.port(replace('a'))", "invalid number of arguments for replace (expected 3 or 4, got 1)"),
    ("Data.port(bitnot(1, 2))", "invalid number of arguments for bitnot (expected 1, got 2)"),
    ("Data.port(sort([], 1, 2))", "invalid number of arguments (expected 1 or 2, got 3)"),
    ("Data.port(date())", "invalid number of arguments (expected at least 1, got 0)"),
    ("Data.port(date(timezone('UTC')))", "runtime error: index out of range [0] with length 0"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_messages(text, message):
    with pytest.raises(ExprError) as caught:
        compile_expression(text, ENVIRONMENT).run(VARIABLES, {"lookup": lambda *given: given})
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "levels", "message"),
    [
        ("max(Data.deep)", 300, "recursion depth exceeded"),
        ("mean(Data.deep)", 300, "recursion depth exceeded"),
        ("flatten(Data.deep)", 300, "recursion depth exceeded"),
        ("toJSON(Data.deep)", 5000, "json: value is nested too deeply"),
    ],
)
def test_an_expression_that_is_nested_too_deeply_has_a_message(text, levels, message):
    with pytest.raises(ExprError) as caught:
        compile_expression(text, ENVIRONMENT).run({"Data": {"deep": nested(levels)}})
    assert caught.value.message == message


def nested(levels):
    """Return a list in a list in a list."""
    inner = []
    for _level in range(levels):
        inner = [inner]
    return inner


def test_a_value_above_the_memory_limit_is_refused():
    program = compile_expression("lookup('a')", ENVIRONMENT)
    with pytest.raises(ExprError) as caught:
        program.run(VARIABLES, {"lookup": lambda key: bytes(1 << 62)})
    assert caught.value.message == "memory budget exceeded"
