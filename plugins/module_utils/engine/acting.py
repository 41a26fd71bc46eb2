# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What was decided for a resource is done, or reported in noop (behaviour.md 2.5)."""

from __future__ import annotations

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.state import State
    from .attempt import Attempt


def act(attempt: Attempt) -> State:
    """Do what was decided and read the state again, or in noop report what would be done; return the state to show.

    The state is `stable` when nothing remains to be done: a resource that was changed can be stable too. Raises
    ResourceFailed when the resource is not as wanted afterwards.
    """
    resource, provider, context = attempt.resource, attempt.provider, attempt.context
    before, decision = attempt.state, attempt.decision
    if attempt.noop:
        context.log.info("Skipping as noop", resource=resource.reference, noop=decision.noop_message)
        before.noop_message = decision.noop_message
        before.changed = True
        return before
    try:
        for verb in () if attempt.prepared and attempt.prepared.done else decision.verbs:
            context.machine.time_left()
            context.log.info("Acting", resource=resource.reference, action=verb)
            context.user_log.doing(f"{resource.reference}: {verb}")
            try:
                provider.act(verb, resource.properties, before)
            finally:
                context.machine.record_change()
                context.user_log.doing("")
    finally:
        provider.drop_unfinished(resource.properties)
    after: State = provider.status_after(resource.properties, before)
    type = resource.type
    shortfall = type.shortfall(after, resource.properties)
    if shortfall:
        raise ResourceFailed(f"failed to reach desired state: {shortfall}")
    after.changed = type.has_changed(before, after)
    # A manifest that was applied is stable when none of its resources changed.
    stable_now = not after.changed if type.applies_manifests else type.stable_after_change
    after.stable = decision.converged or stable_now
    return after
