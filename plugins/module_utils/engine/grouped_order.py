# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of the list in which adjacent resources are managed together where that makes no difference."""

from __future__ import annotations

from .run import ListOrder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.resource import Resource
    from .notifying import Notifying


class GroupedOrder(ListOrder):
    """Starts `resources` in their order, adjacent ones together; `notifying` says which resources others notify."""

    def __init__(self, resources: Sequence[Resource], notifying: Notifying | None = None) -> None:
        super().__init__(len(resources))
        self._resources = resources
        self._notifying = notifying

    def start(self) -> Sequence[int]:
        """Return the next resource, and those after it that can share its group; none at the end of the list."""
        resources, first = self._resources, self._next
        started = super().start()
        type = resources[first].type if self._next < self._count else None
        if type and type is resources[self._next].type and type.is_groupable(resources[first].properties):
            from .grouping import may_join, run_group

            self.run_group = run_group
            group = [resources[first]]
            while self._next < self._count and may_join(group, resources[self._next], self._notifying):
                group.append(resources[self._next])
                self._next += 1
            return range(first, self._next)
        return started
