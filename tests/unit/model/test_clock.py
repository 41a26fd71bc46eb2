# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times and ids of events: ids sort as they were made, in one process and in several."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ccm.engine.session_directory import is_event_id
from ccm.model.clock import DIGITS, base62, id_after, new_event_id, timestamp


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1700000000_000000000, "2023-11-14T22:13:20Z"),
        (1700000000_120000000, "2023-11-14T22:13:20.12Z"),
        (1700000000_000000001, "2023-11-14T22:13:20.000000001Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
    ],
)
def test_a_timestamp_is_in_utc_without_trailing_zeros(moment, text):
    assert timestamp(moment) == text


def test_a_timestamp_is_of_now_by_default(monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: 1_500_000_000)
    assert timestamp() == "1970-01-01T00:00:01.5Z"


@pytest.mark.starts_processes
def test_ids_sort_in_the_order_of_creation_across_processes():
    program = "from ccm.model.clock import new_event_id\nprint(*[new_event_id() for n in range(200)], sep='\\n')"
    made = []
    for _round in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        made += done.stdout.split()
    assert made == sorted(made)
    assert len(set(made)) == 600
    assert all(map(is_event_id, made))


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0" * 27), (61, "0" * 26 + "z"), (62, "0" * 25 + "10"), (62**27 - 1, "z" * 27)]
)
def test_a_number_as_the_text_of_an_id(number, text):
    assert base62(number) == text


def test_the_digits_sort_like_their_values():
    assert list(DIGITS) == sorted(DIGITS)


def test_an_id_after_an_earlier_one_keeps_its_random_part():
    early, late = base62((5 << 96) | 17), base62((9 << 96) | 42)
    assert id_after(early, late) == base62((10 << 96) | 17)
    assert id_after(early, late) > late


def test_after_the_last_id_there_is_no_later_one():
    given, last = new_event_id(), base62((1 << 160) - 1)
    assert id_after(given, last) == given
