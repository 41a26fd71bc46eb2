# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins that make times, spans and places."""

from __future__ import annotations

from time import time_ns

from .. import durations
from ..go.time.parsing import parse_time
from ..go.time.times import LOCAL, UTC, Duration, Location, Time, TimeFault
from ..go.time.zones import load
from ..go.values import Fault, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What ``date()`` tries when it is given no layout.
_LAYOUTS = (
    "2006-01-02",
    "15:04:05",
    "2006-01-02 15:04:05",
    "2006-01-02T15:04:05Z07:00",
    "02 Jan 06 15:04 MST",
    "Monday, 02-Jan-06 15:04:05 MST",
    "Mon, 02 Jan 2006 15:04:05 MST",
)


def _now(*arguments: Any) -> Time:
    return Time(time_ns(), arguments[0] if arguments else LOCAL)


def _duration(text: Any) -> Duration:
    try:
        return Duration(durations.parse_go(to_text(text)))
    except durations.DurationError as error:
        raise Fault(str(error)) from None


def _timezone(name: Any) -> Location:
    try:
        return load(to_text(name))
    except TimeFault as fault:
        raise Fault(fault.message) from None


def _date(first: Any, *others: Any) -> Time:
    try:
        return _read_date((first, *others))
    except TimeFault as fault:
        raise Fault(fault.message) from None


def _read_date(arguments: tuple[Any, ...]) -> Time:
    place: Location | None = None
    if isinstance(arguments[0], Location):
        place, arguments = arguments[0], arguments[1:]
    if not arguments:
        raise Fault("runtime error: index out of range [0] with length 0")
    text = to_text(arguments[0])
    if len(arguments) == 3:
        layout, place = to_text(arguments[1]), load(to_text(arguments[2]))
        return parse_time(text, layout, place, place)
    if len(arguments) == 2:
        return parse_time(text, to_text(arguments[1]), place or UTC, place)
    for layout in _LAYOUTS:
        try:
            return parse_time(text, layout, place or UTC, place)
        except TimeFault:
            continue
    raise Fault("invalid date " + text)


FUNCTIONS = {"now": _now, "duration": _duration, "timezone": _timezone, "date": _date}
