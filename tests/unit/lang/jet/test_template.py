# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jet templates: results that the recordings do not contain, compared with the library of the original."""

from __future__ import annotations

from typing import ClassVar

import pytest
from ccm.lang.go.values import AnyMap, NilList, NilMap, StringMap
from ccm.lang.jet.template import JetError, SyntaxFault, TemplateSet, parse
from ccm.lang.jet.values import VarMap

DATA = {
    "port": 8080,
    "weight": 1.5,
    "million": 1000000.0,
    "package": "nginx",
    "list": [3, 1, 2],
    "words": ["b", "a"],
    "mixed": [1, "two", 3.5, True, None],
    "nothing": None,
    "empty": [],
    "map": {"b": 2, "a": 1},
    "users": [{"name": "ann"}, {"name": "bob"}],
    "text": "héllo",
}


def variables():
    data = {key: value.copy() if isinstance(value, (dict, list)) else value for key, value in DATA.items()}
    return {"data": data, "environ": StringMap({"HOME": "/root"})}


def render(text, functions=None, loader=None, context=None, left="[[", right="]]"):
    given = variables()
    template = parse(text, "input", functions, left, right, loader)
    return template.render(given, VarMap(given) if context is None else context)


def refusal(text, **named):
    with pytest.raises(JetError) as caught:
        render(text, **named)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  \n[[ 1 ]]", "1"),
        ("x  \n[[ 1 ]]", "x  \n1"),
        ("a [[-1]]", "a -1"),
        ("a [[- 1  -]] b", "a1b"),
        ("a[[ 1    -]]\n b", "a1b"),
        ("a ]] b", "a ]] b"),
        ("[ [[ 1 ]", None),
        ("{* c *}[[ 1 ]]{* d *}", "1{* d *}"),
        ("a{* c *} [[ 1 ]]", "a 1"),
        ("{* [[ 1 ]]", None),
        ("[[ 1, 2 ]]", None),
        ("[[ 5-3 ]]", "2"),
        ("[[ 5 -3 ]]", None),
        ("[[ (5)-3 ]]", None),
        ("[[ &1 ]]", None),
        ("[[ & 1 ]]", "1"),
        ("[[ 0x1F ]] [[ 010 ]] [[ .5 ]] [[ 1e3 ]] [[ 'a' ]] [[ '\\n' ]]", "31 8 0.5 1000 97 10"),
        ("[[ 089 ]]", None),
        ("[[ 1.2.3 ]]", None),
        ("[[ 2i ]]", None),
        ("[[ 0i ]]", "0"),
        ('[[ "\\u00e9\\x41\\101" ]]', "éAA"),
        ('[[ "\\q" ]]', None),
        ("[[ `a\\n` ]]", "a\\n"),
        ("[[ data.map.a ]][[ data . package ]]", None),
        ("[[ data.users[0] .name ]]", None),
        ("[[ _ ]]", None),
        ("[[ msg ]]", None),
        ("[[ x := 5 ]][[ x.y ]]", None),
        ('[[ "a".b ]]', None),
        ("[[ data.missing ]][[ nil ]]", ""),
    ],
)
def test_literals(text, wanted):
    if wanted is None:
        refusal(text)
    else:
        assert render(text) == wanted


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("7 / 2", "3.5"),
        ("data.port / 3", "2693.3333333333335"),
        ("data.list[0] / data.list[2]", "1"),
        ("-7 % 3", "-1"),
        ("data.port == 8080.9", "true"),
        ("8080.9 == data.port", "false"),
        ("data.port == data.weight * 2", "false"),
        ('"5" == 5', "false"),
        ("nil == data.missing", "true"),
        ("data.nothing == nil", "true"),
        ("data.list == data.list[0:3]", "true"),
        ('split("a,b", ",") == data.words', "false"),
        ("data.empty ? 1 : 2", "1"),
        ("NIL ? 1 : 2", "2"),
        ('"" ? 1 : 2', "2"),
        ("1 < 2 == true", "true"),
        ("!data.port == 1", "true"),
        ('"a" + 1000000', "a1e+06"),
        ("data.million", "1000000"),
        ('"a" + data.nothing', "a<nil>"),
        ('"a" + json(data.list)', "a[3,1,2]"),
        ('"a" + ints(1, 4) + json(ints(1, 4))', "a&{-1 0 4}{}"),
        ('data.port + "5"', "8085"),
        ("data.port + true", "8080"),
        ("1 + true", "1"),
        ("data.package[0] + data.port", "8190"),
        ("data.package[0] - data.port", "18446744073709543646"),
        ("data.package[0] % data.port - data.port", "18446744073709543646"),
        ("data.text[1]", "195"),
        ("data.text[1:3]", "é"),
        ("len(data.text)", "6"),
        ("data.list[:2]", "[3 1]"),
        ("data.list[1.9]", "1"),
        ("data.users[1].name", "bob"),
        ("ints(1, 4)", "{-1 0 4}"),
        ("len(ints(1, 4))", "3"),
        ("- data.port", "-8080"),
        ("ANY[1]", "one"),
        ("upper(data.list[0])", "\x03"),
        ("upper(json(1))", "1"),
        ('replace("aaa", "", "-", 2)', "-a-aa"),
        ('split("né", "")', "[n é]"),
        ('url("é /~")', "%C3%A9+%2F~"),
        ('html("<\'\\"&")', "&lt;&#39;&#34;&amp;"),
        ("map()", "map[]"),
        ('map("a", nil)', "map[]"),
        ('map("a", data.nothing)', "map[a:<nil>]"),
        ("json(data.map)", '{"a":1,"b":2}'),
        ("isset(1) && isset(nil) && isset(nosuch())", "true"),
        ("isset(_)", "false"),
        ("isset(data.port, data.nothing)", "false"),
        ("isset(data.port, data.text)", "true"),
        ("isset(data.nothing) || isset(NIL) || isset(data.list[9])", "false"),
    ],
)
def test_expressions(expression, wanted):
    given = {**variables(), "NIL": NilMap(), "ANY": AnyMap({1.0: "one"})}
    given["ANY"].put(1.0, "one")
    assert parse(f"[[ {expression} ]]", "input", left="[[", right="]]").render(given) == wanted


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ('1 + "a"', 'strconv.ParseFloat: parsing "a": invalid syntax'),
        ("1 / 0", "division by zero"),
        ('data.port / "0"', "division by zero"),
        ('data.port % "0"', "division by zero"),
        ("data.map + 1", "additive expression: left side data.map (map[string]interface {}) is not a numeric value"),
        ("1 + 2 + data.missing", "right side of additive expression is invalid value"),
        ('"a" - 1', "minus signal is not allowed with strings"),
        ('"a" * 2', "a non numeric value in multiplicative expression"),
        ('"a" < 2', "a non numeric value in numeric comparative expression"),
        ('-"a"', "needs a number, not a value of type string"),
        ("data.list[3]", "index out of range: 3"),
        ("data.list[-1]", "index out of range: -1"),
        ('data.list["a"]', "cannot index slice/array/string with type string"),
        ("data.list[nil]", "with nil"),
        ("data.map[1]", "can't use 1 (float64) as key"),
        ("data.map[data.port]", "the keys of map[string]interface {} are texts, not of type int"),
        ("data.port.x", "can't evaluate index x in type int"),
        ("data.nothing.x", "nil pointer"),
        ("data.missing.x", "there is no field or method 'missing' in map[string]interface {} (data.missing.x)"),
        ("data.list[0:9]", "slice bounds out of range"),
        ("data.port[0:1]", "cannot slice a value of type int"),
        ('data.list["a":]', "non numeric value in index expression kind string"),
        ('json(1) == "1"', "bytes cannot be compared with a text"),
        ("repeat(data.package, 99999999)", "text of more than 67108864 characters"),
        ("upper(1)", "value of type float64 cannot be converted to type string"),
        ('repeat("a", true)', "value of type bool cannot be converted to type int"),
        ("upper(data.nothing)", "interface {} cannot be converted to type string: name the entry"),
        ("ints(1, 2, 3)", "have 3 arguments"),
        ('ints("a", 2)', "could not parse a (string) as an integer"),
        ("map(1, 2)", "the key at position 0 must be a text, not of type float64"),
        ("map(nil, 2)", "key argument at position 0 is not a valid value"),
        ("slice(nil)", "argument at position 0 is not a valid value"),
        ("data.port()", 'command "data.port()" has arguments but is int, not a function'),
        ('"a" | data.port', 'pipe command "data.port" must be a function, but is int'),
        ('"a" | data.missing', "base expression of command pipe node is invalid value"),
        ('"a" | raw | upper', "unexpected command upper, writer command should be the last command"),
        ("data.missing | raw", "there is no value to print"),
        ('upper(raw("a"))', "it must be the last command of an action"),
        ("upper: _", "unexpected node type _"),
        ("data.package | replace: _, _", "found two pipe slot markers"),
        ("dump(1, 2)", "dump: expected argument 0 to be a string, but got a float64"),
    ],
)
def test_refusals(expression, words):
    assert words in refusal(f"[[ {expression} ]]")


def test_errors_name_template_and_line():
    assert refusal("\n\n[[ nosuch ]]").startswith('Jet Runtime Error ("/input":3): identifier "nosuch" not available')
    assert refusal("\n[[ if ]]") == "template: /input:2: parsing if: unexpected token ']]' (expected term)"
    assert refusal("[[ 1 and ]]") == "template: /input:1: parsing command: unexpected token ']]' (expected term)"
    assert refusal("[[ range ]]") == "template: /input:1: parsing range: unexpected token ']]' (expected term)"
    assert refusal("[[ end if ]]").startswith(
        "template: /input:1: parsing end: unexpected keyword 'if' (expected closing"
    )
    assert "statements must be at the beginning" in refusal('x[[ extends "a" ]]')


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('[[ "a" | replace: "a", "b", 1 ]]', "b"),
        ('[[ "b" | replace: "abc", _, "z", 1 ]]', "azc"),
        ("[[ 1 | slice: 2, _ ]]", "[2 1]"),
        ("[[ data.missing | isset ]]", "true"),
        ('[[ "<" | safeHtml: ">" ]]', "&lt;&gt;"),
        ('[[ "=\\t\\u2028é" | safeJs ]]', "\\u003D\\u0009\\u2028é"),
        ("[[ writeJson(data.map) ]]", '{"a":1,"b":2}\n'),
        ('[[ (upper)("a") ]][[ upper ("b") ]]', "AB"),
        ("[[ upper(\n'a' == 97 ? `x` : `y`,\n) ]]", "X"),
    ],
)
def test_pipes_and_calls(text, wanted):
    assert render(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[ range data.map ]][[ . ]][[ end ]]", "12"),
        ("[[ range k := data.map ]][[ k ]][[ . ]][[ end ]]", "a1b2"),
        ("[[ range _, v := data.map ]][[ v ]][[ end ]]", "12"),
        ("[[ range environ ]][[ upper(.) ]][[ end ]]", "/ROOT"),
        ('[[ range split("a,b", ",") ]][[ upper(.) ]][[ end ]]', "AB"),
        ("[[ range i, v := data.words ]][[ upper(v) ]][[ end ]]", "BA"),
        ("[[ range data.mixed ]][[ . ]],[[ end ]]", "1,two,3.5,true,<nil>,"),
        ("[[ range slice(0, false, nil == 1) ]][[ if . ]]y[[ end ]][[ end ]]", "yyy"),
        ("[[ range i, v := slice(0, 1) ]][[ if v ]]y[[ else ]]n[[ end ]][[ end ]]", "ny"),
        ("[[ range slice(1000000) ]][[ . ]][[ end ]] [[ 1000000 ]]", "1e+06 1000000"),
        ("[[ i := 9 ]][[ range i = data.words ]][[ end ]][[ i ]]", "1"),
        ("[[ range json(12) ]][[ . ]] [[ end ]]", "49 50 "),
        ("[[ range ints(data.list[1], 3) ]][[ . ]][[ end ]]", "12"),
        ("[[ range data.empty ]]x[[ else ]]none[[ end ]]", "none"),
        ("[[ range data.users ]][[ .name ]][[ range data.words ]][[ . ]][[ end ]][[ end ]]", "annbabobba"),
        ("[[ range data.users ]][[ range data.words ]][[ end ]][[ .name ]][[ end ]]", "annbob"),
        ('[[ return "a" ]][[ range data.words ]]x[[ end ]]y', "y"),
        ("[[ range data.words ]]x[[ return 1 ]][[ end ]]y", "xy"),
        ("[[ if x := 1; false ]]a[[ else if y := 2; x + y == 3 ]]b[[ end ]]", "b"),
        ("[[ if false ]]a[[ else if false ]]b[[ else ]]c[[ end ]]", "c"),
        ("[[ x, y := 1, 2 ]][[ x, y = y, x ]][[ x ]][[ y ]]", "22"),
        ('[[ v, ok := data.map["z"] ]][[ ok ]][[ v, ok = data.map["a"] ]][[ ok ]][[ v ]]', "falsetrue1"),
        ("[[ _ := 1 ]][[ _, x := 1, 2 ]][[ x ]]", "2"),
        ("[[ data.map.c = 5 ]][[ data.map ]][[ data.map.a = nil ]][[ data.map ]]", "map[a:1 b:2 c:5]map[b:2 c:5]"),
        ("[[ .data.port = 1 ]][[ data.port ]]", "1"),
        ("[[ data.port.x = 1 ]]ok", "ok"),
        ("[[ try ]]lost[[ nosuch ]][[ catch ]]found[[ end ]]", "found"),
        ("[[ try ]]lost[[ nosuch ]][[ end ]]", ""),
        ("[[ try ]]kept[[ catch ]]found[[ end ]]", "kept"),
        ("[[ try ]][[ ints(2, 1) ]][[ catch e ]][[ e ]]|[[ e.Error() ]][[ end ]]", "S|S"),
        ("[[ catch ]]x[[ end ]]y", "y"),
        ("[[ try ]]a[[ else ]]b[[ end ]]", "ab"),
        ("[[ exec ]]", "function"),
    ],
)
def test_statements(text, wanted):
    message = "invalid range for ints ranger: 'from' must be smaller than 'to'"
    assert render(text) == wanted.replace("S", message)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[ block b() ]]x[[ end ]][[ block b() ]]y[[ end ]]", "yy"),
        ("[[ block b(x=1, y=x) ]][[ x ]][[ y ]];[[ end ]][[ yield b(x=5) ]]", "11;55;"),
        ("[[ block b(x=1) ]][[ x ]][[ end ]][[ yield b(7) ]]", "11"),
        ("[[ block b(x=1) ]][[ x ]][[ end ]][[ x := 2 ]][[ yield b() ]]", "11"),
        ("[[ block b() ]][[ isset(x) ]][[ end ]][[ x := 2 ]][[ yield b() ]]", "falsetrue"),
        ("[[ block b() ]]<[[ yield content data.port ]]>[[ content ]]c[[ . == 8080 ]][[ end ]]", "<ctrue>"),
        (
            "[[ block a() ]]([[ yield content ]])[[ end ]][[ block b() ]]<[[ yield a() ]]>[[ end ]]"
            "[[ yield b() content ]]c[[ end ]]",
            "()<()><(c)>",
        ),
        ("[[ block b(x=0) ]][[ if x < 3 ]][[ x ]][[ yield b(x=x+1) ]][[ end ]][[ end ]]", "012"),
        (
            "[[ try ]][[ block b() ]][[ nosuch ]][[ end ]][[ end ]]"
            "[[ range ints(0, 100) ]][[ try ]][[ yield b() ]][[ catch ]]x[[ end ]][[ isset(exec(nosuch)) ]][[ end ]]",
            "xtrue" * 100,
        ),
        ("[[ block b() data.users ]][[ range . ]][[ .name ]][[ end ]][[ end ]]", "annbob"),
    ],
)
def test_blocks(text, wanted):
    assert render(text) == wanted


FILES = {
    "/base.jet": "<[[ block body() ]]base[[ end ]]>",
    "/lib": "[[ block tag(x=1) ]]tag[[ x ]][[ end ]]",
    "/sub/part.jet": '[[ include "other" ]]',
    "/sub/other": "other [[ . ]]",
    "/value": "printed[[ return data.port ]]",
    "/broken": "[[ if ]]",
    "/self": '[[ include "self" ]]',
    "/a": '[[ extends "b" ]]',
    "/b": '[[ import "a" ]]',
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('[[ extends "base" ]]lost[[ block body() ]]mine[[ end ]]', "<mine>"),
        ('[[ extends "./base.jet" ]][[ import "lib" ]][[ block body() ]][[ yield tag(x=2) ]][[ end ]]', "<tag2>"),
        ('[[ import "lib" ]][[ yield tag() ]]', "tag1"),
        ('[[ include "sub/part" 5 ]]', "other 5"),
        ('[[ include "/sub/../sub/part" data.port ]]', "other 8080"),
        ('[[ exec("value") + 1 ]]', "8081"),
        ('[[ includeIfExists("value") ]]', "printed"),
        ('[[ includeIfExists("none") ]][[ if includeIfExists("none") ]]x[[ else ]]y[[ end ]]', "y"),
        ('[[ includeIfExists("sub/other", 3) ]]', "other 3"),
        ('[[ x := 1 ]][[ include "base" ]]', "<base>"),
    ],
)
def test_other_templates(text, wanted):
    assert render(text, loader=FILES.get) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[ include "none" ]]', "template /none could not be found"),
        ('[[ extends "none" ]]', "template: /input:1: template /none could not be found"),
        ('[[ include "broken" ]]', "template: /broken:1: parsing if"),
        ('[[ includeIfExists("broken") ]]', "including broken: template: /broken:1"),
        ('[[ exec("none") ]]', "exec(none): template /none could not be found"),
        ("[[ include data.port ]]", 'unexpected expression type "int"'),
        ("[[ include data.missing ]]", "name is not a valid value"),
        ('[[ include "self" ]]', "more than 60 levels deep"),
        ('[[ try ]][[ include "self" ]][[ catch ]][[ end ]]', "more than 60 levels deep"),
        ('[[ include "a" ]]', "in a circle: /a -> /b -> /a"),
        ("[[ block b() ]][[ yield b() ]][[ end ]]", "more than 60 levels deep"),
        ("[[ yield b(1, 2) ]]", 'unresolved block "b"'),
        ('[[ import "lib" ]][[ extends "base" ]]', "should come before all import clauses"),
        ('[[ extends "lib" ]][[ extends "base" ]]', "can only extend one template"),
    ],
)
def test_errors_of_other_templates(text, words):
    assert words in refusal(text, loader=FILES.get)


def test_a_set_parses_an_included_template_once():
    paths = []
    templates = TemplateSet(lambda path: paths.append(path) or FILES.get(path), None, "[[", "]]")
    template = templates.parse('[[ include "value" ]][[ include "value" ]]', "input")
    assert [template.render(variables()) for _time in range(2)] == ["printedprinted"] * 2
    assert templates.get("value") is templates.get("/value")


def test_a_template_of_a_scaffold_can_include_only_itself():
    text = "[[ . ]][[ if . > 0 ]][[ include `a.txt` . - 1 ]][[ end ]][[ includeIfExists(`lib`) ]]"
    assert TemplateSet(FILES.get, None, "[[", "]]").alone(text, "a.txt").render(None, 3) == "3210"


def test_functions_receive_arguments():
    def join(arguments):
        arguments.require("join", 1, 3)
        return "-".join(arguments.string(at) for at in range(len(arguments)))

    functions = {"join": join, "none": lambda arguments: None}
    assert render('[[ join("a", "b") ]][[ "c" | join ]][[ none() ]][[ "x" | join: "y", _ ]]', functions) == "a-bcy-x"
    assert refusal("[[ join() ]]", functions=functions) == "unexpected number of arguments in a call to join"
    assert "could not parse 1 (float64) as a text" in refusal("[[ join(1) ]]", functions=functions)
    assert render("[[ try ]][[ join(1) ]][[ catch ]]caught[[ end ]]", functions) == "caught"


def test_the_context_of_a_scaffold_is_a_map_of_the_variables():
    assert render("[[ .data.port ]][[ .data.Interface.port ]][[ .data.Interface().port ]]") == "808080808080"
    assert "there is no field or method 'nope' in jet.VarMap (.nope)" in refusal("[[ .nope ]]")


def test_a_context_with_fields():
    class Context:
        GO_TYPE = "*main.Context"
        GO_FIELDS: ClassVar = {"Data": "data"}
        data = DATA

        def go_text(self):
            return "shown"

    assert (
        render("[[ . ]][[ .Data.port ]][[ isset(.Data) ]][[ isset(.nope) ]]", context=Context()) == "shown8080truefalse"
    )
    assert "can't use data as field name in struct type main.Context" in refusal("[[ .data ]]", context=Context())
    assert 'identifier "x" is not available' in refusal("[[ .x = 1 ]]", context=Context())


def test_dump_shows_variables_and_blocks():
    assert render('[[ block b(x=1) ]][[ end ]][[ v := "a\\n" ]][[ dump("v", "b", "none") ]]') == (
        '\tv:="a\\n" // string\n\tblock b(x=1), from /input\n'
    )
    expected = render("[[ v := 1 ]][[ dump() ]]")
    assert expected.startswith("Context:\n\tjet.VarMap ") and expected.endswith("scope:\n\tv=1\nBlocks:\n")
    assert "1 level(s) up:\n\tdata=map[" in render("[[ v := 1 ]][[ dump(1) ]]")


def test_dump_shows_nil_lists_and_maps():
    expected = parse('{{ dump("m", "l") }}', "input").render({"m": NilMap(), "l": NilList()})
    assert expected == (
        "\tm:=map[string]interface {}(nil) // map[string]interface {}\n\tl:=[]interface {}(nil) // []interface {}\n"
    )


@pytest.mark.parametrize(("show", "name"), [("dump()", "."), ('dump(".")', "."), ('x := nil; dump("x")', "x")])
def test_dump_refuses_unknown_names(show, name):
    assert refusal(f"[[ block b() nil ]][[ {show} ]][[ end ]]") == f"dump: {name} is not a valid value"


def test_the_length_of_a_caught_error_is_the_number_of_its_fields():
    assert render("[[ try ]][[ nosuch ]][[ catch err ]][[ len(err) ]][[ end ]]") == "1"


def test_bytes_that_are_not_utf8_are_kept():
    assert render("\udcff[[ `\udcfe` ]][[ data.text[2:] ]]") == "\udcff\udcfe\udca9llo"


def test_delimiters():
    assert render("{{ 1 }}", left="", right="") == "1"
    assert render("<% 1 %> {* c *}<%- 2 -%> x", left="<%", right="%>") == "1 2x"
    assert render("((1))((data.port))", left="((", right="))") == "18080"


@pytest.mark.parametrize("opener", ["(", "!", "upper(", "data[", "1 ? 1 : ", "- (", "1 + ("])
def test_expressions_have_a_depth_limit(opener):
    assert isinstance(error_of("[[ " + opener * 5000 + "1"), SyntaxFault)
    assert "nested more than 50 levels deep" in refusal("[[ " + opener * 5000 + "1")


@pytest.mark.parametrize("opener", ["[[ if 1 ]]", "[[ range data.words ]]", "[[ try ]]", "[[ block b() ]]"])
def test_statements_have_a_depth_limit(opener):
    assert "nested more than 50 levels deep" in refusal(opener * 2000)
    assert render(opener + "[[ end ]]") == ""


def error_of(text):
    with pytest.raises(JetError) as caught:
        render(text)
    return caught.value


def test_long_chains_are_not_deep():
    assert render("[[ " + " + ".join(["1"] * 3000) + " ]]") == "3000"
    assert render("[[ if 0 ]]" + "[[ else if 0 ]]" * 2000 + "[[ else ]]x[[ end ]]") == "x"
    assert render("[[ 1 ]]" * 3000) == "1" * 3000
    assert "nested more than 50" in refusal("[[ data" + "[0]" * 5000 + " ]]")


@pytest.mark.parametrize("show", ["x", "json(x)", "writeJson(x)", '"" + x', 'dump("x")'])
def test_endless_output_is_refused(show):
    text = "[[ x := slice(1) ]][[ range ints(0, 40) ]][[ x = slice(x, x) ]][[ end ]][[ " + show + " ]]"
    assert "value is too big to be shown" in refusal(text)


def test_values_that_contain_themselves_are_an_error():
    assert "too big to be shown" in refusal("[[ data.self = data ]][[ data ]]")
    assert "too big to be shown" in refusal('[[ data.self = data ]][[ dump("data") ]]')
    assert "nested too deeply" in refusal("[[ a := map() ]][[ a.a = a ]][[ b := map() ]][[ b.a = b ]][[ a == b ]]")
    assert "nested too deeply" in refusal(
        "[[ x := slice() ]][[ range ints(0, 500) ]][[ x = slice(x) ]][[ end ]][[ x ]]"
    )


def test_cached_actions_have_their_own_position():
    text = "[[ if data.port + nosuch ]][[ end ]]"
    for name, lines in (("one", 0), ("two", 3), ("two", 1)):
        with pytest.raises(JetError) as caught:
            parse("\n" * lines + "[[ 1 ]]" + text, name, None, "[[", "]]").render(variables())
        assert str(caught.value).startswith(f'Jet Runtime Error ("/{name}":{lines + 1}): identifier "nosuch"')


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('[[ "]]" ]][[ "]]" ]]', "]]]]"),
        ('[[ " ]]', None),
        ("a [[- 5 -]] b [[- 5 -]] c[[ 5 -]] d", "a5b5c5d"),
        ("[[ if 0 ]]a[[ else if data.port ]]b[[ end ]]" * 2, "bb"),
        ("[[ if 0 ]]a[[ else if data.port ]]b[[ else ]]c[[ end ]]" * 2, "bb"),
        ("[[ if 0 ]][[ else if 1 ]][[ end ]][[ range data.list ]][[ else if 1 ]][[ end ]]", None),
        ("[[ if 0 ]][[ else if 1 ]][[ end ]][[ try ]][[ else if 1 ]][[ end ]]", None),
        ("[[ if 0 ]][[ else if 1 ]][[ end ]][[ else if 1 ]]", None),
        ("[[ x := 1 ]][[ x ]][[ if x := 2; x ]][[ x ]][[ end ]][[ if x := 2; x ]][[ x ]][[ end ]][[ x ]]", "1221"),
        ("[[ range i, v := data.words ]][[ v ]][[ end ]]" * 2, "baba"),
    ],
)
def test_repeated_actions_have_the_same_meaning(text, wanted):
    for _time in range(2):
        test_literals(text, wanted)
