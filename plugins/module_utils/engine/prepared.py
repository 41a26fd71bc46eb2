# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A resource that its group has begun to manage."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyProvider
    from ..model.decision import Decision
    from ..model.state import State


class PreparedResource:
    """What a group did for one of its resources before the transaction: its state is read, perhaps it is changed.

    `state` and `decision` are from its `provider` and its type, `done` is whether the decision was carried out, `spent`
    is its share of the time of `act_on_batch`, in ns.
    """

    def __init__(self, provider: AnyProvider, state: State, decision: Decision) -> None:
        self.provider = provider
        self.state = state
        self.decision = decision
        self.done = False
        self.spent = 0
