# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import math

import pytest
from ccm.lang.go import fmt as gofmt


class Span:
    def go_text(self) -> str:
        return "1h30m0s"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "<nil>"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (9007199254740993, "9007199254740993"),
        (8.0, "8"),
        (-0.0, "-0"),
        (1.5, "1.5"),
        (100000.5, "100000.5"),
        (999999.0, "999999"),
        (1000000.0, "1e+06"),
        (1234567.5, "1.2345675e+06"),
        (1e23, "1e+23"),
        (1e300, "1e+300"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (0.00012345, "0.00012345"),
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (-math.inf, "-Inf"),
        ("plain text", "plain text"),
        ([], "[]"),
        ([1, "two", 3.5, True, None], "[1 two 3.5 true <nil>]"),
        (("a", ["b", []]), "[a [b []]]"),
        ({}, "map[]"),
        ({"b": 1, "a": {"y": [1], "x": None}}, "map[a:map[x:<nil> y:[1]] b:1]"),
        ({2: "b", 10: "c", 1: "a"}, "map[1:a 2:b 10:c]"),
        ({"a": 1, 7: 2, None: 3, True: 4, 0.5: 5}, "map[<nil>:3 a:1 7:2 0.5:5 true:4]"),
        (Span(), "1h30m0s"),
        ([Span()], "[1h30m0s]"),
        (b"ab", "[97 98]"),
        (2j, "(0+2i)"),
        ([1.5 - 1e6j, complex(math.inf, math.nan)], "[(1.5-1e+06i) (+Inf+NaNi)]"),
    ],
)
def test_sprint(value: object, text: str) -> None:
    assert gofmt.sprint(value) == text


def test_sprint_of_a_cycle_or_an_unknown_type_is_an_error() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    for value in (cycle, object(), 10**5000):
        with pytest.raises(gofmt.GoFormatError):
            gofmt.sprint(value)


def test_a_mapping_is_read_through_its_keys() -> None:
    class Facts(dict[str, object]):
        def __getitem__(self, key: str) -> str:
            return "gathered " + key

    assert gofmt.sprint(Facts(b=None, a=None)) == "map[a:gathered a b:gathered b]"


@pytest.mark.parametrize(
    ("value", "text"), [(1e21, "1" + "0" * 21), (1e-7, "0.0000001"), (-12.5, "-12.5"), (math.inf, "+Inf")]
)
def test_float_plain(value: float, text: str) -> None:
    assert gofmt.float_plain(value) == text
