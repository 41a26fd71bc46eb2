# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rendering of templates: Go's results."""

from __future__ import annotations

import pytest

from tests.unit.lang.gotemplate.rendering import DATA, render

RENDERED = [
    (
        "{{ . }}",
        "map[a:map[b:map[c:5]] e:[] em:map[] f:1.5 i:3 l:[1 x <nil> [1 2]] m:map[y:q z:1] n:<nil> s:text t:true]",
    ),
    ("{{ .a.b.c }}", "5"),
    ("{{ .a.x }} {{ $.a.b.x }} {{ (.a).b.x }}", "<no value> <no value> <no value>"),
    ("{{ .n }}", "<no value>"),
    ("{{ .q.x.y }}", "<no value>"),
    ("{{ .a.x.y }}", "<no value>"),
    ("{{ range .l }}[{{ . }}]{{ end }}", "[1][x][<no value>][[1 2]]"),
    ("{{ range $i, $e := .l }}{{ $i }}={{ $e }};{{ end }}", "0=1;1=x;2=<no value>;3=[1 2];"),
    ("{{ range $k, $v := .m }}{{ $k }}{{ $v }}{{ end }}", "yqz1"),
    ("{{ range .e }}x{{ else }}none{{ end }}", "none"),
    ("{{ range .i }}{{ . }}{{ end }}", "012"),
    ("{{ range $x := 3 }}{{ $x }}{{ end }}", "012"),
    ("{{ range .n }}a{{ else }}b{{ end }}", "b"),
    ("{{ range 3 }}{{ range $.e }}{{ else }}{{ break }}{{ end }}x{{ end }}", "xxx"),
    ("{{ range 3 }}{{ range $.e }}{{ else }}{{ continue }}{{ end }}x{{ end }}", ""),
    ("{{ with .a }}{{ .b }}{{ end }}", "map[c:5]"),
    ("{{ with .n }}{{ .b }}{{ else }}no{{ end }}", "no"),
    ("{{ with .n }}1{{ else with .a }}{{ .b }}{{ else }}3{{ end }}", "map[c:5]"),
    ("{{ with $x := .a }}{{ $x.b.c }}{{ end }}", "5"),
    ("{{ if .t }}1{{ else if .s }}2{{ end }}", "1"),
    ("{{ if .e }}1{{ else if .em }}2{{ else if .i }}3{{ end }}", "3"),
    ("{{ $x := 1 }}{{ if .t }}{{ $x = 2 }}{{ $x := 3 }}{{ end }}{{ $x }}", "2"),
    ("{{ $x := 0 }}{{ range $x = .l }}{{ $x }}{{ end }}{{ $x }}", "1x<no value>[1 2][1 2]"),
    ("{{ $x := 0 }}{{ $y := 0 }}{{ range $x, $y = .l }}{{ $x }}{{ $y }}{{ end }}", "011x2<no value>3[1 2]"),
    ("{{ num 1.0 }}", "1"),
    ("{{ num 'a' }}", "97"),
    ("{{ flt 1 }}", "1"),
    ("{{ boo true }}", "true"),
    ('{{ i64 5 | printf "%T" }}', "int64"),
    ("{{ u32 5 }}", "5"),
    ("{{ islst .l }}", "4"),
    ("{{ islst nil }}", "0"),
    ("{{ islst .q }}", "0"),
    ("{{ ismap nil }}", "0"),
    ('{{ two "a" }}', "a[]"),
    ('{{ two "a" 1 2 }}', "a[1 2]"),
    ('{{ 1 | two "a" }}', "a[1]"),
    ('{{ "a" | two }}', "a[]"),
    ("{{ (.a).b }}", "map[c:5]"),
    ("{{ (.a).q.z }}", "<no value>"),
    ("{{ (any .a).b.c }}", "5"),
    ("{{ (any .n).x }}", "<no value>"),
    ("{{ and 1 0 2 }}", "0"),
    ('{{ or 0 "" "x" (bad "a") }}', "x"),
    ('{{ 0 | or 0 "" }}', "0"),
    ("{{ 5 | and 1 }}", "5"),
    ('{{ len "héllo" }}', "6"),
    ('{{ len .m }} {{ len .l }} {{ len (byt "abc") }}', "2 4 3"),
    ("{{ index .l 0 }} {{ index .l 1 }} {{ index .l 3 1 }}", "1 x 2"),
    ('{{ index .m "z" }} {{ index .m "nope" }}', "1 <no value>"),
    ("{{ index .m }}", "map[y:q z:1]"),
    ('{{ index .s 1 }} {{ index .s 1 | printf "%T" }}', "101 uint8"),
    ('{{ index .a "b" "c" }}', "5"),
    ('{{ index (smap "a" "b") "c" }}|', "|"),
    ("{{ slice .s 1 2 }} {{ slice .s 1 }} {{ slice .s }}", "e ext text"),
    ("{{ slice .l 1 2 3 }} {{ slice .l 1 2 }}", "[x] [x]"),
    ('{{ slice (strs "a" "b") 1 | printf "%T" }}', "[]string"),
    ("{{ eq 1 1 }} {{ eq 1 2 1 }} {{ eq .n nil }} {{ eq .q .n }} {{ eq 1 nil }}", "true true true true false"),
    ("{{ eq .l nil }}", "false"),
    ("{{ eq (u32 1) 1 }} {{ eq 1 (u64 1) }} {{ lt (u32 1) 2 }} {{ lt -1 (u64 1) }}", "true true true true"),
    ("{{ eq (dur 1) 1 }} {{ eq (dur 1) (dur 1) }} {{ dur 1000 }} {{ lt (dur 1) 2 }}", "true true 1µs true"),
    ('{{ ne 1 2 }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt "b" "a" }} {{ ge 1.5 1.5 }}', "true true true true true"),
    (
        '{{ html "<a&\'\\">" }} {{ html 1 2 "a" }} {{ html nil }} {{ html .q .n }}',
        "&lt;a&amp;&#39;&#34;&gt; 1 2a &lt;no value&gt; &lt;no value&gt;&lt;no value&gt;",
    ),
    ('{{ js "a\'\\"<>&=\\\\\\n\\x01é\\x7f" }}', "a\\'\\\"\\u003C\\u003E\\u0026\\u003D\\\\\\u000A\\u0001é\x7f"),
    ('{{ urlquery "a b&c=é/~" 1 }}', "a+b%26c%3D%C3%A9%2F~1"),
    (
        '{{ print 1 2 "a" "b" 3 nil }} {{ print }} {{ println 1 "a" nil }} {{ print .q .n true 1.5 }}',
        "1 2ab3 <nil>  1 a <nil>\n <nil> <nil> true 1.5",
    ),
    (
        '{{ define "x" }}[{{ . }}]{{ end }}{{ template "x" }}{{ template "x" .s }}{{ template "x" .a.b }}',
        "[<no value>][text][map[c:5]]",
    ),
    ('{{ block "b" .a }}{{ .b.c }}{{ $.b }}{{ end }}', "5map[c:5]"),
    (
        '{{ define "r" }}{{ if . }}{{ index . 0 }}{{ template "r" (slice . 1) }}{{ end }}{{ end }}'
        '{{ template "r" .l }}',
        "1x<no value>[1 2]",
    ),
    ('{{ define "t" }}own{{ end }}', "own"),
    ('{{ define "a" }}1{{ end }}{{ define "b" }}{{ template "a" }}2{{ end }}{{ template "b" }}', "12"),
    ('{{ 1 | printf "%d %s" }}', "1 %!s(MISSING)"),
    ('{{ printf "%d" }}', "%!d(MISSING)"),
    ('{{ range byt "ab" }}{{ . }} {{ printf "%T" . }}{{ end }}', "97 uint898 uint8"),
    ('{{ (smap "a" "b").q.c }}', "<no value>"),
    ("{{ 1.5 }} {{ 1e6 }} {{ 1e20 }} {{ -0.0 }} {{ cplx 1 -2 }} {{ 3i }}", "1.5 1e+06 1e+20 -0 (1-2i) (0+3i)"),
    ("{{ true }}{{ false }}{{ .t }}", "truefalsetrue"),
    ('{{- "a" -}} b {{- /* c */ -}} {{ "d" -}}', "abd"),
    ("{{range $i, $e := .l}}{{if $i}}, {{end}}{{$e}}{{end}}", "1, x, <no value>, [1 2]"),
    ("{{ ($x := 5) }}{{ $x }}", "55"),
    ("{{ any ($x := 5) }}{{ $x }}", "55"),
    (
        "{{ $ }}",
        "map[a:map[b:map[c:5]] e:[] em:map[] f:1.5 i:3 l:[1 x <nil> [1 2]] m:map[y:q z:1] n:<nil> s:text t:true]",
    ),
    ("{{ with .a }}{{ $.s }}{{ end }}", "text"),
    ("{{ if and .t (not .e) }}y{{ end }}", "y"),
    ("{{ (dur 1).Seconds }}", "1e-09"),
    ('{{ (dur 1500000000).Seconds | printf "%.2f" }}', "1.50"),
    ("{{ (dur 1500000000).Round 5 }}", "1.5s"),
    ("{{ (dur 1500000000).Round (dur 1000000000) }}", "2s"),
    ("{{ dur 1000000000 | (dur 1500000000).Round }}", "2s"),
    ("{{ range $i, $e := .m }}{{ continue }}{{ end }}", ""),
    (
        "{{ 0x1F }} {{ 0b11 }} {{ 0o17 }} {{ 017 }} {{ 1_000 }} {{ 'x' }} {{ '\\n' }} {{ '☺' }}",
        "31 3 15 15 1000 120 10 9786",
    ),
    ('{{ "\\u263a \\x41 \\101 \\U0001F600" }} {{ `raw\\n` }}', "☺ A A 😀 raw\\n"),
    (
        '{{ printf "%v" . }}',
        "map[a:map[b:map[c:5]] e:[] em:map[] f:1.5 i:3 l:[1 x <nil> [1 2]] m:map[y:q z:1] n:<nil> s:text t:true]",
    ),
    ("{{- /* c */ -}}  x", "x"),
    ("  {{- 1 -}}  \n x", "1x"),
    ("{{ if .t -}}  a {{- end }}", "a"),
    ("{{ range .l }}{{ continue }}x{{ else }}y{{ end }}", ""),
    ("{{ range .l }}{{ . }}{{ break }}{{ end }}", "1"),
    (
        "{{ range 3 }}{{ if . }}{{ if eq . 2 }}{{ break }}{{ end }}{{ . }}{{ else }}{{ continue }}{{ end }};{{ end }}",
        "1;",
    ),
]


@pytest.mark.parametrize(("text", "wanted"), RENDERED)
def test_a_template_renders_as_in_go(text, wanted):
    assert render(text) == wanted


DELIMITED = [
    ("[[", "]]", "[[ .s ]] {{ .s }} [[- /* c */ -]] x", "text {{ .s }}x"),
    ("<%", "%>", '<% "%>" %><%- 1 -%> ', "%>1"),
    ("@", "@", "@1@ @ .s @", "1 text"),
    ("(", ")", "( .s ) (- .i -) x", "text3x"),
    ("", "", "{{ .i }}", "3"),
]


@pytest.mark.parametrize(("left", "right", "text", "wanted"), DELIMITED)
def test_delimiters_can_be_changed(left, right, text, wanted):
    assert render(text, DATA, left, right) == wanted


@pytest.mark.parametrize(
    ("data", "wanted"), [(None, "<no value>"), ({"x": None}, "<no value>"), ({"x": 1.0}, "1"), ({}, "<no value>")]
)
def test_dot_can_be_any_value(data, wanted):
    assert render("{{ .x }}", data) == wanted


def test_functions_can_receive_the_context():
    assert render('{{ told "x" }}{{ "y" | told }}') == "context:xcontext:y"


def test_a_template_renders_repeatedly():
    from ccm.lang.gotemplate.template import parse

    template = parse("{{ $x := .a }}{{ range .l }}{{ $x = . }}{{ end }}{{ $x }}", "t")
    assert [template.render({"a": number, "l": range_}) for number, range_ in ((1, []), (2, [5]), (3, []))] == list(
        "153"
    )


def test_a_long_chain_of_else_if_needs_no_recursion():
    arms = "".join(f"{{{{ else if eq .i {number} }}}}{number}" for number in range(500))
    assert render("{{ if false }}" + arms + "{{ end }}", {"i": 499}) == "499"
