# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Times as text by Go's layouts, which show how 2006-01-02 15:04:05 -0700 would look."""

from __future__ import annotations

from ...durations import quote
from . import calendar
from .times import LOCAL, SECOND, UTC, Location, Time, TimeFault, at_clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

#: Elements by their first letter, longest first where one begins another.
_ELEMENTS = {
    "J": ("January", "Jan"),
    "M": ("Monday", "Mon", "MST"),
    "0": ("01", "02", "03", "04", "05", "06", "002"),
    "1": ("15", "1"),
    "2": ("2006", "2"),
    "_": ("_2", "__2"),
    "3": ("3",),
    "4": ("4",),
    "5": ("5",),
    "P": ("PM",),
    "p": ("pm",),
    "-": ("-070000", "-07:00:00", "-0700", "-07:00", "-07"),
    "Z": ("Z070000", "Z07:00:00", "Z0700", "Z07:00", "Z07"),
}
_DIGITS = "0123456789"
#: The offset by which Go marks that a text has none: one second west of Greenwich is passed over.
_NO_OFFSET = -1


def elements(layout: str) -> list[tuple[str, str]]:
    """Return a layout as pairs of plain text and the element after it (empty at the end)."""
    parts = []
    start = at = 0
    while at < len(layout):
        found = _element(layout, at)
        if found == "_2006":
            found = ""
            parts.append((layout[start : at + 1], "2006"))
            at += 5
            start = at
            continue
        if not found:
            at += 1
            continue
        parts.append((layout[start:at], found))
        at += len(found)
        start = at
    parts.append((layout[start:], ""))
    return parts


def _element(layout: str, at: int) -> str:
    char = layout[at]
    if char in ".,":
        return _fraction(layout, at)
    if char == "0" and layout.startswith("002", at):
        return "002"
    if char == "_" and layout.startswith("_2006", at):
        return "_2006"
    for candidate in _ELEMENTS.get(char, ()):
        if layout.startswith(candidate, at):
            if candidate == "Jan" and layout[at + 3 : at + 4].islower() and layout[at + 3 : at + 4].isascii():
                continue
            if candidate == "Mon" and layout[at + 3 : at + 4].islower() and layout[at + 3 : at + 4].isascii():
                continue
            return candidate
    return ""


def _fraction(layout: str, at: int) -> str:
    digit = layout[at + 1 : at + 2]
    if digit not in ("0", "9"):
        return ""
    end = at + 1
    while layout.startswith(digit, end):
        end += 1
    return "" if layout[end : end + 1].isdigit() else layout[at:end]


def format_time(time: Time, layout: str) -> str:
    """Return ``time`` in the form of ``layout``."""
    out = []
    for text, element in elements(layout):
        out.append(text)
        if element:
            out.append(_formatted(time, element))
    return "".join(out)


def _formatted(time: Time, element: str) -> str:
    year, month, day, hour, minute, second, nanosecond = time.fields()
    if element[0] in ".,":
        digits = f"{nanosecond:09d}"
        shown = digits[: len(element) - 1]
        if element[1] == "9":
            shown = shown.rstrip("0")
            return element[0] + shown if shown else ""
        return element[0] + shown
    if element[0] in "Z-" and element[1:2] == "0":
        return _offset_text(time.zone()[0], element)
    if element == "MST":
        offset, name = time.zone()
        return name or _short_offset(offset)
    twelve = hour % 12 or 12
    values: dict[str, Callable[[], str]] = {
        "2006": lambda: f"{year:04d}" if year >= 0 else f"-{-year:04d}",
        "06": lambda: f"{year % 100:02d}",
        "01": lambda: f"{month:02d}",
        "1": lambda: str(month),
        "January": lambda: calendar.MONTHS[month - 1],
        "Jan": lambda: calendar.MONTHS[month - 1][:3],
        "02": lambda: f"{day:02d}",
        "_2": lambda: f"{day:2d}",
        "2": lambda: str(day),
        "002": lambda: f"{calendar.day_of_year(year, month, day):03d}",
        "__2": lambda: f"{calendar.day_of_year(year, month, day):3d}",
        "Monday": lambda: calendar.WEEKDAYS[calendar.weekday(time.day_number())],
        "Mon": lambda: calendar.WEEKDAYS[calendar.weekday(time.day_number())][:3],
        "15": lambda: f"{hour:02d}",
        "03": lambda: f"{twelve:02d}",
        "3": lambda: str(twelve),
        "04": lambda: f"{minute:02d}",
        "4": lambda: str(minute),
        "05": lambda: f"{second:02d}",
        "5": lambda: str(second),
        "PM": lambda: "PM" if hour >= 12 else "AM",
        "pm": lambda: "pm" if hour >= 12 else "am",
    }
    return values[element]()


def _offset_text(offset: int, element: str) -> str:
    if element[0] == "Z" and offset == 0:
        return "Z"
    sign = "-" if offset < 0 else "+"
    size = abs(offset)
    colon = ":" if ":" in element else ""
    text = f"{sign}{size // 3600:02d}"
    digits = sum(char.isdigit() for char in element)
    if digits >= 4:
        text += f"{colon}{size // 60 % 60:02d}"
    if digits >= 6:
        text += f"{colon}{size % 60:02d}"
    return text


def _short_offset(offset: int) -> str:
    sign = "-" if offset < 0 else "+"
    minutes = abs(offset) // 60
    return f"{sign}{minutes // 60:02d}{minutes % 60:02d}"


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
