# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Methods of times, spans, months, weekdays and places, as expressions may call them: ``now().Year()``."""

from __future__ import annotations

from ..go.time import calendar
from ..go.time.layout import format_time
from ..go.time.times import (
    LOCAL,
    SECOND,
    UTC,
    Duration,
    Month,
    Time,
    Weekday,
    at_clock,
    between,
    float_seconds,
    rounded,
)
from ..go.values import Fault, Int64, is_integer, to_int, type_name, wrapped
from .kinds import (
    BOOL,
    DURATION,
    FLOAT,
    INT,
    INT64,
    LOCATION,
    MONTH,
    STRING,
    TIME,
    WEEKDAY,
    Kind,
    Signature,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    Method = tuple[Callable[..., Any], Signature]

#: Nanoseconds from Go's zero time (the year 1) to 1970: what Truncate and Round count from.
_ZERO = 62135596800 * SECOND


class Bound:
    """A method taken from a value, ready to be called."""

    __slots__ = ("GO_TYPE", "_call", "_owner", "_parameters")

    def __init__(self, owner: Any, call: Callable[..., Any], signature: Signature) -> None:
        self._owner = owner
        self._call = call
        self._parameters = signature.parameters
        self.GO_TYPE = signature.text()

    def invoke(self, arguments: Sequence[Any]) -> Any:
        """Return the result for ``arguments``. Raises Fault when their number or kinds do not fit."""
        wanted, given = len(self._parameters), len(arguments)
        if wanted != given:
            raise Fault(f"invalid number of arguments: expected {wanted}, got {given}")
        for kind, value in zip(self._parameters, arguments):
            fits = is_integer(value) if kind is INT else type_name(value) == kind.name
            if not fits:
                raise Fault(f"reflect: Call using {type_name(value)} as type {kind.name}")
        return self._call(self._owner, *arguments)


def signature_of(kind: Kind, name: str) -> Signature | None:
    """Return the signature of a method of values of ``kind``, None if they have none of that name."""
    method = _METHODS[kind.name].get(name)
    return None if method is None else method[1]


def bound(owner: Any, name: str) -> Bound | None:
    """Return a method of a value, None if it has none of that name."""
    methods = getattr(owner, "EXPR_METHODS", None) or _METHODS.get(type_name(owner), {})
    method = methods.get(name)
    return None if method is None else Bound(owner, *method)


def declared(owner: str, name: str) -> tuple[Callable[..., Any], list[str]] | None:
    """Return a method of values of a type, by the names of both, as what takes the value and its arguments.

    With it come the names of the types of its parameters. None if they have none of that name; the call raises Fault.
    """
    method = _METHODS.get(owner, {}).get(name)
    return None if method is None else (method[0], [kind.name for kind in method[1].parameters])


def _field(index: int) -> Callable[[Time], int]:
    return lambda time: time.fields()[index]


def _unix(unit: int) -> Callable[[Time], Int64]:
    return lambda time: Int64(wrapped(time.ns // unit))


def _add_date(time: Time, years: int, months: int, days: int) -> Time:
    year, month, day, hour, minute, second, nanosecond = time.fields()
    date = (year + to_int(years), month + to_int(months), day + to_int(days))
    if not -1000000 < date[0] < 1000000:
        raise Fault("year out of range")
    return at_clock(date, hour * 3600 + minute * 60 + second, nanosecond, time.location)


def _moved(half: bool) -> Callable[[Time, Duration], Time]:
    return lambda time, step: Time(rounded(time.ns, step.ns, _ZERO, half), time.location)


def _cut(span: Duration, step: Duration) -> Duration:
    if step.ns <= 0:
        return span
    rest = abs(span.ns) % step.ns
    return Duration(span.ns + rest if span.ns < 0 else span.ns - rest)


def _round(span: Duration, step: Duration) -> Duration:
    if step.ns <= 0:
        return span
    size = abs(span.ns)
    rest = size % step.ns
    size = size - rest if rest * 2 < step.ns else size + step.ns - rest
    return Duration(max(-(1 << 63), min((1 << 63) - 1, -size if span.ns < 0 else size)))


def _compare(time: Time, other: Time) -> int:
    return (time.ns > other.ns) - (time.ns < other.ns)


def _int64(unit: int) -> Callable[[Duration], Int64]:
    return lambda span: Int64(-(abs(span.ns) // unit) if span.ns < 0 else span.ns // unit)


def _floats(unit: int) -> Callable[[Duration], float]:
    return lambda span: float_seconds(span.ns, unit)


def _method(call: Callable[..., Any], result: Kind, *parameters: Kind, results: int = 1) -> Method:
    return call, Signature(parameters, result, results=results)


_STRING = _method(lambda value: value.go_text(), STRING)

_METHODS: dict[str, dict[str, Method]] = {
    "time.Time": {
        "Add": _method(lambda time, span: Time(time.ns + span.ns, time.location), TIME, DURATION),
        "AddDate": _method(_add_date, TIME, INT, INT, INT),
        "After": _method(lambda time, other: time.ns > other.ns, BOOL, TIME),
        "Before": _method(lambda time, other: time.ns < other.ns, BOOL, TIME),
        "Clock": _method(_field(3), INT, results=3),
        "Compare": _method(_compare, INT, TIME),
        "Date": _method(_field(0), INT, results=3),
        "Day": _method(_field(2), INT),
        "Equal": _method(lambda time, other: time.ns == other.ns, BOOL, TIME),
        "Format": _method(format_time, STRING, STRING),
        "Hour": _method(_field(3), INT),
        "ISOWeek": _method(lambda time: calendar.iso_week(time.day_number())[0], INT, results=2),
        "In": _method(lambda time, place: Time(time.ns, place), TIME, LOCATION),
        "IsDST": _method(lambda time: time.location.is_summer(time.ns // SECOND), BOOL),
        "IsZero": _method(lambda time: time.ns == -_ZERO, BOOL),
        "Local": _method(lambda time: Time(time.ns, LOCAL), TIME),
        "Location": _method(lambda time: time.location, LOCATION),
        "Minute": _method(_field(4), INT),
        "Month": _method(lambda time: Month(time.fields()[1]), MONTH),
        "Nanosecond": _method(_field(6), INT),
        "Round": _method(_moved(True), TIME, DURATION),
        "Second": _method(_field(5), INT),
        "String": _STRING,
        "Sub": _method(between, DURATION, TIME),
        "Truncate": _method(_moved(False), TIME, DURATION),
        "UTC": _method(lambda time: Time(time.ns, UTC), TIME),
        "Unix": _method(_unix(SECOND), INT64),
        "UnixMicro": _method(_unix(1000), INT64),
        "UnixMilli": _method(_unix(10**6), INT64),
        "UnixNano": _method(_unix(1), INT64),
        "Weekday": _method(lambda time: Weekday(calendar.weekday(time.day_number())), WEEKDAY),
        "Year": _method(_field(0), INT),
        "YearDay": _method(lambda time: calendar.day_of_year(*time.fields()[:3]), INT),
        "Zone": _method(lambda time: time.zone()[1], STRING, results=2),
    },
    "time.Duration": {
        "Abs": _method(lambda span: Duration(min(abs(span.ns), (1 << 63) - 1)), DURATION),
        "Hours": _method(_floats(3600 * SECOND), FLOAT),
        "Microseconds": _method(_int64(1000), INT64),
        "Milliseconds": _method(_int64(10**6), INT64),
        "Minutes": _method(_floats(60 * SECOND), FLOAT),
        "Nanoseconds": _method(_int64(1), INT64),
        "Round": _method(_round, DURATION, DURATION),
        "Seconds": _method(_floats(SECOND), FLOAT),
        "String": _STRING,
        "Truncate": _method(_cut, DURATION, DURATION),
    },
    "time.Month": {"String": _STRING},
    "time.Weekday": {"String": _STRING},
    "*time.Location": {"String": _STRING},
}
