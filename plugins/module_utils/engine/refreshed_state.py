# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state between runs for a manifest with resources to which earlier runs may owe a refresh."""

from __future__ import annotations

from .between_runs import ManifestState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.state import State
    from .around import Go, Work
    from .attempt import Attempt


class RefreshedState(ManifestState):
    """The state for a manifest with resources that may be owed a refresh: where one is subscribed to another."""

    may_refresh = True

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Bring a resource to its state, and refresh a resource to which earlier runs owe a refresh."""
        subscribed = self.subscribed(attempt.resource)
        return self._refreshing(attempt, subscribed, go) if subscribed else go(attempt)

    def _refreshing(self, attempt: Attempt, subscribed: Sequence[str], go: Go) -> Work[State]:
        if self.run.has_changes:
            with self.run.lock:
                is_owed, attempt.owed = self.changes.refreshes.owed(
                    attempt.resource, subscribed, attempt.context.session
                )
            attempt.refresh = attempt.refresh or is_owed
        state = yield from go(attempt)
        if not state.noop and attempt.refresh:
            with self.run.lock:
                self.changes.refreshes.settle(attempt.resource)
        return state
