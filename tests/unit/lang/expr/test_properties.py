# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties of all expressions: no crash, and equal results of equivalent forms."""

from __future__ import annotations

from ccm.lang.expr.errors import ExprError
from ccm.lang.expr.program import Environment, compile_expression
from hypothesis import given, settings
from hypothesis import strategies as st

ENVIRONMENT = Environment({"Data": "map", "s": "string", "i": "int", "l": "list", "x": "any", "y": "any"})
VARIABLES = {"Data": {"a": [1, 2.5, "t"], "b": {"c": None}}, "s": "grün", "i": 5, "l": [3, 1, 2], "x": None, "y": True}
FAST = settings(max_examples=150, deadline=None, derandomize=True)

PIECES = st.sampled_from(
    [
        "Data",
        ".a",
        ".b",
        "?.c",
        "[0]",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ",",
        ";",
        ":",
        "?",
        "??",
        "+",
        "-",
        "*",
        "/",
        "%",
        "**",
        "==",
        "!=",
        "<",
        ">=",
        "in",
        "not",
        "and",
        "or",
        "&&",
        "||",
        "!",
        "..",
        "#",
        "#acc",
        "#index",
        ".",
        "|",
        "1",
        "0",
        "2.5",
        "'x'",
        '"',
        "`",
        "\\",
        "//",
        "/*",
        "*/",
        "true",
        "nil",
        "let",
        "v",
        "=",
        "if",
        "else",
        "filter(",
        "map(",
        "reduce(",
        "sortBy(",
        "len(",
        "upper(",
        "date(",
        "$env",
        "s",
        "i",
        "l",
        "x",
        "\n",
        "é",
        "@",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=30), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES, max_size=9).map("".join)
)


def outcome(text, variables=None):
    try:
        return repr(compile_expression(text, ENVIRONMENT).run(VARIABLES if variables is None else variables))
    except ExprError as error:
        return error.message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OPERATORS = st.sampled_from(
    [
        "+",
        "-",
        "*",
        "/",
        "%",
        "**",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "contains",
        "startsWith",
        "endsWith",
        "and",
        "or",
        "??",
        "..",
    ]
)
TERMS = st.sampled_from(["1", "2.5", "'a'", "true", "nil", "x", "y", "i", "s", "[1]", "{a: 1}", "Data.a", "len(s)"])


@FAST
@given(TEXTS)
def test_any_text_has_a_value_or_an_expression_error(text):
    assert isinstance(outcome(text), str)


@FAST
@given(VALUES, OPERATORS, VALUES)
def test_any_operands_have_a_value_or_an_expression_error(left, operator, right):
    assert isinstance(outcome(f"x {operator} y", {"x": left, "y": right}), str)


@FAST
@given(
    st.sampled_from(
        [
            "len",
            "type",
            "abs",
            "ceil",
            "floor",
            "round",
            "int",
            "float",
            "string",
            "trim",
            "upper",
            "lower",
            "toJSON",
            "fromJSON",
            "toBase64",
            "fromBase64",
            "duration",
            "date",
            "first",
            "last",
            "keys",
            "values",
            "toPairs",
            "fromPairs",
            "reverse",
            "uniq",
            "flatten",
            "sort",
            "bitnot",
            "max",
            "min",
            "mean",
            "median",
            "sum",
            "count",
            "join",
            "concat",
            "timezone",
        ]
    ),
    VALUES,
)
def test_any_argument_has_a_value_or_an_expression_error(name, value):
    assert isinstance(outcome(f"{name}(x)", {"x": value}), str)


@FAST
@given(TERMS, OPERATORS, TERMS)
def test_parentheses_change_nothing(left, operator, right):
    assert outcome(f"({left} {operator} {right})") == outcome(f"{left} {operator} {right}")


@FAST
@given(TERMS, OPERATORS, TERMS, OPERATORS, TERMS)
def test_a_variable_has_its_value(one, first, two, second, three):
    direct = outcome(f"(({one}) {first} ({two})) {second} ({three})")
    if "mismatched" not in direct and "cannot use" not in direct and "divide" not in direct:
        assert outcome(f"let v = ({one}) {first} ({two}); v {second} ({three})") == direct


@FAST
@given(TERMS, st.sampled_from(["len", "upper", "string", "sort", "first", "toJSON", "int"]))
def test_a_pipe_is_a_call(term, name):
    assert outcome(f"{term} | {name}()") == outcome(f"{name}({term})")


@FAST
@given(st.lists(st.integers(-5, 5), max_size=8), st.integers(-5, 5))
def test_closures_agree_with_each_other(numbers, limit):
    variables = dict(VARIABLES, l=numbers, i=limit)
    for one, other in [
        ("len(filter(l, # > i))", "count(l, # > i)"),
        ("map(filter(l, # > i), # * 2)", "let f = filter(l, # > i); map(f, # * 2)"),
        ("first(filter(l, # > i))", "find(l, # > i)"),
        ("any(l, # > i)", "count(l, # > i) > 0"),
        ("none(l, # > i)", "not any(l, # > i)"),
        ("all(l, # > i) and all(l, # < 9)", "all(l, # > i and # < 9)"),
        ("sum(l)", "reduce(l, #acc + #, 0)"),
        ("sort(l)", "sortBy(l, #)"),
        ("sort(l, 'desc')", "reverse(sort(l))"),
    ]:
        assert outcome(one, variables) == outcome(other, variables)


@FAST
@given(VALUES)
def test_json_is_read_back(value):
    text = outcome("toJSON(x)", {"x": value})
    if "unsupported value" not in text:
        assert outcome("fromJSON(toJSON(x)) == x", {"x": value}) in ("True", "False")
        assert (
            outcome("toJSON(fromJSON(toJSON(x))) == toJSON(fromJSON(toJSON(fromJSON(toJSON(x)))))", {"x": value})
            == "True"
        )


@FAST
@given(st.text(max_size=12), st.integers(-15, 15), st.integers(-15, 15))
def test_slices_of_texts_are_slices_of_their_bytes(text, first, last):
    data = text.encode("utf-8", "replace")
    start = max(len(data) + first, 0) if first < 0 else first
    end = min(max(len(data) + last, 0) if last < 0 else last, len(data))
    got = compile_expression(f"s[{first}:{last}]", ENVIRONMENT).run({"s": text})
    assert got.encode("utf-8", "surrogateescape") == data[min(start, end) : end]
