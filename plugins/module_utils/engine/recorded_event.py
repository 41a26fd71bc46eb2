# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Events read back from the files of a session."""

from __future__ import annotations

import time
from calendar import timegm

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
    seconds = timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
    return _bounded(seconds * 1_000_000_000 + (0 if is_whole else int(fraction[:9].ljust(9, "0"))))


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
