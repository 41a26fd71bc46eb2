# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a transaction finds done when its resource belongs to a group."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyProvider
    from ..model.decision import Decision
    from ..model.state import State


class Begun:
    """What a group has seen and done for a member, by its `provider`.

    `state` and `decision` are those from before, `done` tells whether that was done, `spent` is the share of the time
    in ns.
    """

    def __init__(self, provider: AnyProvider, state: State, decision: Decision) -> None:
        self.provider = provider
        self.state = state
        self.decision = decision
        self.done = False
        self.spent = 0
