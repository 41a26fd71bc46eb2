# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of the list: one resource after the other, adjacent ones together where that makes no difference."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.resource import Resource
    from .notifying import Notifying


class ListOrder:
    """Starts `resources` in their order; with `grouped` adjacent ones may be changed together.

    `notifying` says which resources others notify.
    """

    def __init__(
        self, resources: Sequence[Resource], *, grouped: bool = False, notifying: Notifying | None = None
    ) -> None:
        self._resources = resources
        self._grouped = grouped
        self._notifying = notifying
        self._next = 0

    def start(self) -> Sequence[int]:
        """Return the next resource, and those after it that can share its group; none at the end of the list."""
        resources, first = self._resources, self._next
        if first >= len(resources):
            return ()
        self._next += 1
        if self._grouped and self._next < len(resources) and _are_alike(resources[first], resources[self._next]):
            from .grouping import may_join

            group = [resources[first]]
            while self._next < len(resources) and may_join(group, resources[self._next], self._notifying):
                group.append(resources[self._next])
                self._next += 1
        return range(first, self._next)

    def finish(self, indexes: Sequence[int]) -> None:
        """Do nothing: no resource waits for another one."""


def _are_alike(one: Resource, other: Resource) -> bool:
    return one.type is other.type and one.type.is_groupable(one.properties)
