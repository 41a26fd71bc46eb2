# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Events read back from the files of a session."""

from __future__ import annotations

import time
from calendar import timegm

from ..model.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Data, Value

#: The largest time and duration that the original can store, in ns: the year 2262, or 292 years.
_LARGEST = 2**63 - 1


def event_of(record: Data) -> Event:
    """Return the event that `record`, the JSON of its file, describes.

    A field that is missing or null is empty, as for the original. Raises ValueError for a record that is no event:
    without id, type, name or time, or with a value of another kind than events have.
    """
    event = Event(_required(record, "type"), _required(record, "name"), _text(record, "alias"))
    event.record = record
    event.event_id = _required(record, "event_id")
    event.started = recorded_time(record)
    event.duration = _bounded(_number(record, "duration"))
    event.changed, event.refreshed = _flag(record, "changed"), _flag(record, "refreshed")
    event.failed, event.skipped = _flag(record, "failed"), _flag(record, "skipped")
    event.noop = _flag(record, "noop")
    event.unmet_requirements = _texts(record, "unmet_requirements")
    event.health_checks = _mappings(record, "health_check")
    return event


def recorded_time(record: Data) -> int:
    """Return when the event of a record began, in ns since 1970. Raises ValueError when it has no time."""
    return nanoseconds(_required(record, "timestamp"))


def nanoseconds(text: str) -> int:
    """Return the ns since 1970 of a timestamp in RFC 3339, in UTC.

    Raises ValueError for any other text and for times out of range.
    """
    fraction = text[20:-1]
    is_whole = text[19:] == "Z"
    if not (is_whole or (text[19:20] == "." and text[-1] == "Z" and fraction.isascii() and fraction.isdigit())):
        raise ValueError
    seconds = timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
    return _bounded(seconds * 1_000_000_000 + (0 if is_whole else int(fraction[:9].ljust(9, "0"))))


def _required(record: Data, key: str) -> str:
    found = _text(record, key)
    if not found:
        raise ValueError
    return found


def _text(record: Data, key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError
    return value


def _flag(record: Data, key: str) -> bool:
    value = record.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise ValueError
    return value


def _number(record: Data, key: str) -> int:
    value = record.get(key)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _bounded(value: int) -> int:
    if not 0 <= value <= _LARGEST:
        raise ValueError
    return value


def _texts(record: Data, key: str) -> list[str]:
    found = ["" if entry is None else entry for entry in _entries(record, key)]
    texts = [entry for entry in found if isinstance(entry, str)]
    if len(texts) < len(found):
        raise ValueError
    return texts


def _mappings(record: Data, key: str) -> list[Data]:
    found = [{} if entry is None else entry for entry in _entries(record, key)]
    mappings = [entry for entry in found if isinstance(entry, dict)]
    if len(mappings) < len(found):
        raise ValueError
    return mappings


def _entries(record: Data, key: str) -> list[Value]:
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError
    return value
