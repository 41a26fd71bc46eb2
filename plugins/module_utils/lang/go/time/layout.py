# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Times as text by Go's layouts, which show how 2006-01-02 15:04:05 -0700 would look."""

from __future__ import annotations

from . import calendar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .times import Time

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
