# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Time zones from their files: past changes, the rule for the future, abbreviations."""

from __future__ import annotations

import struct
import time as clock

import pytest
from ccm.lang.go.time import zones
from ccm.lang.go.time.layout import format_time
from ccm.lang.go.time.parsing import parse_time
from ccm.lang.go.time.times import LOCAL, Time, TimeFault


def zone_file(rule, moments=(), kinds=((0, 0, 0),), letters=b"LMT\0"):
    """Return a file of version 2 with changes (second, index of kind) and kinds (offset, summer?, index of letters)."""

    def section(width):
        out = b"TZif2" + b"\0" * 15 + struct.pack(">6l", 0, 0, 0, len(moments), len(kinds), len(letters))
        out += b"".join(struct.pack(">" + width, second) for second, _index in moments)
        out += bytes(index for _second, index in moments)
        return out + b"".join(struct.pack(">lBB", *kind) for kind in kinds) + letters

    return section("l") + section("q") + b"\n" + rule + b"\n"


BERLIN = zone_file(
    b"CET-1CEST,M3.5.0,M10.5.0/3",
    [(-2147483648, 1), (1711846800, 2), (1729990800, 1)],
    [(3208, 0, 0), (3600, 0, 4), (7200, 1, 8)],
    b"LMT\0CET\0CEST\0",
)
SYDNEY = zone_file(b"AEST-10AEDT,M10.1.0,M4.1.0/3")
INDIA = zone_file(b"<+0530>-5:30")


def place(data):
    zones._loaded.clear()
    return zones.load("Test/Zone", lambda name: data)


@pytest.mark.parametrize(
    ("data", "seconds", "zone"),
    [
        (BERLIN, -3000000000, (3208, "LMT")),
        (BERLIN, 1711846799, (3600, "CET")),
        (BERLIN, 1711846800, (7200, "CEST")),
        (BERLIN, 2087000000, (3600, "CET")),
        (BERLIN, 2100000000, (7200, "CEST")),
        (INDIA, 0, (19800, "+0530")),
    ],
)
def test_local_times(data, seconds, zone):
    assert place(data).zone(seconds) == zone


def test_summer_time_in_the_southern_hemisphere_includes_the_new_year():
    sydney = place(zone_file(b"AEST-10AEDT,M10.1.0,M4.1.0/3", [(0, 0)]))
    assert [sydney.zone(second)[1] for second in (1704067200, 1719792000, 1735603200)] == ["AEDT", "AEST", "AEDT"]


def test_a_time_of_day_in_a_zone():
    berlin = place(BERLIN)
    time = parse_time("2024-07-01 12:00", "2006-01-02 15:04", berlin, berlin)
    assert time.go_text() == "2024-07-01 12:00:00 +0200 CEST"
    assert format_time(Time(time.ns), "15:04 MST") == "10:00 UTC"
    named = parse_time("2024-01-01 12:00 CET", "2006-01-02 15:04 MST", berlin, berlin)
    assert named.ns == 1704106800 * 10**9


SEOUL = zone_file(
    b"KST-9",
    [(-1948782472, 1), (-1830414600, 2), (-498128400, 1), (-264931200, 3)],
    [(30472, 0, 0), (30600, 0, 4), (32400, 0, 8), (32400, 0, 4)],
    b"LMT\0KST\0JST\0",
)


@pytest.mark.parametrize(
    ("data", "text", "offset"),
    [
        # The name has the offset of its time, not the first one that it ever had.
        (SEOUL, "2024-07-29 09:04 KST", 32400),
        (SEOUL, "1955-01-01 00:00 KST", 30600),
        # Not in use then: the first offset that it ever had.
        (SEOUL, "1930-01-01 00:00 KST", 30600),
        (BERLIN, "2024-01-15 12:00 CEST", 7200),
        (BERLIN, "2024-06-01 12:00 LMT", 3208),
    ],
)
def test_an_abbreviation_has_the_offset_of_its_time(data, text, offset):
    location = place(data)
    layout = "2006-01-02 15:04"
    named = parse_time(text, layout + " MST", location, location)
    assert parse_time(text.rpartition(" ")[0], layout).ns - named.ns == offset * 10**9


@pytest.mark.parametrize(
    ("text", "offset"),
    [("2024-07-01 12:00 EDT", -14400), ("2024-07-01 12:00 EST", -18000), ("2024-01-01 12:00 EDT", -14400)],
)
def test_an_abbreviation_of_the_machine_is_known_all_the_year(monkeypatch, text, offset):
    monkeypatch.setenv("TZ", "EST5EDT,M3.2.0,M11.1.0")
    clock.tzset()
    try:
        assert LOCAL.named(text[-3:], parse_time(text[:-4], "2006-01-02 15:04").ns // 10**9) == offset
    finally:
        monkeypatch.undo()
        clock.tzset()


def test_the_zone_before_the_first_change():
    kinds = [(3208, 0, 0), (3600, 0, 9), (7200, 1, 4)]
    letters = b"LMT\0CEST\0CET\0"
    assert place(zone_file(b"CET-1", [(0, 2), (100, 1)], kinds, letters)).zone(-1) == (3208, "LMT")
    # A change leads to the first zone: it is the standard time before the summer time of the first change.
    assert place(zone_file(b"CET-1", [(0, 2), (100, 0)], kinds, letters)).zone(-1) == (3600, "CET")


@pytest.mark.parametrize(
    "data", [None, b"", b"TZif2", b"TZif2" + b"\xff" * 60, zone_file(b"AAA-1BBB"), zone_file(b"CET-1CEST,M3")[:-30]]
)
def test_an_invalid_file(data):
    with pytest.raises(TimeFault):
        place(data)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a\\b"])
def test_a_name_outside_of_the_directory(name):
    with pytest.raises(TimeFault, match="invalid location name"):
        zones.load(name, lambda name: BERLIN)
