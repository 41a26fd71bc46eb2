# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sprig's functions for times and durations."""

from __future__ import annotations

import time

import pytest

from tests.unit.lang.gotemplate.sprig.rendering import outcome

#: A call, and its type and value in Go, or its error.
OUTCOMES = [
    ('date "2006-01-02 15:04:05 MST" 0', "string|1970-01-01 00:00:00 UTC"),
    ('date "2006-01-02 15:04:05" (int64 1709202612)', "string|2024-02-29 10:30:12"),
    ('date "Mon Jan _2 3:04PM" (toDate "2006-01-02 15:04" "2024-02-29 14:30")', "string|Thu Feb 29 2:30PM"),
    ('dateInZone "15:04 MST -07:00" (toDate "2006-01-02" "2024-07-01") "Europe/Berlin"', "string|02:00 CEST +02:00"),
    ('dateInZone "15:04 MST" 0 "Nowhere/Land"', "string|00:00 UTC"),
    ('date_in_zone "15:04 MST" 0 ""', "string|00:00 UTC"),
    ("htmlDate 86400", "string|1970-01-02"),
    ('htmlDateInZone 86399 "Asia/Tokyo"', "string|1970-01-02"),
    ('toDate "2006-01-02" "2024-02-29"', "time.Time|2024-02-29 00:00:00 +0000 UTC"),
    ('toDate "2006-01-02" "nope"', "time.Time|0001-01-01 00:00:00 +0000 UTC"),
    ('mustToDate "2006-01-02" "2024-02-30"', 'mustToDate: parsing time "2024-02-30": day out of range'),
    ('mustToDate "2006-01-02" "2024-13-01"', 'mustToDate: parsing time "2024-13-01": month out of range'),
    (
        'mustToDate "2006 é" "x\\r"',
        'mustToDate: parsing time "x\\x0d" as "2006 \\xc3\\xa9": cannot parse "x\\x0d" as "2006"',
    ),
    (
        'mustToDate "15:04:05.000" "10:20:30.-12"',
        'mustToDate: parsing time "10:20:30.-12": fractional second out of range',
    ),
    (
        'mustToDate "Z07:00:00" "+01:00:75"',
        'mustToDate: parsing time "+01:00:75": time zone offset second out of range',
    ),
    ('mustToDate "06" "1"', 'mustToDate: parsing time "1" as "06": cannot parse "1" as "06"'),
    ('unixEpoch (toDate "2006-01-02  15:04" "2024-02-29  10:00")', "string|1709200800"),
    ('mustToDate "15:04" "12:30 "', 'mustToDate: parsing time "12:30 ": extra text: " "'),
    ('unixEpoch (toDate "2006-01-02" "2024-02-29")', "string|1709164800"),
    ('unixEpoch (toDate "2006" "x")', "string|-62135596800"),
    ('dateModify "-1.5h" (toDate "2006-01-02" "2024-02-29")', "time.Time|2024-02-28 22:30:00 +0000 UTC"),
    ('dateModify "x" (toDate "2006-01-02" "2024-02-29")', "time.Time|2024-02-29 00:00:00 +0000 UTC"),
    ('date_modify "24h" (toDate "2006-01-02" "2024-02-29")', "time.Time|2024-03-01 00:00:00 +0000 UTC"),
    (
        'mustDateModify "1d" (toDate "2006-01-02" "2024-02-29")',
        'mustDateModify: time: unknown unit "d" in duration "1d"',
    ),
    ('must_date_modify "" (toDate "2006-01-02" "2024-02-29")', 'must_date_modify: time: invalid duration ""'),
    ('duration "95"', "string|1m35s"),
    ("duration 95", "string|0s"),
    ("duration (int64 95)", "string|1m35s"),
    ('duration "1x"', "string|0s"),
    ('duration "99999999999999999999"', "string|-1s"),
    ('durationRound "2h10m5s"', "string|2h"),
    ('durationRound "2400h10m5s"', "string|3mo"),
    ('durationRound "-8761h"', "string|1y"),
    ('durationRound "24h"', "string|24h"),
    ('durationRound "59.9s"', "string|59s"),
    ('durationRound "1s"', "string|0s"),
    ('durationRound "x"', "string|0s"),
    ("durationRound (int64 7200000000001)", "string|2h"),
    ("durationRound 7200000000001", "string|0s"),
]


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("call", "wanted"), OUTCOMES)
def test_outcome(call, wanted):
    assert outcome(call) == wanted
