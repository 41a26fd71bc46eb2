# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of all types, data, and rendering for the tests of Go templates."""

from __future__ import annotations

import pytest
from ccm.lang.go.fmt import sprint
from ccm.lang.go.kinds import IntList, StringList, Uint32, Uint64
from ccm.lang.go.time.times import Duration
from ccm.lang.go.values import Int64, StringMap
from ccm.lang.gotemplate.errors import TemplateFault
from ccm.lang.gotemplate.function import CallError, Function
from ccm.lang.gotemplate.template import parse


def failing_function(text):
    raise CallError(text)


FUNCTIONS = {
    "str": Function(lambda text: text, "string"),
    "num": Function(lambda number: number, "int"),
    "i64": Function(Int64, "int64"),
    "u32": Function(Uint32, "uint32"),
    "u64": Function(Uint64, "int"),
    "flt": Function(lambda number: number, "float64"),
    "boo": Function(lambda truth: truth, "bool"),
    "lst": Function(lambda *values: list(values), "...any"),
    "strs": Function(lambda *values: StringList(values), "...string"),
    "ints": Function(lambda *values: IntList(values), "...int"),
    "smap": Function(lambda *values: StringMap(zip(values[::2], values[1::2], strict=True)), "...string"),
    "byt": Function(lambda text: text.encode("utf-8", "surrogateescape"), "string"),
    "islst": Function(len, "[]any"),
    "ismap": Function(len, "map[string]any"),
    "two": Function(lambda text, *numbers: text + sprint(list(numbers)), "string", "...int"),
    "bad": Function(failing_function, "string"),
    "any": Function(lambda value: value, "any"),
    "dur": Function(Duration, "int"),
    "cplx": Function(complex, "float64", "float64"),
    "told": Function(lambda context, text: context + text, "string", with_context=True),
}
DATA = {
    "a": {"b": {"c": 5}},
    "s": "text",
    "n": None,
    "l": [1, "x", None, [1, 2]],
    "i": 3,
    "f": 1.5,
    "t": True,
    "m": {"z": 1, "y": "q"},
    "e": [],
    "em": {},
}


def render(text, data=..., left="", right=""):
    return parse(text, "t", FUNCTIONS, left, right).render(DATA if data is ... else data, "context:")


def reason(text, data=...):
    """Return the message of an error in a template, without the common beginning of all messages."""
    with pytest.raises(TemplateFault) as caught:
        render(text, data)
    message = str(caught.value)
    assert message.startswith("template: t:")
    return message[len("template: t:") :]
