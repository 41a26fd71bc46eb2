# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""When a resource may be checked again: its limit, its tries after failures, and pauses while it flaps.

Pure: times are handed in, in ns of a clock that is never set back.
"""

from __future__ import annotations

from ...model.meta import delay_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Meta
    from .settings import WatchSettings

SECOND = 1_000_000_000
#: A resource flaps that was repaired more often than this within the period.
REPAIRS, PERIOD = 5, 60 * SECOND
_SHORTEST_PAUSE, _LONGEST_PAUSE = SECOND // 10, 60 * SECOND
#: The default limit: so many checks at once, then one in each interval.
_BURST, _INTERVAL = 20, SECOND // 10
#: The limit of services: systemd starts a unit five times in ten seconds.
_SERVICE_BURST, _SERVICE_INTERVAL = 3, 2 * SECOND


class Pace:
    """The pace of one resource with these settings.

    `failures` counts the checks that failed one after the other, `repairs` has the times of repairs in the last period.
    The resource `is_flapping` while it is repaired too often.
    """

    __slots__ = (
        "_burst",
        "_full_at",
        "_has_limit",
        "_interval",
        "_is_service",
        "_not_before",
        "_pauses",
        "_repaired_at",
        "failures",
        "is_flapping",
        "repairs",
    )

    def __init__(self, settings: WatchSettings, *, is_service: bool) -> None:
        self.failures = 0
        self.is_flapping = False
        self.repairs: tuple[int, ...] = ()
        self._is_service = is_service
        self._has_limit = is_service or settings.interval is not None
        self._burst, self._interval = (_SERVICE_BURST, _SERVICE_INTERVAL) if is_service else (_BURST, _INTERVAL)
        if settings.interval is not None:
            self._burst, self._interval = settings.burst, settings.interval
        # The time from which a whole burst of checks is allowed again.
        self._full_at = 0
        self._not_before = 0
        self._repaired_at = 0
        self._pauses = 0

    @property
    def allowed_at(self) -> int:
        """When the next check is allowed because of a change."""
        # One check is allowed so long before a whole burst is.
        return max(self._not_before, self._full_at - (self._burst - 1) * self._interval)

    @property
    def earliest(self) -> int:
        """When a service or a resource with a limit may be checked again: systemd limits the starts of a service."""
        return self.allowed_at if self._has_limit else 0

    def begin(self, now: int) -> None:
        """Count a check."""
        self._full_at = max(self._full_at, now) + self._interval

    def failed(self, now: int, meta: Meta | None) -> int:
        """Count a failure, and return the time of the next try.

        It is after the delay of `meta` as long as tries are left, then after pauses that become longer.
        """
        self.failures += 1
        delay, retry = (delay_of(meta), meta["retry"]) if meta else (0, 0)
        if not (self.failures <= retry or retry < 0):
            over = self.failures - retry - 1
            delay = min(max(delay, SECOND) << min(over, 6), max(delay, _LONGEST_PAUSE))
        # Other resources have their turn in between.
        delay = max(delay, _SHORTEST_PAUSE)
        if self._is_service:
            # A start that fails changes the unit, too.
            self._not_before = now + delay
        return max(now + delay, self.earliest)

    def succeeded(self) -> None:
        """Forget the failures."""
        self.failures = 0

    def repaired(self, now: int) -> bool:
        """Count a repair; return whether the resource begins to flap."""
        if self._repaired_at + PERIOD + _LONGEST_PAUSE < now:
            self.is_flapping, self._pauses = False, 0
        self._repaired_at = now
        self.repairs = (*(when for when in self.repairs if when > now - PERIOD), now)
        was_flapping, self.is_flapping = self.is_flapping, len(self.repairs) > REPAIRS or self._pauses > 0
        if self.is_flapping:
            self._not_before = now + min(SECOND << min(self._pauses, 6), _LONGEST_PAUSE)
            self._pauses += 1
        return self.is_flapping and not was_flapping

    def end_pause(self) -> None:
        """Allow the next try of a service as soon as systemd allows it; earlier tries count."""
        if not self.is_flapping:
            self._not_before = 0
