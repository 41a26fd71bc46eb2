# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of expressions: messages and the position of the caret."""

from __future__ import annotations

import pytest
from ccm.lang.expr.errors import CompileError, ExprError, RunError
from ccm.lang.expr.program import Environment, Function, compile_expression

ENVIRONMENT = Environment({"Facts": "map", "Data": "map"}, {"lookup": Function(lambda *given: given)})
VARIABLES = {"Facts": {}, "Data": {"port": 8080, "nil": None, "name": "nginx", "list": [1, "a"], "yes": True}}

SYNTAX = [
    ("", "unexpected token EOF"),
    ("1 +", "unexpected token EOF (1:3)\n | 1 +\n | ..^"),
    ("@", "unrecognized character: U+0040 '@' (1:1)\n | @\n | ^"),
    ("1a", 'bad number syntax: "1a" (1:2)\n | 1a\n | .^'),
    ("'a", "literal not terminated (1:3)\n | 'a\n | ..^"),
    ("'\\z'", "invalid char escape (1:3)\n | '\\z'\n | ..^"),
    ("'\\477'", "unable to unescape string (1:6)\n | '\\477'\n | .....^"),
    ("/* x", "unclosed comment (1:5)\n | /* x\n | ....^"),
    ("Data.", "unexpected end of expression (1:5)\n | Data.\n | ....^"),
    ("Data.1", 'unexpected token Number(".1") (1:5)\n | Data.1\n | ....^'),
    ("a b", 'unexpected token Identifier("b") (1:3)\n | a b\n | ..^'),
    ("1 | upper", "unexpected token EOF (1:9)\n | 1 | upper\n | ........^"),
    ("#", 'unexpected token Operator("#") (1:1)\n | #\n | ^'),
    ("map([1])", "expected at least 2 arguments (1:8)\n | map([1])\n | .......^"),
    ("map([1], 1; 2)", "wrap predicate with brackets { and } (1:11)\n | map([1], 1; 2)\n | ..........^"),
    (
        "nil ?? 1 + 2",
        "Operator (+) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses. (1:10)\n"
        " | nil ?? 1 + 2\n | .........^",
    ),
    (
        "{[1]: 2}",
        "a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses "
        '(unexpected token Bracket("[")) (1:2)\n | {[1]: 2}\n | .^',
    ),
    (
        "9223372036854775808",
        'invalid integer literal: strconv.ParseInt: parsing "9223372036854775808": value out of range (1:19)\n'
        " | 9223372036854775808\n | ..................^",
    ),
]

TYPES = [
    ("nosuch", "unknown name nosuch (1:1)\n | nosuch\n | ^"),
    ("1 + 'a'", "invalid operation: + (mismatched types int and string) (1:3)\n | 1 + 'a'\n | ..^"),
    ("not 1", "invalid operation: not (mismatched type int) (1:1)\n | not 1\n | ^"),
    ("7.5 % 2", "invalid operation: % (mismatched types float64 and int) (1:5)\n | 7.5 % 2\n | ....^"),
    ("1 in ['a']", "cannot use int as type string in array (1:3)\n | 1 in ['a']\n | ..^"),
    ("1 in {a: 1}", "cannot use int as type string in map key (1:3)\n | 1 in {a: 1}\n | ..^"),
    ("'abc'[0]", "type string[int] is undefined (1:6)\n | 'abc'[0]\n | .....^"),
    ("1.5.x", 'unexpected token Operator(".") (1:4)\n | 1.5.x\n | ...^'),
    ("(1).x", "type int has no field x (1:5)\n | (1).x\n | ....^"),
    ("'a'.upper()", "type string has no method upper (1:5)\n | 'a'.upper()\n | ....^"),
    ("[1]['a']", "array elements can only be selected using an integer (got string) (1:5)\n | [1]['a']\n | ....^"),
    ("'a' ? 1 : 2", "non-bool expression (type string) used as condition (1:1)\n | 'a' ? 1 : 2\n | ^"),
    ("filter([1], 2)", "predicate should return boolean (got int) (1:13)\n | filter([1], 2)\n | ............^"),
    ("map('a', 1)", "builtin map takes only array (got string) (1:5)\n | map('a', 1)\n | ....^"),
    ("filter([1], #index > 1)", "unknown pointer #index (1:13)\n | filter([1], #index > 1)\n | ............^"),
    ("upper(1)", "cannot use int as argument (type string) to call upper  (1:7)\n | upper(1)\n | ......^"),
    ("upper()", "not enough arguments to call upper (1:1)\n | upper()\n | ^"),
    ("upper(nil)", "cannot use nil as argument (type string) to call upper (1:7)\n | upper(nil)\n | ......^"),
    ("len(nil)", "invalid argument for len (type %!s(<nil>)) (1:1)\n | len(nil)\n | ^"),
    ("let len = 1; 2", "cannot redeclare builtin len (1:5)\n | let len = 1; 2\n | ....^"),
    ("let Data = 1; 2", "cannot redeclare Data (1:5)\n | let Data = 1; 2\n | ....^"),
    ("let lookup = 1; 2", "cannot redeclare function lookup (1:5)\n | let lookup = 1; 2\n | ....^"),
    ("let x = 1; let x = 2; x", "cannot redeclare variable x (1:16)\n | let x = 1; let x = 2; x\n | ...............^"),
    ("1 % 0", "integer divide by zero (1:3)\n | 1 % 0\n | ..^"),
    ("(1)()", 'unexpected token Bracket("(") (1:4)\n | (1)()\n | ...^'),
    ("true or nosuch", "unknown name nosuch (1:9)\n | true or nosuch\n | ........^"),
]

RUN = [
    ("Data.nil.x", "cannot fetch x from <nil> (1:10)\n | Data.nil.x\n | .........^"),
    ("Data.port.x", "cannot fetch x from int (1:11)\n | Data.port.x\n | ..........^"),
    ("Data.name.x", "invalid operation: int(string) (1:11)\n | Data.name.x\n | ..........^"),
    ("Data.list[2]", "index out of range: 2 (array length is 2) (1:10)\n | Data.list[2]\n | .........^"),
    ("Data.port + 'a'", "invalid operation: int + string (1:11)\n | Data.port + 'a'\n | ..........^"),
    ("-Data.yes", "invalid operation: - bool (1:1)\n | -Data.yes\n | ^"),
    ("Data.port()", "invalid operation: cannot call non-function of type int (1:6)\n | Data.port()\n | .....^"),
    ("Data.nope()", "invalid operation: cannot call nil (1:6)\n | Data.nope()\n | .....^"),
    ("Data.port % 0", "runtime error: integer divide by zero (1:11)\n | Data.port % 0\n | ..........^"),
    ("1..1000001", "memory budget exceeded (1:2)\n | 1..1000001\n | .^"),
    (
        "repeat('a', -1)",
        "invalid argument for repeat (expected positive integer, got -1) (1:1)\n | repeat('a', -1)\n | ^",
    ),
    ("int('4.5')", "invalid operation: int(4.5) (1:1)\n | int('4.5')\n | ^"),
    ("sum(Data.list)", "invalid operation: string + int (1:1)\n | sum(Data.list)\n | ^"),
    ("sort(Data.list)", "invalid operation: string < int (1:1)\n | sort(Data.list)\n | ^"),
    ("sort([1], 'up')", "invalid order up, expected asc or desc (1:1)\n | sort([1], 'up')\n | ^"),
    ("sortBy([1], #, 'up')", "unknown order, use asc or desc (1:1)\n | sortBy([1], #, 'up')\n | ^"),
    ("reduce([], #acc)", "reduce of empty array with no initial value (1:1)\n | reduce([], #acc)\n | ^"),
    ("date('x')", "invalid date x (1:1)\n | date('x')\n | ^"),
    ("1 +\n\tData.name", "invalid operation: int + string (1:3)\n | 1 +\n | ..^"),
    ("1 <\n\tData.nil.é", "cannot fetch é from <nil> (2:11)\n |  Data.nil.é\n | ..........^"),
]


def refused(text, as_bool=False):
    with pytest.raises(ExprError) as caught:
        compile_expression(text, ENVIRONMENT, as_bool).run(VARIABLES)
    return caught.value


@pytest.mark.parametrize(("text", "message"), SYNTAX + TYPES)
def test_compile_errors(text, message):
    error = refused(text)
    assert isinstance(error, CompileError)
    assert str(error) == message


@pytest.mark.parametrize(("text", "message"), RUN)
def test_runtime_errors(text, message):
    error = refused(text)
    assert isinstance(error, RunError)
    assert str(error) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'a'", "expected bool, but got string"),
        ("nil", "expected bool, but got unknown"),
        ("Data.port", "invalid operation: bool(int) (1:1)\n | Data.port\n | ^"),
    ],
)
def test_values_that_are_not_boolean(text, message):
    assert str(refused(text, as_bool=True)) == message


def test_the_parts_of_an_error():
    error = refused("1 +\n Data.nil.x")
    assert (error.message, error.line, error.column) == ("cannot fetch x from <nil>", 2, 11)
    assert error.excerpt == "\n |  Data.nil.x\n | ..........^"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "[" * 5000,
        "!" * 5000 + "true",
        "2**" * 3000 + "2",
        "a?b:" * 3000,
        "let x = 1; " * 3000,
        "Data" + ".a" * 4000,
        "Data.port" + " + Data.port" * 3000,
        "9" * 5000,
        "1e999999",
        "replace(repeat('a', 900000), '', repeat('b', 90000))",
        "join(map(1..90000, {repeat('a', 10)}), repeat('x', 90000))",
        "let a = repeat('a', 900000); "
        + "".join(f"let {b} = {a} + {a}; " for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "i",
        "let a = [1, 1]; "
        + "".join(f"let v{i} = [{p}, {p}]; " for i, p in enumerate(["a"] + [f"v{n}" for n in range(40)]))
        + "string(v40)",
        "reduce(1..5000, [#acc], 1) == reduce(1..5000, [#acc], 1)",
        "flatten(reduce(1..5000, [#acc], 1))",
        "string(reduce(1..5000, [#acc], 1))",
        "fromJSON(repeat('[', 100000))",
        "timezone('../../etc/passwd')",
    ],
    ids=lambda text: text[:24],
)
def test_very_large_expressions_are_refused_quickly(text):
    assert str(refused(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("bitshl(1, 99999999999)", 0),
        ("2 ** 99999999", float("inf")),
        ("-9223372036854775807..9223372036854775807", []),
        ("int(1e300)", -(1 << 63)),
        ("1" + " + 1" * 100, 101),
        ("1; " * 2000 + "2", 2),
    ],
)
def test_very_large_numbers_have_a_value(text, value):
    assert compile_expression(text, ENVIRONMENT).run(VARIABLES) == value
