# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The refreshes that a run owes to resources, and the refreshes that earlier runs left (docs/design/state.md)."""

from __future__ import annotations

from ...model.clock import new_event_id, timestamp
from .saved import DOUBT, OWE, SETTLE, OwedRefresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


class OwedRefreshes:
    """The refreshes that earlier runs `left`, and the refreshes of this run; callers store the `records` of changes."""

    def __init__(self, left: Iterable[OwedRefresh]) -> None:
        self._id = ""
        self._count = 0
        self._owed: dict[str, list[OwedRefresh]] = {}
        for owed in left:
            self._owed.setdefault(owed.subscriber, []).append(owed)
        # By subscriber, the causes of this run with the id of the note, "" if an earlier note covers the cause.
        self._own: dict[str, dict[str, str]] = {}
        # By subscriber, the causes of tries that failed with the id of the note, until the resource is refreshed.
        self._doubted: dict[str, dict[str, str]] = {}
        self._changed: set[str] = set()

    def all(self) -> list[OwedRefresh]:
        """Return the refreshes of earlier runs."""
        return [each for listed in self._owed.values() for each in listed]

    def go_on(self) -> None:
        """Begin the next step of a run that does not end: earlier changes do not count as changes of this step."""
        for subscriber, own in self._own.items():
            for cause, id in [each for each in own.items() if each[1] and each[0] in self._changed]:
                del own[cause]
                self._owed.setdefault(subscriber, []).append(OwedRefresh(id, subscriber, cause, timestamp()))
        self._changed = {cause for own in self._own.values() for cause in own}

    def owed(self, subscriber: str) -> list[OwedRefresh]:
        """Return the refreshes that a resource is owed since earlier runs."""
        return self._owed.get(subscriber, [])

    def owe(self, subscriber: str, cause: str, records: list[list[str]], *, each: bool = False) -> None:
        """Note that a resource will be owed a refresh; with `each` even if another cause was noted before."""
        own = self._own.setdefault(subscriber, {})
        if cause not in own:
            earlier = {old.cause for old in self.owed(subscriber) if not old.is_doubtful}
            is_covered = cause in earlier if each else bool(earlier) or any(own.values())
            own[cause] = "" if is_covered else self._noted(subscriber, cause, records)

    def take_back(self, subscriber: str, cause: str, records: list[list[str]]) -> None:
        """Strike off the refresh that was noted in this run because of `cause`, which changed nothing."""
        own = self._own.get(subscriber, {})
        id = own.pop(cause, "") if cause not in self._changed else ""
        if id:
            records.append([SETTLE, id])
            for other in own:
                if not any(own.values()):
                    own[other] = self._noted(subscriber, other, records)

    def doubt(self, subscriber: str, cause: str, records: list[list[str]]) -> None:
        """Note that it is not known whether `cause`, which failed, changed anything."""
        id = self._own.get(subscriber, {}).pop(cause, "") if cause not in self._changed else ""
        if id:
            doubted = self._doubted.setdefault(subscriber, {})
            is_known = any(old.cause == cause and old.is_doubtful for old in self.owed(subscriber))
            is_known = is_known or cause in doubted
            records.append([SETTLE if is_known else DOUBT, id])
            if not is_known:
                doubted[cause] = id

    def confirm(self, causes: list[str]) -> None:
        """Remember that a resource was changed in this run."""
        self._changed.update(causes)

    def settle(self, subscriber: str, records: list[list[str]]) -> None:
        """Strike off all refreshes that a resource was owed."""
        ids = [owed.id for owed in self._owed.pop(subscriber, ())]
        ids += [id for id in self._own.pop(subscriber, {}).values() if id]
        ids += self._doubted.pop(subscriber, {}).values()
        if ids:
            records.append([SETTLE, *ids])

    def replace(self, subscriber: str, owed: OwedRefresh, records: list[list[str]]) -> None:
        """Note that another resource is owed a refresh instead of the noted one, if it is not yet."""
        if any((old.cause, old.is_doubtful) == (owed.cause, owed.is_doubtful) for old in self.owed(subscriber)):
            return
        copy = type(owed)(self._new_id(), subscriber, owed.cause, owed.since, is_doubtful=owed.is_doubtful)
        records.append(copy.record())
        if owed.is_doubtful:
            records.append([DOUBT, copy.id])
        self._owed.setdefault(subscriber, []).append(copy)

    def causes(self, subscriber: str) -> list[str]:
        """Return the causes in this run for which a resource is owed a refresh."""
        return list(self._own.get(subscriber, ()))

    def _noted(self, subscriber: str, cause: str, records: list[list[str]]) -> str:
        id = self._new_id()
        records.append([OWE, id, subscriber, cause, timestamp()])
        return id

    def _new_id(self) -> str:
        self._id = self._id or new_event_id()
        self._count += 1
        return f"{self._id}-{self._count}"
