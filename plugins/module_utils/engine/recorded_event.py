# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Events read back from the files of a session."""

from __future__ import annotations

from ..lang.go.time.calendar import days, month_length
from ..model.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from ..model.values import Data, Value

    T = TypeVar("T")

#: The largest time and duration that the original can store, in ns: the year 2262, or 292 years.
_LARGEST = 2**63 - 1


def event_of(record: Data) -> Event:
    """Return the event that `record`, the JSON of its file, describes.

    A field that is missing or null is empty, as for the original. Raises ValueError for a record that is no event:
    without id, type, name or time, or with a value of another kind than events have.
    """
    event = Event(_required(record, "type"), _required(record, "name"), _typed(record.get("alias"), str))
    event.record = record
    event.event_id = _required(record, "event_id")
    event.started = recorded_time(record)
    event.duration = _bounded(_typed(record.get("duration"), int))
    event.changed, event.refreshed, event.failed, event.skipped, event.noop = (
        _typed(record.get(key), bool) for key in ("changed", "refreshed", "failed", "skipped", "noop")
    )
    event.unmet_requirements = [_typed(entry, str) for entry in _typed(record.get("unmet_requirements"), list)]
    event.health_checks = [_typed(entry, dict) for entry in _typed(record.get("health_check"), list)]
    return event


def recorded_time(record: Data) -> int:
    """Return when the event of a record began, in ns since 1970. Raises ValueError when it has no time."""
    return nanoseconds(_required(record, "timestamp"))


def nanoseconds(text: str) -> int:
    """Return the ns since 1970 of a timestamp of RFC 3339 in UTC. Raises ValueError for other texts and times."""
    fraction = text[20:-1]
    is_whole = text[19:] == "Z"
    if not (is_whole or (text[19:20] == "." and text[-1] == "Z" and fraction.isascii() and fraction.isdigit())):
        raise ValueError
    return _bounded(_seconds(text) * 1_000_000_000 + (0 if is_whole else int(fraction[:9].ljust(9, "0"))))


def _seconds(text: str) -> int:
    """Return the seconds since 1970 of the beginning of a timestamp: `2006-01-02T15:04:05`. Raises ValueError."""
    numbers = [text[start:end] for start, end in ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19))]
    if [text[at] for at in (4, 7, 10, 13, 16)] != ["-", "-", "T", ":", ":"] or not all(
        each.isascii() and each.isdigit() for each in numbers
    ):
        raise ValueError
    year, month, day, hour, minute, second = map(int, numbers)
    if not 0 < month < 13 or not 0 < day <= month_length(year, month) or hour > 23 or minute > 59 or second > 59:
        raise ValueError
    return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second


def _required(record: Data, key: str) -> str:
    found = _typed(record.get(key), str)
    if not found:
        raise ValueError
    return found


def _typed(value: Value, kind: type[T]) -> T:
    """Return a value of a kind; null is the empty value. Raises ValueError for a value of another kind."""
    found = kind() if value is None else value
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise ValueError
    return found


def _bounded(value: int) -> int:
    if not 0 <= value <= _LARGEST:
        raise ValueError
    return value
