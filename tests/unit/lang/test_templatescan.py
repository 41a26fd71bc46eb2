# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.lang.templatescan import has_expression, only_expression, scan
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.growth import TEMPLATES
from tests.unit.work import assert_linear


def parts(text: str) -> list[object]:
    return [part if isinstance(part, str) else (part.source,) for part in scan(text)]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("{{ a }}", [("a",)]),
        ("a {{b}} c${d}", ["a ", ("b",), " c", ("d",)]),
        ("{{}}", [("",)]),
        ("{{\n\u00a0 x }}", [("x",)]),
        ("${{ x }}", ["$", ("x",)]),
        ("$${x}", ["$", ("x",)]),
        ("\\{{a}}", ["\\", ("a",)]),
        ("${ {a: {b: 2}} }", [("{a: {b: 2}}",)]),
        ("{{ {a: {b: 2}} }}", [("{a: {b: 2",), " }}"]),
        ('{{ "}}" }}', [('"}}"',)]),
        ("{{ '\\'}}' }}", [("'\\'}}'",)]),
        ("${ `\\` }", [("`\\`",)]),
        ("{{ a }", ["{{ a }"]),
        ('{{ " }} {{ b }}', ['{{ " }} ', ("b",)]),
        ("${ { {{ c }}", ["${ { ", ("c",)]),
        ("{{{ a }}}", [("{ a",), "}"]),
        ("$ {a} {b", ["$ {a} {b"]),
    ],
)
def test_scan(text: str, want: list[object]) -> None:
    assert parts(text) == want
    assert has_expression(text) == any(isinstance(part, tuple) for part in want)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("", None),
        ("x", None),
        ("{{ a }}", "a"),
        (" \n{{ a }}\t", "a"),
        ("${ a }", "a"),
        ("${{ a }}", None),
        ("{{ a }}{{ b }}", None),
        ("{{ a }} b", None),
        ("{{}}", ""),
        ("{{", None),
    ],
)
def test_only_expression(text: str, source: str | None) -> None:
    assert only_expression(text) == source


def reference(text: str) -> list[tuple[int, int]]:
    """The rule of behaviour.md 11.2 implemented literally, without optimisation."""
    found = []
    i = 0
    while i < len(text):
        if text.startswith("${{", i) or not text.startswith(("{{", "${"), i):
            i += 1
            continue
        end = closer(text, i + 2, text[i] == "$")
        if end:
            found.append((i, end))
        i = end or i + 2
    return found


def closer(text: str, i: int, dollar: bool) -> int:
    depth, quote = 1, ""
    while i < len(text):
        char = text[i]
        if quote:
            if char == "\\" and quote != "`":
                i += 1
            elif char == quote:
                quote = ""
        elif char in "\"'`":
            quote = char
        elif dollar:
            depth += {"{": 1, "}": -1}.get(char, 0)
            if not depth:
                return i + 1
        elif text.startswith("}}", i):
            return i + 2
        i += 1
    return 0


@given(st.text("{}$\"'`\\ a", max_size=40))
def test_the_fast_scan_finds_the_same(text: str) -> None:
    found = [part for part in scan(text) if not isinstance(part, str)]
    assert [(part.start, part.end) for part in found] == reference(text)
    rebuilt = "".join(part if isinstance(part, str) else text[part.start : part.end] for part in scan(text))
    assert rebuilt == text


@pytest.mark.parametrize("unit", TEMPLATES)
def test_the_work_grows_linearly_with_the_length(unit: str) -> None:
    assert_linear(lambda size: lambda: has_expression(unit * size), 2000)
    assert_linear(lambda size: lambda: scan(unit * size + "}" * size), 2000)
