# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Points in time, spans and places as Go's package ``time`` has them, to the nanosecond."""

from __future__ import annotations

import time

from ...spans import format_go
from . import calendar
from .layout import format_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECOND = 10**9
_DAY = 86400
_LOWEST = -(1 << 63)


class TimeFault(Exception):
    """Text that says no time, or a place that is not known; ``message`` is Go's."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Location:
    """A place with its clock. ``zone`` gives what the clock shows; here it shows the same for ever."""

    GO_TYPE = "*time.Location"
    __slots__ = ("_abbreviation", "_offset", "name")

    def __init__(self, name: str, offset: int = 0, abbreviation: str | None = None) -> None:
        self.name = name
        self._offset = offset
        self._abbreviation = name if abbreviation is None else abbreviation

    def zone(self, seconds: int) -> tuple[int, str]:
        """Return the offset from UTC in seconds and the zone's abbreviation at a Unix time."""
        return self._offset, self._abbreviation

    def is_summer(self, seconds: int) -> bool:
        """Return whether it is summer time here at a Unix time."""
        return False

    def named(self, abbreviation: str, seconds: int) -> int | None:
        """Return the offset that an abbreviation means here, ``seconds`` being the time on the clock.

        It is the offset in force if the abbreviation was in use then, else the first offset that it ever meant.
        """
        offsets = [offset for offset, name in self.abbreviations(seconds) if name == abbreviation]
        for offset in offsets:
            in_force, name = self.zone(seconds - offset)
            if name == abbreviation:
                return in_force
        return offsets[0] if offsets else None

    def abbreviations(self, seconds: int) -> list[tuple[int, str]]:
        """Return offsets and abbreviations that the clock here showed or shows; ``seconds`` is as for ``named``."""
        return [(self._offset, self._abbreviation)]

    def seconds(self, clock: int) -> int:
        """Return the Unix time at which the clock shows ``clock`` (seconds as if the clock were UTC)."""
        offset = self.zone(clock)[0]
        guess = clock - offset
        other = self.zone(guess)[0]
        return guess if other == offset else clock - other

    def go_text(self) -> str:
        """Return the name of the place."""
        return self.name

    def go_json(self) -> dict[str, str]:
        """Return what JSON shows of a place: a Go struct without public fields."""
        return {}


class LocalLocation(Location):
    """The place of this machine, as the C library knows it."""

    __slots__ = ()

    def zone(self, seconds: int) -> tuple[int, str]:
        """Return offset and abbreviation at a Unix time."""
        here = _local(seconds)
        return (0, "UTC") if here is None else (here.tm_gmtoff, here.tm_zone)

    def is_summer(self, seconds: int) -> bool:
        """Return whether it is summer time here at a Unix time."""
        here = _local(seconds)
        return here is not None and here.tm_isdst > 0

    def abbreviations(self, seconds: int) -> list[tuple[int, str]]:
        """Return the abbreviations in force about then, and the two that the C library names."""
        return [self.zone(seconds), (-time.timezone, time.tzname[0]), (-time.altzone, time.tzname[1])]


def _local(seconds: int) -> Any:
    """Return the C library's view of a Unix time, None where it has none."""
    try:
        return time.localtime(seconds)
    except (OverflowError, ValueError, OSError):
        return None


UTC = Location("UTC")
LOCAL = LocalLocation("Local")


class Duration:
    """A span in nanoseconds (``ns``, 64 bits)."""

    GO_TYPE = "time.Duration"
    ORDERED = True
    __slots__ = ("ns",)

    def __init__(self, ns: int) -> None:
        self.ns = (ns - _LOWEST) % (1 << 64) + _LOWEST

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and self.ns == other.ns

    def __hash__(self) -> int:
        return hash(("duration", self.ns))

    def __repr__(self) -> str:
        return f"Duration({self.ns})"

    def go_text(self) -> str:
        """Return the span as Go prints it: ``1h30m0s``."""
        return format_go(self.ns)

    def go_json(self) -> int:
        """Return the form of the span in JSON: its nanoseconds."""
        return self.ns

    @staticmethod
    def calculate(operator: str, left: Any, right: Any) -> Any:
        """Return sum, difference or product with a span in it; None where there is none."""
        if isinstance(left, Duration) and isinstance(right, Duration):
            if operator == "+":
                return Duration(left.ns + right.ns)
            return Duration(left.ns - right.ns if operator == "-" else left.ns * right.ns)
        if isinstance(left, Time) or isinstance(right, Time):
            return Time.calculate(operator, left, right)
        if operator != "*":
            return None
        span, factor = (left, right) if isinstance(left, Duration) else (right, left)
        if not isinstance(factor, (int, float)) or factor.__class__ is bool:
            return None
        if isinstance(factor, float):
            return span.ns * float(factor)
        return Duration(span.ns * int(factor))


class Time:
    """A point in time: nanoseconds since 1970 (``ns``) and the place whose clock shows it."""

    GO_TYPE = "time.Time"
    ORDERED = True
    __slots__ = ("location", "ns")

    def __init__(self, ns: int, location: Location = UTC) -> None:
        self.ns = ns
        self.location = location

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self.ns == other.ns

    def __hash__(self) -> int:
        return hash(("time", self.ns))

    def __repr__(self) -> str:
        return f"Time({self.ns}, {self.location.name!r})"

    def zone(self) -> tuple[int, str]:
        """Return offset in seconds and abbreviation of the clock."""
        return self.location.zone(self.ns // SECOND)

    def clock(self) -> int:
        """Return the seconds since 1970 that the clock shows."""
        return self.ns // SECOND + self.zone()[0]

    def fields(self) -> tuple[int, int, int, int, int, int, int]:
        """Return year, month, day, hour, minute, second and nanosecond on the clock."""
        number, rest = divmod(self.clock(), _DAY)
        year, month, day = calendar.civil(number)
        return year, month, day, rest // 3600, rest // 60 % 60, rest % 60, self.ns % SECOND

    def day_number(self) -> int:
        """Return the number of the day on the clock, counted from 1970-01-01."""
        return self.clock() // _DAY

    def go_text(self) -> str:
        """Return the time as Go prints it: ``2024-02-29 10:20:30.5 +0100 CET``."""
        return format_time(self, "2006-01-02 15:04:05.999999999 -0700 MST")

    def go_json(self) -> str:
        """Return the time as JSON holds it (RFC 3339)."""
        return format_time(self, "2006-01-02T15:04:05.999999999Z07:00")

    @staticmethod
    def calculate(operator: str, left: Any, right: Any) -> Any:
        """Return a time moved by a span, or the span between two times; None where there is neither."""
        if isinstance(left, Time) and isinstance(right, Duration) and operator in ("+", "-"):
            return Time(left.ns + (right.ns if operator == "+" else -right.ns), left.location)
        if isinstance(left, Duration) and isinstance(right, Time) and operator == "+":
            return Time(right.ns + left.ns, right.location)
        if isinstance(left, Time) and isinstance(right, Time) and operator == "-":
            return between(left, right)
        return None


def between(later: Time, earlier: Time) -> Duration:
    """Return the span from ``earlier`` to ``later``, cut off at 292 years."""
    return Duration(max(-(1 << 63), min((1 << 63) - 1, later.ns - earlier.ns)))


def at_clock(date: tuple[int, int, int], seconds: int, nanoseconds: int, location: Location) -> Time:
    """Return the time at which the clock of ``location`` shows a date (year, month, day) and seconds of the day."""
    clock = calendar.days(*date) * _DAY + seconds
    return Time(location.seconds(clock) * SECOND + nanoseconds, location)


class _Named:
    """A number with a name; it equals the number."""

    GO_TYPE = "int"
    NAMES: tuple[str, ...] = ()
    FIRST = 0
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return self.number == (other.number if isinstance(other, _Named) else other)

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.number})"

    def __index__(self) -> int:
        return self.number

    def go_text(self) -> str:
        """Return the English name."""
        return self.NAMES[self.number - self.FIRST]

    def go_json(self) -> int:
        """Return its form in JSON: its number."""
        return self.number


class Month(_Named):
    """A month, 1 to 12."""

    GO_TYPE = "time.Month"
    NAMES = calendar.MONTHS
    FIRST = 1
    __slots__ = ()


class Weekday(_Named):
    """A day of the week, Sunday is 0."""

    GO_TYPE = "time.Weekday"
    NAMES = calendar.WEEKDAYS
    __slots__ = ()


def rounded(ns: int, step: int, offset: int, half: bool) -> int:
    """Return ``ns`` cut (or rounded, ``half``) to a multiple of ``step``, counted from ``-offset``."""
    if step <= 0:
        return ns
    rest = (ns + offset) % step
    if half and rest * 2 >= step:
        return ns + step - rest
    return ns - rest


def float_seconds(ns: int, unit: int) -> float:
    """Return a span in a unit as a float, as Go's Hours, Minutes and Seconds count it."""
    whole = abs(ns) // unit
    value = float(whole) + float(abs(ns) % unit) / unit
    return -value if ns < 0 else value
