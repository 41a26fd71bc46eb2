# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Time zones from their files: past changes, the rule for the future, abbreviations."""

from __future__ import annotations

import struct

import pytest
from ccm.lang.go.time import zones
from ccm.lang.go.time.layout import format_time, parse_time
from ccm.lang.go.time.times import Time, TimeFault


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
