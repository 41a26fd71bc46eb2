# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What follows a decision to do something (features.md 2.5)."""

from __future__ import annotations

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import Decision, Resource
    from ..model.state import State
    from .context import Context


def act(resource: Resource, provider: Any, context: Context, state: State, decision: Decision) -> State:
    """Do what was decided and look again, or in noop mode say what would be done; returns the state to show.

    Raises ResourceFailed when the resource is then not as it was asked for.
    """
    if context.noop:
        context.log.info("Skipping as noop", resource=resource.reference, noop=decision.noop_message)
        state.noop_message = decision.noop_message
    else:
        for verb in decision.verbs:
            context.log.info("Acting", resource=resource.reference, action=verb)
            outcome = provider.act(verb, resource.properties, state)
        state = provider.status_after(resource.properties, outcome)
        shortfall = resource.type.shortfall(state, resource.properties)
        if shortfall:
            raise ResourceFailed(f"failed to reach desired state: {shortfall}")
        state.stable = decision.settled or resource.type.settled_after_change
    state.changed = True
    return state
