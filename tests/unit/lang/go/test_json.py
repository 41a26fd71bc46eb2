# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import math

import pytest
from ccm.lang.go import json as gojson
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ([True, False], "[true,false]"),
        (12345678901234567890, "12345678901234567890"),
        (1.0, "1"),
        (-0.0, "-0"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-300, "1.5e-300"),
        ({"b": [], "a": {}, "B": ()}, '{"B":[],"a":{},"b":[]}'),
        ({2: "x", None: "y"}, '{"2":"x","\\u003cnil\\u003e":"y"}'),
        ('<a href="x">&\u2028\u2029', '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u2029"'),
        ("\b\f\n\r\t\x00\x1f\x7fé", '"\\b\\f\\n\\r\\t\\u0000\\u001f\x7fé"'),
        ("\udc80", '"\\ufffd"'),
        ({"b": b"hi"}, '{"b":"aGk="}'),
    ],
)
def test_marshal(value: object, text: str) -> None:
    assert gojson.marshal(value) == text


def test_marshal_indented() -> None:
    value = {"b": [1, {"x": 2}], "a": {}, "c": []}
    want = '{\n  "a": {},\n  "b": [\n    1,\n    {\n      "x": 2\n    }\n  ],\n  "c": []\n}'
    assert gojson.marshal(value, "  ") == want
    assert gojson.marshal(value, 2) == want


def test_marshal_can_keep_order_and_angle_brackets() -> None:
    assert gojson.marshal({"b": "<", "a": "&"}, sort_keys=False, escape_html=False) == '{"b":"<","a":"&"}'


def test_objects_can_define_their_json_and_mappings_keep_their_order() -> None:
    class Own(dict):
        keep_order = True

    class Span:
        def go_json(self) -> object:
            return {"b": 1, "a": Own(z=1, y=2)}

    assert gojson.marshal([Span()]) == '[{"a":{"z":1,"y":2},"b":1}]'


def test_values_without_a_json_form_are_an_error() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    for value in (math.nan, -math.inf, object(), cycle, 10**5000):
        with pytest.raises(gojson.GoJSONError, match="json: "):
            gojson.marshal(value)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_the_text_is_read_back_as_the_value(value: object) -> None:
    assert json.loads(gojson.marshal(value), parse_int=float) == value
    assert json.loads(gojson.marshal(value, "\t"), parse_int=float) == value
