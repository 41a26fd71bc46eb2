# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties of all Go templates: no crash, and equal results of equivalent forms."""

from __future__ import annotations

from typing import ClassVar

import pytest
from ccm.lang.go.fmt import sprint
from ccm.lang.go.quoting import quote
from ccm.lang.go.time.times import UTC, Time
from ccm.lang.gotemplate.errors import TemplateFault
from ccm.lang.gotemplate.function import Function
from ccm.lang.gotemplate.lexer import tokens
from ccm.lang.gotemplate.template import parse
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.lang.gotemplate.rendering import FUNCTIONS, reason, render

FAST = settings(max_examples=150, deadline=None, derandomize=True)
WORDS = [
    "{{", "}}", "{{- ", " -}}", "{{/*", "*/}}", "if ", "else ", "else", "end", "range ", "with ", "define ", "block ",
    "template ", "break", "continue", "nil", "true", ".", ".a", ".a.b", ".s", ".l", "$", "$x", "$x := ", "$x = ",
    "$i, $e := ", "|", "(", ")", "1", "-1.5", "0x1p4", "'a'", '"a"', "`b`", '"', "`", "printf ", "index ", "eq ",
    "len ", "and ", "str ", "bad ", "lst ", " ", " ", "\n", "é", "\x00", ",", "=", ":=", "\\", "\udcff",
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@FAST
@given(st.text(max_size=40).filter(lambda text: "{{" not in text))
def test_text_without_actions_stays_as_it_is(text):
    assert render(text) == text


@FAST
@given(st.lists(st.sampled_from(WORDS), max_size=25).map("".join))
def test_any_text_has_a_result_or_a_template_error(text):
    try:
        assert isinstance(render(text), str)
    except TemplateFault as fault:
        assert str(fault).startswith("template: t:")


@FAST
@given(st.lists(st.sampled_from(WORDS), max_size=25).map("".join))
def test_tokens_have_the_order_of_the_text(text):
    at = 0
    for kind, start, token in tokens(text):
        if kind in ("eof", "error"):
            break
        assert start >= at
        assert text[start : start + len(token)] == token
        at = start + len(token)


@FAST
@given(st.text())
def test_quoted_strings_have_their_value(text):
    assert render("{{ " + quote(text) + " }}") == text


@FAST
@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_are_read_in_every_base(number):
    forms = [str(number), hex(number), oct(number), bin(number), f"{number:_}"]
    assert render(" ".join(f"{{{{ {form} }}}}" for form in forms)) == " ".join([str(number)] * len(forms))


@FAST
@given(VALUES)
def test_values_print_equally_everywhere(value):
    printed = "<no value>" if value is None else sprint(value)
    assert render("{{ . }}", value) == printed
    assert render('{{ printf "%v" . }}', value) == sprint(value)
    assert render("{{ print . }}", value) == sprint(value)
    assert render("{{ $x := . }}{{ with $x }}{{ . }}{{ else }}{{ $x }}{{ end }}", value) == printed


@FAST
@given(VALUES)
def test_if_not_and_or_have_the_same_truth_values(value):
    truth = render("{{ if . }}y{{ else }}n{{ end }}", value)
    assert truth == ("y" if value else "n")
    assert render("{{ if not . }}n{{ else }}y{{ end }}", value) == truth
    assert render('{{ if or . "" }}y{{ else }}n{{ end }}', value) == truth
    assert render('{{ if and . "a" }}y{{ else }}n{{ end }}', value) == truth
    assert render("{{ with . }}y{{ else }}n{{ end }}", value) == truth


@FAST
@given(st.lists(st.integers(), max_size=5), st.integers(0, 5))
def test_loops_visit_all_items_until_break(numbers, stop):
    printed = "".join(f"{number};" for number in numbers[:stop])
    text = f"{{{{ range $i, $e := . }}}}{{{{ if ge $i {stop} }}}}{{{{ break }}}}{{{{ end }}}}{{{{ $e }}}};{{{{ end }}}}"
    assert render(text, numbers) == printed
    assert render(text.replace("break", "continue"), numbers) == printed


@FAST
@given(st.text(" \n\tab", max_size=8), st.text(" \n\tab", max_size=8))
def test_trim_markers_remove_adjacent_space(before, after):
    space = " \n\t\r"
    assert render(before + '{{- "|" -}}' + after) == before.rstrip(space) + "|" + after.lstrip(space)
    assert render(before + '{{ "|" }}' + after) == before + "|" + after


@FAST
@given(st.text(max_size=6), st.text(max_size=6))
def test_comparisons_order_texts_by_their_bytes(left, right):
    words = render(
        "{{ eq .a .b }} {{ ne .a .b }} {{ lt .a .b }} {{ le .a .b }} {{ gt .a .b }} {{ ge .a .b }}",
        {"a": left, "b": right},
    )
    first, second = left.encode(), right.encode()
    truths = [first == second, first != second, first < second, first <= second, first > second, first >= second]
    assert words == " ".join(str(truth).lower() for truth in truths)


class Box:
    """A Go object with a field and methods."""

    GO_TYPE = "*main.Box"
    GO_FIELDS: ClassVar = {"Size": "size"}
    GO_METHODS: ClassVar = {
        "Grow": Function(lambda box, by: Box(box.size + by), "int"),
        "Name": Function(lambda box: f"box {box.size}"),
        "Where": Function(lambda context, box: (context, box.size)[0], with_context=True),
    }

    def __init__(self, size):
        self.size = size

    def go_text(self):
        return f"&{{{self.size}}}"


def test_objects_have_fields_and_methods():
    wanted = "&{2} 2 box 2 box 5 &{7} box 3"
    text = "{{ . }} {{ .Size }} {{ .Name }} {{ (.Grow 3).Name }} {{ 5 | .Grow }} {{ (.Grow 1).Name }}"
    assert render(text, Box(2)) == wanted
    assert render("{{ range lst . }}{{ .Size }}{{ end }}", Box(2)) == "2"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ .Nope }}", "<.Nope>: can't evaluate field Nope in type *main.Box"),
        ("{{ .Size 1 }}", "<.Size>: Size has arguments but cannot be invoked as function"),
        ("{{ .Grow }}", "<.Grow>: wrong number of args for Grow: want 1 got 0"),
        ("{{ .Grow 1 2 }}", "<.Grow>: wrong number of args for Grow: want 1 got 2"),
        ('{{ .Grow "x" }}', '<"x">: expected integer; found "x"'),
        ("{{ .Name.Nope }}", "<.Name.Nope>: can't evaluate field Nope in type string"),
    ],
)
def test_missing_fields_of_objects_are_reported(text, wanted):
    assert reason(text, Box(2)).endswith(wanted)


def test_times_have_their_methods():
    time = Time(1709202030 * 10**9, UTC)
    text = '{{ .Format "2006-01-02" }} {{ .Year }} {{ .Month }} {{ (.Sub .).Seconds }} {{ printf "%T %T" . .Month }}'
    assert render(text, time) == "2024-02-29 2024 February 0 time.Time time.Month"
    assert "function Date has 3 return values" in reason("{{ .Date }}", time)


def test_functions_can_be_looked_up_on_use():
    names = []

    class Lazy:
        def __contains__(self, name):
            return name in FUNCTIONS

        def __getitem__(self, name):
            names.append(name)
            return FUNCTIONS[name]

    template = parse("{{ str .s }}{{ if .no }}{{ num 1 }}{{ end }}", "t", Lazy())
    assert names == []
    assert template.render({"s": "x"}) == "x"
    assert set(names) == {"str", "num"}
