# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""An event as a session's questions need it, read back from what its file holds."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: No time and no duration is longer, in ns: till 2262, 292 years.
_LARGEST = 2**63 - 1


class RecordedEvent:
    """What is asked of an event of a session, out of `record`, the JSON of its file.

    A field that is missing or null is empty, as for the original. Raises ValueError for a record that is no event: one
    without id, type, name or time, and one with a value of another kind than events have.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.event_id: str = _required(record, "event_id")
        self.type: str = _required(record, "type")
        self.name: str = _required(record, "name")
        self.alias: str = _field(record, "alias", str)
        self.started = recorded_time(record)
        self.duration = _bounded(_field(record, "duration", int))
        self.changed: bool = _field(record, "changed", bool)
        self.refreshed: bool = _field(record, "refreshed", bool)
        self.failed: bool = _field(record, "failed", bool)
        self.skipped: bool = _field(record, "skipped", bool)
        self.noop: bool = _field(record, "noop", bool)
        self.unmet_requirements: list[str] = _entries(record, "unmet_requirements", str)
        self.health_checks: list[dict[str, Any]] = _entries(record, "health_check", dict)

    @property
    def blocks_dependents(self) -> bool:
        """Whether what requires the resource must not be managed."""
        return self.failed or bool(self.unmet_requirements)


def recorded_time(record: dict[str, Any]) -> int:
    """When what a record tells of began, in ns since 1970. Raises ValueError when it does not tell."""
    return nanoseconds(_required(record, "timestamp"))


def nanoseconds(text: str) -> int:
    """The ns since 1970 of a timestamp in RFC 3339, in UTC. Raises ValueError for any other text and far times."""
    from calendar import timegm

    fraction = text[20:-1]
    is_whole = text[19:] == "Z"
    if not (is_whole or (text[19:20] == "." and text[-1] == "Z" and fraction.isascii() and fraction.isdigit())):
        raise ValueError
    seconds = timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
    return _bounded(seconds * 1_000_000_000 + (0 if is_whole else int(fraction[:9].ljust(9, "0"))))


def _required(record: dict[str, Any], key: str) -> str:
    found: str = _field(record, key, str)
    if not found:
        raise ValueError
    return found


def _field(record: dict[str, Any], key: str, kind: type) -> Any:
    value = record.get(key)
    if value is None:
        return kind()
    if value.__class__ is not kind:
        raise ValueError
    return value


def _bounded(value: int) -> int:
    if not 0 <= value <= _LARGEST:
        raise ValueError
    return value


def _entries(record: dict[str, Any], key: str, kind: type) -> list[Any]:
    found = [kind() if entry is None else entry for entry in _field(record, key, list)]
    if any(entry.__class__ is not kind for entry in found):
        raise ValueError
    return found
