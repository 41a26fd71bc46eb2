# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Times from text by Go's layouts."""

from __future__ import annotations

from ...durations import quote
from . import calendar
from .layout import elements
from .times import LOCAL, SECOND, UTC, Location, Time, TimeFault, at_clock

_DIGITS = "0123456789"
#: The offset by which Go marks that a text has none: one second west of Greenwich is passed over.
_NO_OFFSET = -1


class _NoTime(Exception):
    """Text that does not follow the layout, or (with ``field``) a number out of its range."""

    def __init__(self, element: str, rest: str, field: str = "") -> None:
        super().__init__(element, rest, field)
        self.element = element
        self.rest = rest
        self.field = field


def parse_time(text: str, layout: str, place: Location = UTC, local: Location | None = None) -> Time:
    """Return the time that ``text`` says by ``layout``.

    ``place`` is meant where the text names no zone; ``local`` is the one whose abbreviations and offsets are known
    (the machine's own when missing). Raises TimeFault in the words of Go's ``time.Parse``.
    """
    if local is None:
        local = LOCAL
    try:
        return _Reader(text).read(layout, place, local)
    except _NoTime as error:
        if error.field:
            raise TimeFault(f"parsing time {quote(text)}: {error.field} out of range") from None
        if not error.element:
            raise TimeFault(f"parsing time {quote(text)}: extra text: {quote(error.rest)}") from None
        raise TimeFault(
            f"parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(error.rest)} as {quote(error.element)}"
        ) from None


class _Reader:
    """Reads one text; what it found so far is in the attributes."""

    def __init__(self, text: str) -> None:
        self.rest = text
        self.year = 0
        self.month = self.day = self.year_day = -1
        self.hour = self.minute = self.second = self.nanosecond = 0
        self.afternoon: bool | None = None
        self.offset: int | None = None
        self.zone_name = ""
        self.in_utc = False

    def read(self, layout: str, place: Location, local: Location) -> Time:
        parts = elements(layout)
        for index, (text, element) in enumerate(parts):
            self._skip(text)
            if not element:
                if self.rest:
                    raise _NoTime("", self.rest)
                break
            self._take(element, parts[index + 1][1])
        return self._time(place, local)

    def _skip(self, text: str) -> None:
        """Skip the plain text of a layout; blanks in a row match any number of them, at the end none too."""
        wanted = text
        while wanted:
            if wanted[0] == " ":
                if self.rest and self.rest[0] != " ":
                    raise _NoTime(text, self.rest)
                wanted, self.rest = wanted.lstrip(" "), self.rest.lstrip(" ")
            elif self.rest[:1] == wanted[0]:
                wanted, self.rest = wanted[1:], self.rest[1:]
            else:
                raise _NoTime(text, self.rest)

    def _digits(self, element: str, least: int, most: int) -> int:
        end = 0
        while end < most and self.rest[end : end + 1] and self.rest[end] in _DIGITS:
            end += 1
        if end < least:
            raise _NoTime(element, self.rest)
        number = int(self.rest[:end])
        self.rest = self.rest[end:]
        return number

    def _take(self, element: str, following: str) -> None:
        if element[0] in ".,":
            self._take_fraction(element)
        elif element[0] in "Z-" and element[1:2] == "0":
            self._take_offset(element)
        elif element in ("PM", "pm"):
            marks = ("AM", "PM") if element == "PM" else ("am", "pm")
            if self.rest[:2] not in marks:
                raise _NoTime(element, self.rest)
            self.afternoon = self.rest[:2] == marks[1]
            self.rest = self.rest[2:]
        elif element in ("January", "Jan"):
            self.month = self._name(element, calendar.MONTHS) + 1
        elif element in ("Monday", "Mon"):
            self._name(element, calendar.WEEKDAYS)
        elif element == "MST":
            self._take_zone_name()
        else:
            self._take_number(element, following)

    def _take_number(self, element: str, following: str) -> None:
        if element == "2006":
            self.year = self._digits(element, 4, 4)
        elif element == "06":
            year = _signed(self.rest[:2]) if len(self.rest) > 1 else None
            if year is None:
                raise _NoTime(element, self.rest)
            self.year = year + (1900 if year >= 69 else 2000)
            self.rest = self.rest[2:]
        elif element in ("1", "01"):
            self.month = self._ranged(element, 1, 12, "month")
        elif element in ("2", "_2", "02"):
            if element == "_2" and self.rest[:1] == " ":
                self.rest = self.rest[1:]
            self.day = self._digits(element, 2 if element == "02" else 1, 2)
        elif element in ("002", "__2"):
            if element == "__2":
                blanks = len(self.rest) - len(self.rest.lstrip(" "))
                self.rest = self.rest[min(blanks, 2) :]
                self.year_day = self._digits(element, 1, 3)
            else:
                self.year_day = self._digits(element, 3, 3)
        elif element == "15":
            self.hour = self._ranged("15", 0, 23, "hour", least=1)
        elif element in ("3", "03"):
            self.hour = self._ranged(element, 0, 12, "hour")
        elif element in ("4", "04"):
            self.minute = self._ranged(element, 0, 59, "minute")
        else:
            self.second = self._ranged(element, 0, 59, "second")
            if following[:1] not in (".", ","):
                self._take_unasked_fraction()

    def _ranged(self, element: str, low: int, high: int, field: str, least: int = 0) -> int:
        number = self._digits(element, least or (2 if element[0] == "0" else 1), 2)
        if not low <= number <= high:
            raise _NoTime(element, self.rest, field)
        return number

    def _take_unasked_fraction(self) -> None:
        """Seconds may carry a fraction that the layout does not mention."""
        if self.rest[:1] in (".", ",") and self.rest[1:2] and self.rest[1] in _DIGITS:
            end = 1
            while self.rest[end : end + 1] and self.rest[end] in _DIGITS:
                end += 1
            self._set_fraction(self.rest[1:end])

    def _set_fraction(self, digits: str) -> None:
        self.nanosecond = int(digits[:9].ljust(9, "0"))
        self.rest = self.rest[len(digits) + 1 :]

    def _take_fraction(self, element: str) -> None:
        if element[1] == "9":
            self._take_unasked_fraction()
            return
        digits = self.rest[1 : len(element)]
        number = _signed(digits[:9])
        if len(digits) < len(element) - 1 or self.rest[0] not in ".," or number is None:
            raise _NoTime(element, self.rest)
        if number < 0:
            raise _NoTime(element, self.rest, "fractional second")
        self._set_fraction(digits)

    def _name(self, element: str, names: tuple[str, ...]) -> int:
        size = 3 if len(element) == 3 else None
        for index, name in enumerate(names):
            wanted = name[:size]
            if self.rest[: len(wanted)].lower() == wanted.lower():
                self.rest = self.rest[len(wanted) :]
                return index
        raise _NoTime(element, self.rest)

    def _take_offset(self, element: str) -> None:
        if element[0] == "Z" and self.rest[:1] == "Z":
            self.rest = self.rest[1:]
            self.in_utc = True
            return
        shape = element[1:]
        given = self.rest[1 : len(shape) + 1]
        if len(given) < len(shape) or self.rest[0] not in "+-":
            raise _NoTime(element, self.rest)
        numbers = []
        for at in range(0, len(shape), 3 if ":" in shape else 2):
            pair = given[at : at + 2]
            if not set(pair) <= set(_DIGITS) or (shape[at + 2 : at + 3] == ":" and given[at + 2] != ":"):
                raise _NoTime(element, self.rest)
            numbers.append(int(pair))
        hours, minutes, seconds = (*numbers, 0, 0)[:3]
        for number, most, field in ((seconds, 60, "second"), (minutes, 60, "minute"), (hours, 24, "hour")):
            if number > most:
                raise _NoTime(element, self.rest, "time zone offset " + field)
        total = hours * 3600 + minutes * 60 + seconds
        self.offset = -total if self.rest[0] == "-" else total
        self.rest = self.rest[len(shape) + 1 :]

    def _take_zone_name(self) -> None:
        if self.rest.startswith("UTC"):
            self.in_utc = True
            self.rest = self.rest[3:]
            return
        size = _zone_name_length(self.rest)
        if not size:
            raise _NoTime("MST", self.rest)
        self.zone_name = self.rest[:size]
        self.rest = self.rest[size:]

    def _time(self, place: Location, local: Location) -> Time:
        if self.afternoon is True and self.hour < 12:
            self.hour += 12
        elif self.afternoon is False and self.hour == 12:
            self.hour = 0
        self._settle_day()
        date = (self.year, self.month, self.day)
        seconds = self.hour * 3600 + self.minute * 60 + self.second
        if self.in_utc:
            return at_clock(date, seconds, self.nanosecond, UTC)
        clock = at_clock(date, seconds, self.nanosecond, UTC)
        if self.offset is not None and self.offset != _NO_OFFSET:
            moment = Time(clock.ns - self.offset * SECOND, UTC)
            offset, name = local.zone(moment.ns // SECOND)
            if offset == self.offset and self.zone_name in ("", name):
                return Time(moment.ns, local)
            return Time(moment.ns, Location(self.zone_name, self.offset))
        if self.zone_name:
            known = local.named(self.zone_name, clock.ns // SECOND)
            if known is not None:
                return Time(clock.ns - known * SECOND, local)
            # What the clock shows is taken for UTC, as Go does with abbreviations that it does not know.
            return Time(clock.ns, Location(self.zone_name, _gmt_offset(self.zone_name)))
        return at_clock(date, seconds, self.nanosecond, place)

    def _settle_day(self) -> None:
        if self.year_day >= 0:
            if not 1 <= self.year_day <= (366 if calendar.is_leap(self.year) else 365):
                raise _NoTime("", "", "day-of-year")
            _year, month, day = calendar.civil(calendar.days_before_year(self.year) + self.year_day - 1)
            for given, found, field in ((self.month, month, "month"), (self.day, day, "day")):
                if given >= 0 and given != found:
                    raise _NoTime("", "", "day-of-year does not match " + field)
            self.month, self.day = month, day
        if self.month < 0:
            self.month = 1
        if self.day < 0:
            self.day = 1
        if not 1 <= self.day <= calendar.month_length(self.year, self.month):
            raise _NoTime("", "", "day")


def _signed(digits: str) -> int | None:
    """Return the number of digits behind an optional sign, 0 for none, or None when there is anything else."""
    unsigned = digits[1:] if digits[:1] in ("+", "-") else digits
    if not set(unsigned) <= set(_DIGITS):
        return None
    number = int(unsigned or "0")
    return -number if digits[:1] == "-" else number


def _gmt_offset(name: str) -> int:
    if len(name) > 3 and name.startswith("GMT"):
        try:
            return int(name[3:]) * 3600
        except ValueError:
            return 0
    return 0


def _zone_name_length(text: str) -> int:
    """Return how many characters of ``text`` are the abbreviation of a zone."""
    if len(text) < 3:
        return 0
    if text[:4] in ("ChST", "MeST"):
        return 4
    if text.startswith("GMT"):
        return 3 + _signed_hours(text[3:])
    if text[:1] in ("+", "-"):
        return _signed_hours(text)
    size = 0
    while size < 6 and text[size : size + 1] and "A" <= text[size] <= "Z":
        size += 1
    if size == 5 and text[4] == "T":
        return 5
    if size == 4 and (text[3] == "T" or text[:4] == "WITA"):
        return 4
    return 3 if size == 3 else 0


def _signed_hours(text: str) -> int:
    if text[:1] not in ("+", "-"):
        return 0
    end = 1
    while text[end : end + 1] and text[end] in _DIGITS:
        end += 1
    return end if end > 1 and int(text[1:end][:4]) <= 23 else 0
