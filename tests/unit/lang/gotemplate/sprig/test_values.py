# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sprig's functions for any value: defaults, types, equality, JSON."""

from __future__ import annotations

import pytest

from tests.unit.lang.gotemplate.sprig.rendering import outcome

#: A call, and its type and value in Go, or its error.
OUTCOMES = [
    ('default "d"', "string|d"),
    ('default "d" ""', "string|d"),
    ('default "d" 0', "string|d"),
    ('default "d" (list)', "string|d"),
    ('default "d" "x"', "string|x"),
    ("empty 0.0", "bool|true"),
    ('empty (semver "1.2.3")', "bool|false"),
    ('coalesce 0 "" nil (list 1) 2', "[]interface {}|[1]"),
    ("coalesce", "<nil>|<nil>"),
    ("all", "bool|true"),
    ('all 1 "" 2', "bool|false"),
    ('any 0 "" 2', "bool|true"),
    ("ternary 1 2 true", "int|1"),
    ("ternary 1 2 false", "int|2"),
    ('fail "no %s way"', "fail: no %s way"),
    ("typeOf nil", "string|<nil>"),
    ("typeOf (list)", "string|[]interface {}"),
    ("typeOf (add 1 2)", "string|int64"),
    ("kindOf nil", "string|invalid"),
    ('kindOf (semver "1.2.3")', "string|ptr"),
    ('kindOf (split "," "a")', "string|map"),
    ('kindIs "slice" (until 2)', "bool|true"),
    ('typeIs "string" "x"', "bool|true"),
    ('typeIsLike "semver.Version" (semver "1.2.3")', "bool|true"),
    ("deepEqual 1 (int64 1)", "bool|false"),
    ("deepEqual 1 1.0", "bool|false"),
    ('deepEqual (list 1 "a") (list 1 "a")', "bool|true"),
    ('deepEqual (list "a") (splitList "," "a")', "bool|false"),
    ("deepEqual (list) (rest (list))", "bool|false"),
    ('deepEqual (float64 "nan") (float64 "nan")', "bool|false"),
    ('deepEqual (semver "1.2.3") (semver "1.2.3")', "bool|true"),
    ('deepEqual (semver "1.2.3") (semver "v1.2.3")', "bool|false"),
    (
        'toJson (dict "b" 1 "a" (list nil 1.0 "<é>" (rest (list))))',
        'string|{"a":[null,1,"\\u003cé\\u003e",null],"b":1}',
    ),
    ('toJson (semver "v1.2")', 'string|"1.2.0"'),
    ('toJson (toDate "2006-01-02Z07:00" "2024-02-29+02:00")', 'string|"2024-02-29T00:00:00+02:00"'),
    ('toJson (float64 "nan")', "string|"),
    ('mustToJson (float64 "nan")', "mustToJson: json: unsupported value: NaN"),
    ('toJson (regexFindAll "x" "a" -1)', "string|null"),
    ('toJson "\\u2028\\xff"', 'string|"\\u2028\\ufffd"'),
    ('toRawJson "<&>"', 'string|"<&>"'),
    ('toPrettyJson (dict "a" (list) "b" (list 1 (dict)))', 'string|{\n  "a": [],\n  "b": [\n    1,\n    {}\n  ]\n}'),
    ('mustToPrettyJson (float64 "inf")', "mustToPrettyJson: json: unsupported value: +Inf"),
    ('toRawJson (float64 "-inf")', "toRawJson: json: unsupported value: -Inf"),
    ('fromJson "{\\"a\\": [1, -0, 1e3, \\"\\\\ud800x\\"]}"', "map[string]interface {}|map[a:[1 -0 1000 �x]]"),
    ('fromJson "[1, 1e999]"', "[]interface {}|[1 <nil>]"),
    ('fromJson "nope"', "<nil>|<nil>"),
    ('mustFromJson "[1, 1e999]"', "mustFromJson: json: cannot unmarshal number 1e999 into Go value of type float64"),
    ('mustFromJson ""', "mustFromJson: unexpected end of JSON input"),
    ('mustFromJson " "', "mustFromJson: unexpected end of JSON input"),
    ('mustFromJson "{\\"a\\""', "mustFromJson: unexpected end of JSON input"),
    ('mustFromJson "{a: 1}"', "mustFromJson: invalid character 'a' looking for beginning of object key string"),
    ('mustFromJson "{\\"a\\" 1}"', "mustFromJson: invalid character '1' after object key"),
    ('mustFromJson "{\\"a\\": 1 \\"b\\"}"', "mustFromJson: invalid character '\"' after object key:value pair"),
    ('mustFromJson "[1 2]"', "mustFromJson: invalid character '2' after array element"),
    ('mustFromJson "[1,]"', "mustFromJson: invalid character ']' looking for beginning of value"),
    ('mustFromJson "{\\"a\\":1,}"', "mustFromJson: invalid character '}' looking for beginning of object key string"),
    ('mustFromJson "1 2"', "mustFromJson: invalid character '2' after top-level value"),
    ('mustFromJson "01"', "mustFromJson: invalid character '1' after top-level value"),
    ('mustFromJson "1."', "mustFromJson: invalid character ' ' after decimal point in numeric literal"),
    ('mustFromJson "-x"', "mustFromJson: invalid character 'x' in numeric literal"),
    ('mustFromJson "1ex"', "mustFromJson: invalid character 'x' in exponent of numeric literal"),
    ('mustFromJson "tru"', "mustFromJson: invalid character ' ' in literal true (expecting 'e')"),
    ('mustFromJson "nul!"', "mustFromJson: invalid character '!' in literal null (expecting 'l')"),
    ("mustFromJson \"'a'\"", "mustFromJson: invalid character '\\'' looking for beginning of value"),
    ('mustFromJson "\\"\\n\\""', "mustFromJson: invalid character '\\n' in string literal"),
    ('mustFromJson "\\"\\\\x\\""', "mustFromJson: invalid character 'x' in string escape code"),
    ('mustFromJson "\\"\\\\u12g\\""', "mustFromJson: invalid character 'g' in \\u hexadecimal character escape"),
    ('mustFromJson "\\"é"', "mustFromJson: unexpected end of JSON input"),
    ('mustFromJson "é"', "mustFromJson: invalid character 'Ã' looking for beginning of value"),
    ('mustFromJson "NaN"', "mustFromJson: invalid character 'N' looking for beginning of value"),
]


@pytest.mark.parametrize(("call", "wanted"), OUTCOMES)
def test_outcome(call, wanted):
    assert outcome(call) == wanted
