# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of templates that cannot be parsed: rare combinations."""

from __future__ import annotations

import pytest

from tests.unit.lang.gotemplate.rendering import reason

FAULTS = [
    ("{{ end 1 }}", '1: unexpected "1" in end'),
    ("{{ (1 , 2) }}", '1: unexpected "," in operand'),
    ("{{ (= 1) }}", '1: unexpected "=" in parenthesized pipeline'),
    ('{{template "a" | }}', '1: unexpected "|" in template clause'),
    ('{{template "a" $x, $y := 1}}', "1: too many declarations in template clause"),
    ('{{block "a" }}{{end}}', "1: missing value for block clause"),
    ('{{block "a" $x, $y := 1}}{{end}}', "1: too many declarations in block clause"),
    ("{{ ($x, $y := 1) }}", "1: too many declarations in parenthesized pipeline"),
    ("{{range $x, 1 := 1}}{{end}}", "1: range can only initialize variables"),
    ("{{ 1 | | 2}}", '1: unexpected "|" in command'),
    ("{{ () }}", "1: missing value for parenthesized pipeline"),
    ("{{\n 1 \n", "3: unclosed action started at t:1"),
    ('{{ "a\n" }}', "1: unterminated quoted string"),
    ('{{ str\n"a\n}}', "2: unterminated quoted string in action started at t:1"),
    ("{{ str\n (1\n}}", "3: unclosed left paren in action started at t:1"),
    ("{{if\n1\n2\n€}}", "4: unrecognized character in action: U+20AC '€' in action started at t:1"),
    ("{{ 1i2 }}", '1: bad number syntax: "1i2"'),
    ("{{ print 1+i }}", "1: syntax error scanning complex number"),
    ('{{ $x }}{{template "a" 1 2}}', '1: undefined variable "$x"'),
    ('{{template "a" )}}', "1: unexpected right paren"),
    ("{{\n'a\n}}", "2: unterminated character constant in action started at t:1"),
    ("{{\n`a", "2: unterminated raw quoted string in action started at t:1"),
    ("{{ str \n nosuch(\n", '2: function "nosuch" not defined'),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_messages(text, message):
    assert reason(text) == message
