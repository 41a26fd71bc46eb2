# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.lang import durations
from ccm.lang.durations import DurationError
from ccm.lang.spans import format_go
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.work import assert_linear

SECOND = 10**9
HOUR = 3600 * SECOND


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("10s", 10 * SECOND),
        ("1h30m", 5400 * SECOND),
        ("1h 30m", 5400 * SECOND),
        ("1d", 24 * HOUR),
        ("1D", 24 * HOUR),
        ("1w", 168 * HOUR),
        ("2M", 1440 * HOUR),
        ("1y", 8760 * HOUR),
        ("1.5d", 36 * HOUR),
        ("0.1d", 2 * HOUR),
        ("1.1w", 184 * HOUR),
        ("1d2h", 26 * HOUR),
        ("-1m1d", -(60 * SECOND + 24 * HOUR)),
        ("1m-1s", 61 * SECOND),
        ("0", 0),
        ("x5s", 5 * SECOND),
        ("1s2", SECOND),
        ("1.5us", 1500),
    ],
)
def test_parse(text: str, span: int) -> None:
    assert durations.parse(text) == span


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "invalid duration"),
        ("5", "invalid duration"),
        (" 0 ", "invalid duration"),
        ("bogus", "invalid duration"),
        ("5µs", "invalid duration"),
        ("5q", "invalid duration: invalid unit q"),
        ("10S", "invalid duration: invalid unit S"),
        ("1..2h", 'invalid duration: time: missing unit in duration "1..2h"'),
        (".h", 'invalid duration: time: invalid duration ".h"'),
        ("1.2.3d", 'invalid duration: strconv.ParseFloat: parsing "1.2.3": invalid syntax'),
        ("9" * 50 + "d", 'invalid duration: strconv.ParseFloat: parsing "%s": value out of range' % ("9" * 50)),
        ("9" * 20 + "h", 'invalid duration: time: invalid duration "%sh"' % ("9" * 20)),
        ("999y", "invalid duration: value out of range"),
        ("200y200y", "invalid duration: value out of range"),
    ],
)
def test_errors_of_parse(text: str, message: str) -> None:
    with pytest.raises(DurationError) as caught:
        durations.parse(text)
    assert str(caught.value) == message


def test_very_long_text_is_refused_in_few_steps() -> None:
    def refused(size: int) -> None:
        for text in ("1" * size, "9" * size + "d", "0" * size + "1" * 9000 + "h", "0." + "0" * size + "x"):
            with pytest.raises(DurationError):
                durations.parse(text)

    assert durations.parse("0" * 10000 + "1h") == HOUR
    assert_linear(lambda size: lambda: refused(size), 10_000)
    refused(300_000)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("0", 0),
        ("-0", 0),
        ("1.5h", 5400 * SECOND),
        ("+2h45m", 9900 * SECOND),
        ("1µs1μs1us", 3000),
        (".5s", SECOND // 2),
        ("5.s", 5 * SECOND),
        ("9223372036854775807ns", (1 << 63) - 1),
        ("-9223372036854775808ns", -(1 << 63)),
        ("0.100000000000000000000h", 360 * SECOND),
    ],
)
def test_parse_go(text: str, span: int) -> None:
    assert durations.parse_go(text) == span


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("x", 'time: invalid duration "x"'),
        ("-.s", 'time: invalid duration "-.s"'),
        ("5", 'time: missing unit in duration "5"'),
        ("5q", 'time: unknown unit "q" in duration "5q"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("1é", 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'),
        ('1"', 'time: unknown unit "\\"" in duration "1\\""'),
        ("9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'),
        ("3000000h", 'time: invalid duration "3000000h"'),
    ],
)
def test_errors_of_parse_go(text: str, message: str) -> None:
    with pytest.raises(DurationError) as caught:
        durations.parse_go(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (-1500, "-1.5µs"),
        (14 * 10**6, "14ms"),
        (1500 * 10**6, "1.5s"),
        (60 * SECOND, "1m0s"),
        (5400 * SECOND, "1h30m0s"),
        (90 * 24 * HOUR + 1, "2160h0m0.000000001s"),
    ],
)
def test_format_go(span: int, text: str) -> None:
    assert format_go(span) == text


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_formatted_durations_are_parsed_back(span: int) -> None:
    assert durations.parse_go(format_go(span)) == span
