# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Time zones of the IANA data base: the files of ``/usr/share/zoneinfo`` (RFC 9636), read without any library."""

from __future__ import annotations

from struct import calcsize, unpack_from
from struct import error as StructError

from .calendar import civil, days, days_before_year, month_length, weekday
from .times import LOCAL, UTC, Location, TimeFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Tuple

    #: Offset from UTC in seconds, abbreviation, whether it is summer time.
    Zone = Tuple[int, str, bool]

_DIRECTORIES = ("/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo")
_DAY = 86400
_loaded: dict[str, Location] = {}


def read_zone_file(name: str) -> bytes | None:
    """Return the content of a zone's file on this machine, None if there is none."""
    for directory in _DIRECTORIES:
        try:
            with open(directory + "/" + name, "rb") as file:
                return file.read(1 << 20)
        except (OSError, ValueError):
            continue
    return None


def load(name: str, read: Callable[[str], bytes | None] = read_zone_file) -> Location:
    """Return the place ``name`` (``Europe/Berlin``, ``UTC``, ``Local``). Raises TimeFault where there is none."""
    if name in ("", "UTC"):
        return UTC
    if name == "Local":
        return LOCAL
    found = _loaded.get(name)
    if found is None:
        if ".." in name or name[0] in "/\\" or "\\" in name:
            raise TimeFault("time: invalid location name")
        data = read(name)
        if data is None or data[:4] != b"TZif":
            raise TimeFault("unknown time zone " + name)
        if len(_loaded) > 64:
            _loaded.clear()
        found = _loaded[name] = _parse(name, data)
    return found


class ZoneLocation(Location):
    """A place whose clock changes: past changes as a list, future ones as a rule.

    ``zones`` is what the clock shows from each of the ``moments`` on, ``known`` all that it ever shows.
    """

    __slots__ = ("_first", "_known", "_moments", "_rule", "_zones")

    def __init__(self, name: str, moments: list[int], zones: list[Zone], known: list[Zone], rule: _Rule | None) -> None:
        super().__init__(name)
        self._moments = moments
        self._zones = zones
        self._known = known
        self._first = _first(zones, known)
        self._rule = rule

    def zone(self, seconds: int) -> tuple[int, str]:
        """Return offset and abbreviation at a Unix time."""
        return self._at(seconds)[:2]

    def is_summer(self, seconds: int) -> bool:
        """Return whether it is summer time here at a Unix time."""
        return self._at(seconds)[2]

    def _at(self, seconds: int) -> Zone:
        from bisect import bisect_right

        at = bisect_right(self._moments, seconds)
        if at == len(self._moments) and self._rule is not None:
            return self._rule.zone(seconds)
        return self._zones[at - 1] if at else self._first

    def abbreviations(self, seconds: int) -> list[tuple[int, str]]:
        """Return offsets and abbreviations that the clock here showed or shows, in the order of the file."""
        return [zone[:2] for zone in self._known]


def _first(zones: list[Zone], known: list[Zone]) -> Zone:
    """Return what the clock showed before the first change: a zone that no change leads to, or standard time."""
    if known[0] not in zones:
        return known[0]
    standard = [zone for zone in known if not zone[2]]
    if zones[0][2]:
        before = [zone for zone in known[: known.index(zones[0])] if not zone[2]]
        standard = before[::-1] or standard
    return standard[0] if standard else known[0]


def _parse(name: str, data: bytes) -> Location:
    def section(start: int, width: str) -> tuple[list[int], list[Zone], list[Zone], int]:
        utc, standard, leaps, moments, types, letters = unpack_from(">6l", data, start + 20)
        at = start + 44
        changes = list(unpack_from(f">{moments}{width}", data, at))
        at += moments * calcsize(">" + width)
        indexes = data[at : at + moments]
        at += moments
        raw = [unpack_from(">lBB", data, at + 6 * index) for index in range(types)]
        at += 6 * types
        text = data[at : at + letters]
        at += letters + leaps * (calcsize(">" + width) + 4) + standard + utc
        known = [
            (offset, text[index:].split(b"\0", 1)[0].decode("ascii", "replace"), bool(summer))
            for offset, summer, index in raw
        ]
        return changes, [known[index] for index in indexes], known, at

    try:
        moments, zones, known, end = section(0, "l")
        rule = None
        if data[4:5] >= b"2":
            moments, zones, known, end = section(end, "q")
            rule = _Rule.parse(data[end + 1 :].split(b"\n", 1)[0].decode("ascii", "replace"))
        return ZoneLocation(name, moments, zones, known, rule)
    except (StructError, IndexError, ValueError):
        raise TimeFault("malformed time zone information") from None


class _Rule:
    """The POSIX rule in the last line of a file: ``CET-1CEST,M3.5.0,M10.5.0/3``."""

    __slots__ = ("begin", "end", "standard", "summer")

    def __init__(self, standard: Zone, summer: Zone | None, begin: str, end: str) -> None:
        self.standard = standard
        self.summer = summer
        self.begin = begin
        self.end = end

    @classmethod
    def parse(cls, text: str) -> _Rule | None:
        """Return the rule in ``text``, None when it is empty. Raises ValueError for a malformed one."""
        if not text:
            return None
        names, *changes = text.split(",")
        name, rest = _rule_name(names)
        offset, rest = _rule_offset(rest)
        standard = (-offset, name, False)
        if not rest:
            return cls(standard, None, "", "")
        name, rest = _rule_name(rest)
        summer = (_rule_offset(rest)[0] * -1 if rest else standard[0] + 3600, name, True)
        if len(changes) != 2:
            raise ValueError("no changes")
        return cls(standard, summer, changes[0], changes[1])

    def zone(self, seconds: int) -> Zone:
        """Return what the clock shows at a Unix time."""
        if self.summer is None:
            return self.standard
        year = civil((seconds + self.standard[0]) // _DAY)[0]
        begin = _moment(self.begin, year) - self.standard[0]
        end = _moment(self.end, year) - self.summer[0]
        inside = begin <= seconds < end if begin < end else not end <= seconds < begin
        return self.summer if inside else self.standard


def _rule_name(text: str) -> tuple[str, str]:
    if text.startswith("<"):
        end = text.index(">")
        return text[1:end], text[end + 1 :]
    end = 0
    while end < len(text) and text[end].isalpha():
        end += 1
    return text[:end], text[end:]


def _rule_offset(text: str) -> tuple[int, str]:
    end = 0
    while end < len(text) and text[end] in "+-:0123456789":
        end += 1
    return _clock(text[:end]), text[end:]


def _clock(text: str) -> int:
    hours, minutes, seconds = (text.lstrip("+-") + ":0:0").split(":")[:3]
    value = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return -value if text.startswith("-") else value


def _moment(text: str, year: int) -> int:
    """Return the second (on the clock, since 1970) of a change such as ``M3.5.0/2`` in a year."""
    date, _slash, clock = text.partition("/")
    seconds = _clock(clock) if clock else 7200
    if date.startswith("M"):
        month, week, day = map(int, date[1:].split("."))
        first = days(year, month, 1)
        number = first + (day - weekday(first)) % 7 + 7 * (week - 1)
        if number >= first + month_length(year, month):
            number -= 7
    elif date.startswith("J"):
        count = int(date[1:])
        leap = count > 59 and month_length(year, 2) == 29
        number = days_before_year(year) + count - (0 if leap else 1)
    else:
        number = days_before_year(year) + int(date)
    return number * _DAY + seconds
