# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of Jet templates: the messages."""

from __future__ import annotations

import pytest
from ccm.lang.jet.errors import JetError
from ccm.lang.jet.template import parse

from tests.unit.lang.jet.test_template import refusal

FAULTS = [
    ("[[ if 1 2 ]]a[[ end ]]", "template: /input:1: parsing if: unexpected token '2' (expected closing delimiter)"),
    (
        "[[ if x := 1 ]]a[[ end ]]",
        "template: /input:1: parsing if: unexpected token ']]' (expected semicolon between assignment and expression)",
    ),
    (
        "[[ range x := data.list 2 ]]a[[ end ]]",
        "template: /input:1: parsing range: unexpected token '2' (expected closing delimiter)",
    ),
    ("[[ if 1 ]]a[[ end 2 ]]", "template: /input:1: parsing end: unexpected token '2' (expected closing delimiter)"),
    (
        "[[ if 1 ]]a[[ else 2 ]]b[[ end ]]",
        "template: /input:1: parsing else: unexpected token '2' (expected closing delimiter)",
    ),
    (
        "[[ block b() ]][[ content 1 2 ]][[ end ]]",
        "template: /input:1: parsing content: unexpected token '1' (expected closing delimiter)",
    ),
    ("[[ try 1 ]]a[[ end ]]", "template: /input:1: parsing try: unexpected token '1' (expected closing delimiter)"),
    (
        "[[ try ]]a[[ catch e 1 ]]b[[ end ]]",
        "template: /input:1: parsing catch: unexpected token '1' (expected closing delimiter)",
    ),
    ("[[ try ]]a[[ catch 1 ]]b[[ end ]]", "template: /input:1: unexpected node '1' in catch"),
    (
        "[[ block b() 1 2 ]]a[[ end ]]",
        "template: /input:1: parsing block clause: unexpected token '2' (expected closing delimiter)",
    ),
    (
        "[[ block b ]]a[[ end ]]",
        "template: /input:1: parsing block clause: unexpected token ']]' (expected opening parenthesis)",
    ),
    ("[[ block 1() ]]a[[ end ]]", "template: /input:1: parsing block clause: unexpected token '1' (expected name)"),
    (
        "[[ block b(a b) ]]a[[ end ]]",
        "template: /input:1: parsing block clause: unexpected token 'b' (expected comma, assignment"
        ", or closing parenthesis)",
    ),
    (
        "[[ block b(1) ]]a[[ end ]]",
        "template: /input:1: parsing block clause: unexpected token '1' (expected closing parenthesis)",
    ),
    ("[[ yield b ]]", "template: /input:1: parsing yield clause: unexpected token ']]' (expected opening parenthesis)"),
    ("[[ yield 1 ]]", "template: /input:1: parsing yield clause: unexpected token '1' (expected block name)"),
    (
        "[[ yield b(1 2) ]]",
        "template: /input:1: parsing yield clause: unexpected token '2' (expected closing parenthesis)",
    ),
    (
        "[[ yield b() 1 2 ]]",
        "template: /input:1: parsing yield clause: unexpected token '2' (expected content keyword o"
        "r closing delimiter)",
    ),
    (
        "[[ yield b() content 1 ]]a[[ end ]]",
        "template: /input:1: parsing yield clause: unexpected token '1' (expected closing delimiter)",
    ),
    (
        '[[ include "a" 1 2 ]]',
        "template: /input:1: parsing include invocation: unexpected token '2' (expected closing delimiter)",
    ),
    ("[[ return 1 2 ]]", "template: /input:1: parsing return: unexpected token '2' (expected closing delimiter)"),
    ("[[ return ]]", "template: /input:1: parsing return: unexpected token ']]' (expected term)"),
    ("[[ extends 1 ]]", "template: /input:1: parsing extends|import: unexpected token '1' (expected string literal)"),
    ("[[ 1 2 ]]", "template: /input:1: parsing pipeline: unexpected token '2' (expected pipe or right delimiter)"),
    ("[[ 1 | 2 ]]", "template: /input:1: parsing pipeline: unexpected token '2' (expected field or identifier)"),
    (
        "[[ 1 ? 2 ]]",
        "template: /input:1: parsing ternary expression: unexpected token ']]' (expected colon in ternary expression)",
    ),
    ("[[ + ]]", "template: /input:1: parsing additive expression: unexpected token ']]' (expected term)"),
    (
        "[[ len(1 2) ]]",
        "template: /input:1: parsing call expression: unexpected token '2' (expected closing parenthesis)",
    ),
    (
        "[[ data.list[1 2] ]]",
        "template: /input:1: parsing index expression: unexpected token '2' (expected closing bracket)",
    ),
    (
        "[[ (1 2) ]]",
        "template: /input:1: parsing parenthesized expression: unexpected token '2' (expected closing parenthesis)",
    ),
    ("[[ a, b 1 ]]", "template: /input:1: parsing assignment: unexpected token '1' (expected comma or assignment)"),
    (
        "[[ range a, b, c := data.list ]][[ end ]]",
        "template: /input:1: unexpected number of operands in assign on range",
    ),
    (
        "[[ (1 ]]",
        "template: /input:1: parsing parenthesized expression: unexpected token 'unclosed left pare"
        "nthesis' (expected closing parenthesis)",
    ),
    ("[[ 1) ]]", "template: /input:1: parsing pipeline: unexpected token ')' (expected pipe or right delimiter)"),
    ("[[ 1x ]]", 'template: /input:1: bad number syntax: "1x"'),
    ("[[ é# ]]", "template: /input:1: bad character U+0023 '#'"),
    ("[[ 'a ]]", "template: /input:1: unterminated character constant"),
    ("[[ `a ]]", "template: /input:1: unterminated raw quoted string"),
    ("[[ isset() ]]", "unexpected number of arguments in a call to isset"),
    ("[[ len() ]]", "unexpected number of arguments in a call to len"),
    ("[[ includeIfExists() ]]", "unexpected number of arguments in a call to includeIfExists"),
    ("[[ exec() ]]", "unexpected number of arguments in a call to exec"),
    ("[[ 1 % data.nothing ]]", 'type: "interface {}" can\'t be converted to int64'),
    ('[[ 1.5 * "1e999" ]]', 'strconv.ParseFloat: parsing "1e999": value out of range'),
    ("[[ environ.X = 1 ]]", 'Jet Runtime Error ("/input":1): value of type float64 is not assignable to type string'),
    ("[[ a.b := 1 ]]", "template: /input:1: unexpected node type a.b in variable declaration"),
    (
        "[[ a = 1 2 ]]",
        "template: /input:1: parsing command: unexpected token '2' (expected semicolon or right delimiter)",
    ),
    ("[[ ² ]]", "template: /input:1: unrecognized character in action: U+00B2 '²'"),
    ("[[ .² ]]", "template: /input:1: bad character U+00B2 '²'"),
    ("[[ .€ ]]", "template: /input:1: bad character U+20AC '€'"),
    ("[[ € ]]", "template: /input:1: unrecognized character in action: U+20AC '€'"),
    ("[[ &.a ]]", "template: /input:1: unrecognized character in action: U+0026 '&'"),
    ("[[ 1 / data.missing ]]", "right side of division is invalid value"),
    ("[[ ints(data.missing, 3) ]]", "argument at position 0 is not a valid value"),
    ("[[ 1 + data.port() ]]", 'Jet Runtime Error ("/input":1): node "data.port" is not func kind "int"'),
    ("[[ (data.missing).x ]]", "Jet Runtime Error (\"/input\":1): there is no field or method 'x' in <invalid>"),
    (
        "[[ range data.list ]][[ len(data.list) + . ]][[ end ]]",
        'type: "interface {}" can\'t be converted to int64: name the entry to use it, as in range i, v := list',
    ),
    (
        "[[ range data.list ]][[ environ.HOME[0] + . ]][[ end ]]",
        'type: "interface {}" can\'t be converted to uint64: name the entry to use it, as in range i, v := list',
    ),
    ("[[ \x00 ]]", "template: /input:1: unrecognized character in action: U+0000"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_messages(text, message):
    assert refusal(text) == message


def test_messages_after_the_name_of_another_template():
    message = "template: /input:1: parsing extends|import: unexpected token '1' (expected closing delimiter)"
    assert refusal('[[ extends "a" 1 ]]', loader={"/a": "x"}.get) == message


def test_a_template_without_a_name():
    with pytest.raises(JetError, match="template path has no base name"):
        parse("x", "/")


def test_templates_that_import_each_other_without_end():
    message = refusal('[[ import "1" ]]', loader=lambda path: f'[[ import "{int(path[1:]) + 1}" ]]')
    assert message.startswith("template: /")
    assert message.endswith(": nested too deeply")


def test_a_value_that_is_too_deep_to_print():
    inner = []
    for _level in range(500):
        inner = [inner]
    assert refusal('[[ dump(".") ]]', context=inner) == "value is nested too deeply to be shown"


def test_a_value_above_the_memory_limit():
    message = refusal("[[ f() ]]", functions={"f": lambda arguments: bytes(1 << 62)})
    assert message == "template /input calculates with something too big"
