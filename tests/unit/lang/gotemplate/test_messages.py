# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of templates: Go's messages."""

from __future__ import annotations

import pytest
from ccm.lang.gotemplate.errors import TemplateFault
from ccm.lang.gotemplate.template import parse

from tests.unit.lang.gotemplate.rendering import reason, render

UNPARSED = [
    ("{{", "1: unclosed action"),
    ("{{ str", "1: unclosed action"),
    ("{{ nosuch }}", '1: function "nosuch" not defined'),
    ("a\n{{ 'a }}", "2: unterminated character constant"),
    ("{{ /* bad */ }}", '1: unexpected "/" in command'),
    ("{{end}}", "1: unexpected {{end}}"),
    ("{{else}}", "1: unexpected {{else}}"),
    ("{{if}}{{end}}", "1: missing value for if"),
    ("{{template .}}", "1: unexpected <.> in template clause"),
    ("{{if 1}}{{else}}{{else}}{{end}}", "1: expected end; found {{else}}"),
    ('{{define "x"}}a{{end}}{{define "x"}}b{{end}}', '1: template: multiple definition of template "x"'),
    ("{{break}}", "1: {{break}} outside {{range}}"),
    ("{{continue}}", "1: {{continue}} outside {{range}}"),
    ("{{ 1 | 2 }}", "1: non executable command in pipeline stage 2"),
    ("{{ $x }}", '1: undefined variable "$x"'),
    ("{{ (1 }}", "1: unclosed left paren"),
    ("{{ 1) }}", "1: unexpected right paren"),
    ("{{ str!b }}", "1: bad character U+0021 '!'"),
    ("{{ 1.a }}", '1: bad number syntax: "1.a"'),
    ('{{ "a".b }}', '1: unexpected . after term "\\"a\\""'),
    ("{{ true.a }}", '1: unexpected . after term "true"'),
    ("{{ nil.a }}", '1: unexpected . after term "nil"'),
    ("{{ str€ }}", "1: bad character U+20AC '€'"),
    ("{{ € }}", "1: unrecognized character in action: U+20AC '€'"),
    ("{{ str\n\n!}}", '3: unexpected "!" in operand'),
    ("{{str,str}}", '1: unexpected "," in operand'),
    ("{{ str = }}", '1: unexpected "=" in operand'),
    ("{{range $a, }}{{end}}", "1: missing value for range"),
    ("{{range $x, $y, $z := .}}{{end}}", "1: too many declarations in range"),
    ("{{if $a, $b := 1}}{{end}}", "1: too many declarations in if"),
    ("{{with 1}}{{else if 2}}{{end}}", "1: unexpected <if> in input"),
    ("{{block 1}}", '1: unexpected "1" in block clause'),
    ('{{template "x" $y := }}', "1: missing value for template clause"),
    ("{{range .}}{{break 5}}{{end}}", '1: unexpected "5" in {{break}}'),
    ("{{define}}", '1: unexpected "}}" in define clause'),
    ("{{ | }}", '1: unexpected "|" in command'),
    ("{{ () }}", "1: missing value for parenthesized pipeline"),
    ('{{block "x" .}}{{else}}\n\n\n{{end}}', "1: unexpected {{else}} in block clause"),
    ('{{define "x"}}\n{{else}}\n\n\n{{end}}', "2: unexpected {{else}} in define clause"),
    ("{{if 1}}\n{{ str\n", "3: unclosed action started at t:2"),
    ("{{if 1}}\n", "2: unexpected EOF"),
    ("{{/* x", "1: unclosed comment"),
    ("{{/* x */", "1: comment ends before closing delimiter"),
    ("{{ '' }}", "1: invalid syntax"),
    ("{{ 'ab' }}", "1: malformed character constant: 'ab'"),
    ('{{ "\\q" }}', "1: invalid syntax"),
    ("{{ 1_ }}", '1: illegal number syntax: "1_"'),
    ("{{ 1.5.5 }}", '1: unexpected ".5" in operand'),
    ("{{ 5a }}", '1: bad number syntax: "5a"'),
    ("{{ 1e400 }}", '1: illegal number syntax: "1e400"'),
    ("{{ +18446744073709551615 }}", '1: integer overflow: "+18446744073709551615"'),
    ("{{ 1+1 }}", '1: bad number syntax: "1+1"'),
    ("{{ .a.5 }}", '1: unexpected ".5" in operand'),
    ("{{..a}}", '1: unexpected . after term "."'),
    ("{{ str:b }}", "1: expected :="),
    ("{{$x := }}", "1: missing value for command"),
    ("{{ `abc }}", "1: unterminated raw quoted string"),
    ('{{ "abc', "1: unterminated quoted string"),
    ('{{define "a"}}{{break}}{{end}}', "1: {{break}} outside {{range}}"),
    ('{{range .}}{{define "a"}}{{end}}{{end}}', "1: unexpected <define> in command"),
    ('{{range .}}{{block "a" .}}{{break}}{{end}}{{end}}', "1: {{break}} outside {{range}}"),
    ("{{ } }}", '1: unexpected "}" in command'),
    ("{{ \x01 }}", "1: unrecognized character in action: U+0001"),
    ("{{ .² }}", "1: bad character U+00B2 '²'"),
    ("{{ if 1 }}{{ template }}{{ end }}", '1: unexpected "}}" in template clause'),
    ("{{ print 'averyverylongtoken' }}", "1: malformed character constant: 'averyverylongtoken'"),
    ("{{ end averyverylongtoken }}", '1: unexpected "averyveryl"... in end'),
    ('{{ end "averyverylongtoken" }}', '1: unexpected "\\"averyvery"... in end'),
]

FAILING = [
    ("{{ len .n }}", '1:3: executing "t" at <len .n>: error calling len: len of nil pointer'),
    ("{{ .a.b.c.d }}", '1:5: executing "t" at <.a.b.c.d>: can\'t evaluate field d in type interface {}'),
    ("{{ .s.x }}", '1:5: executing "t" at <.s.x>: can\'t evaluate field x in type interface {}'),
    ("{{ .n.x }}", '1:5: executing "t" at <.n.x>: nil pointer evaluating interface {}.x'),
    ("{{ range .l }}[{{ .x }}]{{ end }}", '1:18: executing "t" at <.x>: can\'t evaluate field x in type interface {}'),
    (
        "{{ range $e := .l }}{{ $e.x }}{{ end }}",
        '1:25: executing "t" at <$e.x>: can\'t evaluate field x in type interface {}',
    ),
    (
        "{{ range $x, $y := 3 }}{{ $x }}{{ end }}",
        '1:19: executing "t" at <3>: can\'t use 3 to iterate over more than one variable',
    ),
    ("{{ range .s }}{{ end }}", '1:9: executing "t" at <.s>: range can\'t iterate over text'),
    ("{{ range .f }}{{ end }}", '1:9: executing "t" at <.f>: range can\'t iterate over 1.5'),
    (
        "{{ range .l }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ . }}{{ end }}",
        '1:20: executing "t" at <eq . 1>: error calling eq: incompatible types for comparison: string and int',
    ),
    (
        '{{ range .l }}{{ if eq . "x" }}{{ break }}{{ end }}{{ . }}{{ end }}',
        '1:20: executing "t" at <eq . "x">: error calling eq: incompatible types for comparison: int and string',
    ),
    ("{{ $x = 2 }}", '1:8: executing "t" at <2>: undefined variable: $x'),
    ("{{ range $x = .l }}{{ end }}", '1:14: executing "t" at <.l>: undefined variable: $x'),
    ("{{ str }}", '1:3: executing "t" at <str>: wrong number of args for str: want 1 got 0'),
    ("{{ str 1 }}", '1:7: executing "t" at <1>: expected string; found 1'),
    ("{{ str 1 2 }}", '1:3: executing "t" at <str>: wrong number of args for str: want 1 got 2'),
    ("{{ str nil }}", '1:7: executing "t" at <nil>: cannot assign nil to string'),
    ("{{ str .n }}", '1:7: executing "t" at <.n>: wrong type for value; expected string; got interface {}'),
    ("{{ str .q }}", '1:7: executing "t" at <.q>: invalid value; expected string'),
    ("{{ str .i }}", '1:7: executing "t" at <.i>: wrong type for value; expected string; got int'),
    ("{{ .i | str }}", '1:8: executing "t" at <str>: wrong type for value; expected string; got int'),
    ("{{ .q | str }}", '1:8: executing "t" at <str>: invalid value; expected string'),
    ("{{ .n | str }}", '1:8: executing "t" at <str>: invalid value; expected string'),
    (
        "{{ str .a.b }}",
        '1:9: executing "t" at <.a.b>: wrong type for value; expected string; got map[string]interface {}',
    ),
    ('{{ num "x" }}', '1:7: executing "t" at <"x">: expected integer; found "x"'),
    ("{{ num 1.5 }}", '1:7: executing "t" at <1.5>: expected integer; found 1.5'),
    ('{{ flt "x" }}', '1:7: executing "t" at <"x">: expected float; found "x"'),
    ("{{ boo 1 }}", '1:7: executing "t" at <1>: expected bool; found 1'),
    ("{{ u32 -1 }}", '1:7: executing "t" at <-1>: expected unsigned integer; found -1'),
    (
        "{{ islst .m }}",
        '1:9: executing "t" at <.m>: wrong type for value; expected []interface {}; got map[string]interface {}',
    ),
    ('{{ islst "x" }}', '1:9: executing "t" at <"x">: can\'t handle "x" for arg of type []interface {}'),
    ("{{ islst .n }}", '1:9: executing "t" at <.n>: wrong type for value; expected []interface {}; got interface {}'),
    ("{{ two }}", '1:3: executing "t" at <two>: wrong number of args for two: want at least 1 got 0'),
    ('{{ two "a" 1 "b" }}', '1:13: executing "t" at <"b">: expected integer; found "b"'),
    ('{{ "x" | two 1 }}', '1:13: executing "t" at <1>: expected string; found 1'),
    ('{{ 5 | two "a" .s }}', '1:15: executing "t" at <.s>: wrong type for value; expected int; got string'),
    ('{{ bad "oops %d" }}', '1:3: executing "t" at <bad "oops %d">: error calling bad: oops %d'),
    ('{{ bad "oops" | str }}', '1:3: executing "t" at <bad "oops">: error calling bad: oops'),
    ("{{ 1 | call }}", '1:7: executing "t" at <call>: error calling call: non-function <int Value> of type int'),
    ("{{ 1 | .a }}", '1:7: executing "t" at <.a>: a is not a method but has arguments'),
    ("{{ .a 1 }}", '1:3: executing "t" at <.a>: a is not a method but has arguments'),
    ("{{ .a.b 1 }}", '1:5: executing "t" at <.a.b>: b is not a method but has arguments'),
    ("{{ .s.b 1 }}", '1:5: executing "t" at <.s.b>: can\'t evaluate field b in type interface {}'),
    ("{{ $.a 1 }}", '1:4: executing "t" at <$.a>: a is not a method but has arguments'),
    ("{{ $x := 1 }}{{ $x 1 }}", '1:16: executing "t" at <$x>: can\'t give argument to non-function $x'),
    ("{{ (1) 2 }}", '1:3: executing "t" at <(1) 2>: can\'t give argument to non-function 1'),
    ("{{ 1 2 }}", '1:3: executing "t" at <1>: can\'t give argument to non-function 1'),
    ('{{ "a" "b" }}', '1:3: executing "t" at <"a">: can\'t give argument to non-function "a"'),
    ("{{ . 1 }}", '1:3: executing "t" at <.>: can\'t give argument to non-function .'),
    ("{{ nil }}", '1:3: executing "t" at <nil>: nil is not a command'),
    ("{{ (nil) }}", '1:4: executing "t" at <nil>: nil is not a command'),
    ("{{ $x := nil }}", '1:9: executing "t" at <nil>: nil is not a command'),
    ("{{ (any .s).b }}", '1:8: executing "t" at <.s>: can\'t evaluate field b in type string'),
    ("{{ and }}", '1:3: executing "t" at <and>: wrong number of args for and: want at least 1 got 0'),
    ("{{ or }}", '1:3: executing "t" at <or>: wrong number of args for or: want at least 1 got 0'),
    ('{{ and 1 (bad "x") }}', '1:10: executing "t" at <bad "x">: error calling bad: x'),
    ("{{ not 1 2 }}", '1:3: executing "t" at <not>: wrong number of args for not: want 1 got 2'),
    ("{{ not }}", '1:3: executing "t" at <not>: wrong number of args for not: want 1 got 0'),
    ("{{ len }}", '1:3: executing "t" at <len>: wrong number of args for len: want 1 got 0'),
    (
        "{{ len nil }}",
        '1:3: executing "t" at <len nil>: error calling len: reflect: call of reflect.Value.Type on zero Value',
    ),
    (
        "{{ len .q }}",
        '1:3: executing "t" at <len .q>: error calling len: reflect: call of reflect.Value.Type on zero Value',
    ),
    ("{{ len 3 }}", '1:3: executing "t" at <len 3>: error calling len: len of type int'),
    ("{{ index .l 4 }}", '1:3: executing "t" at <index .l 4>: error calling index: reflect: slice index out of range'),
    ("{{ index .l 5 }}", '1:3: executing "t" at <index .l 5>: error calling index: index out of range: 5'),
    ("{{ index .l -1 }}", '1:3: executing "t" at <index .l -1>: error calling index: index out of range: -1'),
    (
        '{{ index .l "x" }}',
        '1:3: executing "t" at <index .l "x">: error calling index: cannot index slice/array with type string',
    ),
    (
        "{{ index .l nil }}",
        '1:3: executing "t" at <index .l nil>: error calling index: cannot index slice/array with nil',
    ),
    (
        "{{ index .l 1.0 }}",
        '1:3: executing "t" at <index .l 1.0>: error calling index: cannot index slice/array with type float64',
    ),
    (
        "{{ index .m 1 }}",
        '1:3: executing "t" at <index .m 1>: error calling index: value has type int; should be string',
    ),
    (
        "{{ index .m nil }}",
        '1:3: executing "t" at <index .m nil>: error calling index: value is nil; should be of type string',
    ),
    ("{{ index .n 1 }}", '1:3: executing "t" at <index .n 1>: error calling index: index of untyped nil'),
    ("{{ index .q }}", '1:3: executing "t" at <index .q>: error calling index: index of untyped nil'),
    ("{{ index 5 1 }}", '1:3: executing "t" at <index 5 1>: error calling index: can\'t index item of type int'),
    ("{{ index .s 4 }}", '1:3: executing "t" at <index .s 4>: error calling index: reflect: string index out of range'),
    ('{{ index .a "x" "c" }}', '1:3: executing "t" at <index .a "x" "c">: error calling index: index of nil pointer'),
    ("{{ slice .s 3 2 }}", '1:3: executing "t" at <slice .s 3 2>: error calling slice: invalid slice index: 3 > 2'),
    ("{{ slice .s 9 }}", '1:3: executing "t" at <slice .s 9>: error calling slice: index out of range: 9'),
    (
        "{{ slice .s 1 2 3 }}",
        '1:3: executing "t" at <slice .s 1 2 3>: error calling slice: cannot 3-index slice a string',
    ),
    ("{{ slice .l 3 2 1 }}", '1:3: executing "t" at <slice .l 3 2 1>: error calling slice: invalid slice index: 3 > 2'),
    (
        "{{ slice .l 1 2 3 4 }}",
        '1:3: executing "t" at <slice .l 1 2 3 4>: error calling slice: too many slice indexes: 4',
    ),
    ("{{ slice .i 1 }}", '1:3: executing "t" at <slice .i 1>: error calling slice: can\'t slice item of type int'),
    ("{{ slice nil 1 }}", '1:3: executing "t" at <slice nil 1>: error calling slice: slice of untyped nil'),
    (
        '{{ slice .l "a" }}',
        '1:3: executing "t" at <slice .l "a">: error calling slice: cannot index slice/array with type string',
    ),
    ("{{ eq 1 }}", '1:3: executing "t" at <eq 1>: error calling eq: missing argument for comparison'),
    (
        "{{ eq 1 1.0 }}",
        '1:3: executing "t" at <eq 1 1.0>: error calling eq: incompatible types for comparison: int and float64',
    ),
    (
        '{{ eq "a" 1 }}',
        '1:3: executing "t" at <eq "a" 1>: error calling eq: incompatible types for comparison: string and int',
    ),
    (
        "{{ eq .l .l }}",
        '1:3: executing "t" at <eq .l .l>: error calling eq: '
        "non-comparable type [%!s(int=1) x <nil> [%!s(int=1) %!s(int=2)]]: []interface {}",
    ),
    (
        "{{ eq .m .m }}",
        '1:3: executing "t" at <eq .m .m>: error calling eq: '
        "non-comparable type map[y:q z:%!s(int=1)]: map[string]interface {}",
    ),
    (
        "{{ eq .l .m }}",
        '1:3: executing "t" at <eq .l .m>: error calling eq: '
        "non-comparable types [%!s(int=1) x <nil> [%!s(int=1) %!s(int=2)]]: []interface {}, "
        "map[string]interface {}: map[y:q z:1]",
    ),
    (
        '{{ lt 1 "a" }}',
        '1:3: executing "t" at <lt 1 "a">: error calling lt: incompatible types for comparison: int and string',
    ),
    ("{{ lt true false }}", '1:3: executing "t" at <lt true false>: error calling lt: invalid type for comparison'),
    ("{{ lt .l .l }}", '1:3: executing "t" at <lt .l .l>: error calling lt: invalid type for comparison'),
    ("{{ lt nil 1 }}", '1:3: executing "t" at <lt nil 1>: error calling lt: invalid type for comparison'),
    ("{{ lt .n 1 }}", '1:3: executing "t" at <lt .n 1>: error calling lt: invalid type for comparison'),
    (
        "{{ ge 1 1.0 }}",
        '1:3: executing "t" at <ge 1 1.0>: error calling ge: incompatible types for comparison: int and float64',
    ),
    ("{{ call }}", '1:3: executing "t" at <call>: wrong number of args for call: want at least 1 got 0'),
    ("{{ call nil }}", '1:3: executing "t" at <call nil>: error calling call: call of nil'),
    ("{{ call 1 }}", '1:3: executing "t" at <call 1>: error calling call: non-function 1 of type int'),
    ("{{ call .s }}", '1:3: executing "t" at <call .s>: error calling call: non-function .s of type string'),
    (
        "{{ call .a.b 1 }}",
        '1:3: executing "t" at <call .a.b 1>: error calling call: non-function .a.b of type map[string]interface {}',
    ),
    ('{{ template "x" }}', '1:12: executing "t" at <{{template "x"}}>: template "x" not defined'),
    (
        '{{ define "e" }}{{ .x.y.z }}{{ str 1 }}{{ end }}{{ template "e" .a }}',
        '1:35: executing "e" at <1>: expected string; found 1',
    ),
    ("{{ printf 1 }}", '1:10: executing "t" at <1>: expected string; found 1'),
    ('{{ "é" }}{{ str 1 }}', '1:17: executing "t" at <1>: expected string; found 1'),
    ("{{ (str 1) }}", '1:8: executing "t" at <1>: expected string; found 1'),
    ("{{ str (str 1) }}", '1:12: executing "t" at <1>: expected string; found 1'),
    ("{{ str (index .l 0) }}", '1:17: executing "t" at <0>: wrong type for value; expected string; got int'),
    ("{{ str ((index .l 0)) | str }}", '1:18: executing "t" at <0>: wrong type for value; expected string; got int'),
    ('{{ printf "%s" (str .i) "x" }}', '1:20: executing "t" at <.i>: wrong type for value; expected string; got int'),
    ("{{ if str 1 }}{{ end }}", '1:10: executing "t" at <1>: expected string; found 1'),
    ("{{ range str 1 }}{{ end }}", '1:13: executing "t" at <1>: expected string; found 1'),
    ("{{ with $y := str 1 }}{{ end }}", '1:18: executing "t" at <1>: expected string; found 1'),
    ('{{ template "x" str 1 }}', '1:12: executing "t" at <{{template "x" str 1}}>: template "x" not defined'),
    ("{{ $x := .a }}{{ $x.b.c.d }}", '1:19: executing "t" at <$x.b.c.d>: can\'t evaluate field d in type interface {}'),
    ("{{ $x := .s }}{{ $x.b }}", '1:19: executing "t" at <$x.b>: can\'t evaluate field b in type string'),
    (
        "{{ range .l }}{{ str . }}{{ end }}",
        '1:21: executing "t" at <.>: wrong type for value; expected string; got int',
    ),
    (
        "{{ range $i, $e := .l }}{{ str $e }}{{ end }}",
        '1:31: executing "t" at <$e>: wrong type for value; expected string; got int',
    ),
    ("{{ range (ints 1 2) }}{{ .x }}{{ end }}", '1:25: executing "t" at <.x>: can\'t evaluate field x in type int'),
    (
        '{{ range (strs "a" "b") }}{{ str . }}{{ num . }}{{ end }}',
        '1:44: executing "t" at <.>: wrong type for value; expected int; got string',
    ),
    (
        '{{ range smap "a" "b" }}{{ .x }}{{ end }}',
        '1:27: executing "t" at <.x>: can\'t evaluate field x in type string',
    ),
    ('{{ (smap "a" "b").a.c }}', '1:13: executing "t" at <"b">: can\'t evaluate field c in type string'),
    ('{{ (strs "a").x }}', '1:9: executing "t" at <"a">: can\'t evaluate field x in type []string'),
    ("{{ 18446744073709551615 }}", '1:3: executing "t" at <18446744073709551615>: 18446744073709551615 overflows int'),
    (
        "{{ str 18446744073709551615 }}",
        '1:7: executing "t" at <18446744073709551615>: expected string; found 18446744073709551615',
    ),
    (
        "{{ any 18446744073709551615 }}",
        '1:7: executing "t" at <18446744073709551615>: 18446744073709551615 overflows int',
    ),
    ("{{ .l.x }}", '1:5: executing "t" at <.l.x>: can\'t evaluate field x in type interface {}'),
    ("{{ .i.x }}", '1:5: executing "t" at <.i.x>: can\'t evaluate field x in type interface {}'),
    ("{{ .t.x }}", '1:5: executing "t" at <.t.x>: can\'t evaluate field x in type interface {}'),
    ("{{ .f.x }}", '1:5: executing "t" at <.f.x>: can\'t evaluate field x in type interface {}'),
    ("{{ (dur 1).x }}", '1:8: executing "t" at <1>: can\'t evaluate field x in type time.Duration'),
    (
        "{{ (dur 1500000000).Round }}",
        '1:8: executing "t" at <1500000000>: wrong number of args for Round: want 1 got 0',
    ),
    ("{{ (dur 1).Seconds 1 }}", '1:8: executing "t" at <1>: wrong number of args for Seconds: want 0 got 1'),
    ("{{ str\n1 }}", '2:0: executing "t" at <1>: expected string; found 1'),
    ("a\nb {{ str 1 }}", '2:9: executing "t" at <1>: expected string; found 1'),
    ("é\né {{ str 1 }}", '2:10: executing "t" at <1>: expected string; found 1'),
]


@pytest.mark.parametrize(("text", "wanted"), UNPARSED)
def test_parse_errors_have_a_line(text, wanted):
    assert reason(text) == wanted


@pytest.mark.parametrize(("text", "wanted"), FAILING)
def test_runtime_errors_have_a_position_and_a_reason(text, wanted):
    assert reason(text) == wanted


def test_templates_that_call_each_other_without_end_are_an_error():
    message = reason('{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}')
    assert message.startswith('1:28: executing "x" at <{{template "x" .}}>: exceeded maximum template depth (')


def test_recursion_of_moderate_depth_works():
    text = '{{ define "n" }}{{ if . }}.{{ template "n" (index . 0) }}{{ end }}{{ end }}{{ template "n" . }}'
    nested = []
    for _level in range(60):
        nested = [nested]
    assert render(text, nested) == "." * 60


@pytest.mark.parametrize(
    "text", ["{{ " + "(" * 200 + "1" + ")" * 200 + " }}", "{{ if 1 }}" * 200 + "x" + "{{ end }}" * 200]
)
def test_templates_that_are_nested_too_deeply_are_refused(text):
    assert reason(text) == "1: max expression depth exceeded"


def test_a_value_that_contains_itself_is_an_error():
    value = []
    value.append(value)
    for text in ("{{ . }}", '{{ printf "%d" . }}', "{{ print . }}", "{{ html . }}"):
        assert "nested too deeply" in reason(text, value)


def test_errors_name_the_text_and_the_template():
    template = parse('{{ define "inner" }}{{ index . 5 }}{{ end }}\n{{ template "inner" . }}', "file.txt")
    with pytest.raises(TemplateFault) as caught:
        template.render([1])
    wanted = 'template: file.txt:1:23: executing "inner" at <index . 5>: error calling index: index out of range: 5'
    assert str(caught.value) == wanted
