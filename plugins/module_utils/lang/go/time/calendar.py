# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Gregorian calendar for any year, before 1 and after 9999 included. Days count from 1970-01-01."""

from __future__ import annotations

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def is_leap(year: int) -> bool:
    """Return whether ``year`` has a 29th of February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    """Return the number of days in a month (1 to 12)."""
    return 29 if month == 2 and is_leap(year) else _LENGTHS[month - 1]


def day_of_year(year: int, month: int, day: int) -> int:
    """Return the number of a day in its year, from 1."""
    return _BEFORE[month - 1] + day + (1 if month > 2 and is_leap(year) else 0)


def days_before_year(year: int) -> int:
    """Return the days from 1970-01-01 to the first of January of ``year``."""
    previous = year - 1
    return previous * 365 + previous // 4 - previous // 100 + previous // 400 - 719162


def days(year: int, month: int, day: int) -> int:
    """Return the number of a day; months and days out of their range carry over, as Go's ``time.Date`` has it."""
    year += (month - 1) // 12
    month = (month - 1) % 12 + 1
    return days_before_year(year) + day_of_year(year, month, 1) - 1 + day - 1


def civil(number: int) -> tuple[int, int, int]:
    """Return year, month and day of a day's number."""
    year = 1970 + number * 400 // 146097
    while days_before_year(year) > number:
        year -= 1
    while days_before_year(year + 1) <= number:
        year += 1
    rest = number - days_before_year(year)
    month = 1
    while rest >= month_length(year, month):
        rest -= month_length(year, month)
        month += 1
    return year, month, rest + 1


def weekday(number: int) -> int:
    """Return the day of the week of a day's number, Sunday being 0."""
    return (number + 4) % 7


def iso_week(number: int) -> tuple[int, int]:
    """Return ISO year and week of a day's number."""
    thursday = number + 4 - (weekday(number) or 7)
    year = civil(thursday)[0]
    return year, (thursday - days_before_year(year)) // 7 + 1
