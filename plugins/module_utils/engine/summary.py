# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The counts of a session (behaviour.md 17)."""

from __future__ import annotations

from ..model.clock import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.values import Data
    from .session import Session

OK, WARNING, CRITICAL = range(3)


class Summary:
    """Counts of the events of a session: changed, failed and so on. `unique` is the number of resources.

    `start` is when the last run of the session began; `first` and `end` are when the first resource of the whole
    session began and its last one ended. Each is None when that did not happen. `duration` is in nanoseconds.
    """

    def __init__(self, session: Session) -> None:
        self.first: int | None = None
        self.end: int | None = None
        self.total = self.changed = self.failed = self.skipped = self.stable = 0
        self.refreshed = self.unmet = 0
        self.checked = self.ok = self.warning = self.critical = self.unknown = 0
        unique = set()
        spent = 0
        events = session.events()
        self.start = session.started
        for event in events:
            unique.add(session.key(event.type, event.name))
            spent += event.duration
            self._count(event)
        self.unique = len(unique)
        self.duration = self.end - self.start if self.start is not None and self.end is not None else spent

    def _count(self, event: Event) -> None:
        self.total += 1
        self.first = event.started if self.first is None else min(self.first, event.started)
        self.end = max(self.end or 0, event.started + event.duration)
        if event.failed:
            self.failed += 1
        elif event.skipped:
            self.skipped += 1
        elif event.changed:
            self.changed += 1
        else:
            self.stable += 1
        self.unmet += len(event.unmet_requirements)
        self.refreshed += event.refreshed
        for check in event.health_checks:
            self.checked += 1
            status = check.get("status")
            self.ok += status == OK
            self.warning += status == WARNING
            self.critical += status == CRITICAL
            self.unknown += status not in (OK, WARNING, CRITICAL)

    def as_dict(self) -> Data:
        """Return the summary under the names of the original; the duration in nanoseconds.

        Times are in RFC 3339; a session in which nothing happened has none.
        """
        start = self.first if self.start is None else self.start
        times = {} if start is None else {"start_time": timestamp(start), "end_time": timestamp(self.end or start)}
        return {
            **times,
            "total_duration": self.duration,
            "total_resources": self.total,
            "unique_resources": self.unique,
            "changed_resources": self.changed,
            "failed_resources": self.failed,
            "skipped_resources": self.skipped,
            "stable_resources": self.stable,
            "refreshed_count": self.refreshed,
            "requirements_unmet_count": self.unmet,
            "health_checked_count": self.checked,
            "health_check_ok_count": self.ok,
            "health_check_warning_count": self.warning,
            "health_check_critical_count": self.critical,
            "health_check_unknown_count": self.unknown,
            "total_errors": self.failed,
        }
