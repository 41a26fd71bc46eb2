# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import subprocess
import sys

import pytest
from ccm.data.environment import Environment
from ccm.data.templates import expand_values, resolve_match, resolve_string, resolve_typed
from ccm.model.errors import Position, TemplateError

ENVIRONMENT = Environment(
    {"a": 1, "n": None, "l": [1, "x"], "m": {"k": "v"}, "f": 3.0, "big": 1e21, "e": "", "t": "{{ 1 }}"},
    {"port": 8080},
    {"HOME": "/root"},
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("x{{ Facts.a }}y${ Data.port }z", "x1y8080z"),
        ("${{ Facts.a }} $${ Facts.a }", "$1 $1"),
        ("{{ Facts.n }} {{ Facts.l }} {{ Facts.m }}", "<nil> [1 x] map[k:v]"),
        ("{{ Facts.f }} {{ Facts.big }} {{ 1000000.0 }}", "3 1e+21 1e+06"),
        ("{{ Facts.t }}", "{{ 1 }}"),
        (" {{ Facts.a }} ", " 1 "),
        ("{{ Facts.a", "{{ Facts.a"),
        ("{{ Environ.HOME }}{{ Environ.NONE }}", "/root"),
        ("%{Facts.a} {Facts.a}", "%{Facts.a} {Facts.a}"),
    ],
)
def test_resolve_string(text, value):
    assert resolve_string(text, ENVIRONMENT) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ Facts.a }}", 1),
        (" \n{{ Facts.l }}\t", [1, "x"]),
        ("${ Facts.n }", None),
        ("x{{ Facts.a }}", "x1"),
        ("{{ Facts.a }}{{ Facts.a }}", "11"),
        ("{{ Facts.a", "{{ Facts.a"),
        ("  plain  ", "  plain  "),
        ("", ""),
    ],
)
def test_resolve_typed(text, value):
    found = resolve_typed(text, ENVIRONMENT)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value", "matched"),
    [
        ("plain", "plain", True),
        ("", "", False),
        ("{{", "{{", True),
        ("x{{ Facts.n }}", "x<nil>", False),
        ("x{{ Facts.e }}", "x", False),
        ("{{ Facts.e }}{{ Facts.a }}", "1", True),
        ("{{ Facts.a }}{{ Facts.e }}", "1", True),
        ("{{ 0 }}", "0", True),
        ("{{ false }}", "false", True),
        ("{{ [] }}", "[]", True),
    ],
)
def test_resolve_match(text, value, matched):
    assert resolve_match(text, ENVIRONMENT) == (value, matched)


def test_values_at_any_depth_are_resolved_and_keys_are_not():
    value = {"{{ 1 }}": ["{{ 2 }}", {"a": "x{{ 3 }}"}, 4, None, True]}
    assert expand_values(value, ENVIRONMENT) == {"{{ 1 }}": [2, {"a": "x3"}, 4, None, True]}
    assert value["{{ 1 }}"][0] == "{{ 2 }}"


def test_a_value_that_fails_has_a_position():
    with pytest.raises(TemplateError) as caught:
        expand_values({"a": ["x", "{{ nosuch }}"]}, ENVIRONMENT, lambda path: Position("/".join(map(str, path)), 1, 2))
    assert str(caught.value.position) == "a/1:1:2"


def test_a_value_that_is_too_deep_to_print_is_an_error():
    nested = []
    for _level in range(5000):
        nested = [nested]
    with pytest.raises(TemplateError):
        resolve_string("x{{ Data.a }}", Environment({}, {"a": nested}))


@pytest.mark.starts_processes
def test_texts_without_expressions_import_no_language():
    program = """
import sys
from ccm.data.environment import Environment
from ccm.data.templates import expand_values, resolve_match, resolve_string, resolve_typed
environment = Environment({}, {}, {})
for resolve in (resolve_match, resolve_string, resolve_typed, expand_values):
    resolve("text { } $", environment)
print([name for name in sys.modules if name.startswith(("ccm.lang", "ccm.host"))])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
