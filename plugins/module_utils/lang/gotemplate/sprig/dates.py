# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Times: as text and from text, moved, counted, and spans as text. The context gives the time.

A ``Time`` is wanted, or seconds since 1970; anything else means now.
"""

from __future__ import annotations

from ... import durations
from ...go.kinds import Int32
from ...go.time.layout import format_time
from ...go.time.times import LOCAL, SECOND, UTC, Location, Time, TimeFault
from ...go.time.zones import load
from ...go.values import Int64, wrapped
from ...spans import format_go
from ..function import CallError, Function
from .numbers import parse_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

#: Go's time of nothing: the first second of the year 1.
ZERO = Time(-62135596800 * SECOND, UTC)
_DAY = "2006-01-02"
_LIMIT = 1 << 63
_HOUR = 3600 * SECOND
#: What a rounded span counts in, largest first.
_UNITS = (
    ("y", 365 * 24 * _HOUR),
    ("mo", 30 * 24 * _HOUR),
    ("d", 24 * _HOUR),
    ("h", _HOUR),
    ("m", 60 * SECOND),
    ("s", SECOND),
)


def _time(context: Any, value: Any, with_int32: bool = True) -> Time:
    if isinstance(value, Time):
        return value
    if value.__class__ in (int, Int64) or (with_int32 and value.__class__ is Int32):
        return Time(int(value) * SECOND, LOCAL)
    now: Time = context.now()
    return now


def _place(name: str) -> Location:
    try:
        return load(name)
    except TimeFault:
        return UTC


def _date(context: Any, layout: str, value: Any, place: Location = LOCAL) -> str:
    return format_time(Time(_time(context, value).ns, place), layout)


def _date_in_zone(context: Any, layout: str, value: Any, zone: str) -> str:
    return _date(context, layout, value, _place(zone))


def _ago(context: Any, value: Any) -> str:
    """Return how long ago a time was, to the second, half a second rounded away from zero."""
    span = _since(context, _time(context, value, with_int32=False))
    seconds = (abs(span) + SECOND // 2) // SECOND
    return format_go(-seconds * SECOND if span < 0 else seconds * SECOND)


def _since(context: Any, time: Time) -> int:
    span: int = context.now().ns - time.ns
    return max(-_LIMIT, min(_LIMIT - 1, span))


def _duration(value: Any) -> str:
    seconds = 0
    if isinstance(value, str):
        seconds = parse_int(value, 10)[0]
    elif isinstance(value, Int64):
        seconds = int(value)
    return format_go(wrapped(seconds * SECOND))


def _duration_round(context: Any, value: Any) -> str:
    """Return a span in the largest unit that it is longer than, cut to whole ones: ``2h``, ``3mo``, ``0s``."""
    if isinstance(value, str):
        try:
            span = durations.parse_go(value)
        except durations.DurationError:
            span = 0
    elif isinstance(value, Time):
        span = _since(context, value)
    else:
        span = int(value) if isinstance(value, Int64) else 0
    size = abs(span)
    return next((f"{size // length}{unit}" for unit, length in _UNITS if size > length), "0s")


def _must_to_date(layout: str, text: str) -> Time:
    from ...go.time.parsing import parse_time

    try:
        return parse_time(text, layout, LOCAL, LOCAL)
    except TimeFault as fault:
        raise CallError(fault.message) from None


def _to_date(layout: str, text: str) -> Time:
    try:
        return _must_to_date(layout, text)
    except CallError:
        return ZERO


def _must_modify(span: str, time: Time) -> Time:
    try:
        return Time(time.ns + durations.parse_go(span), time.location)
    except durations.DurationError as error:
        raise CallError(str(error)) from None


def _modify(span: str, time: Time) -> Time:
    try:
        return _must_modify(span, time)
    except CallError:
        return time


def _with_context(call: Callable[..., Any], *parameters: str) -> Function:
    return Function(call, *parameters, with_context=True)


_DATE_IN_ZONE = _with_context(_date_in_zone, "string", "any", "string")
_MODIFY = Function(_modify, "string", "time.Time")
_MUST_MODIFY = Function(_must_modify, "string", "time.Time")

FUNCTIONS = {
    "now": _with_context(lambda context: context.now()),
    "date": _with_context(_date, "string", "any"),
    "dateInZone": _DATE_IN_ZONE,
    "date_in_zone": _DATE_IN_ZONE,
    "htmlDate": _with_context(lambda context, value: _date(context, _DAY, value), "any"),
    "htmlDateInZone": _with_context(
        lambda context, value, zone: _date_in_zone(context, _DAY, value, zone), "any", "string"
    ),
    "dateModify": _MODIFY,
    "date_modify": _MODIFY,
    "mustDateModify": _MUST_MODIFY,
    "must_date_modify": _MUST_MODIFY,
    "ago": _with_context(_ago, "any"),
    "duration": Function(_duration, "any"),
    "durationRound": _with_context(_duration_round, "any"),
    "toDate": Function(_to_date, "string", "string"),
    "mustToDate": Function(_must_to_date, "string", "string"),
    "unixEpoch": Function(lambda time: str(time.ns // SECOND), "time.Time"),
}
