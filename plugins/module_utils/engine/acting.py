# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What follows a decision to do something (behaviour.md 2.5)."""

from __future__ import annotations

from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyProvider
    from ..model.decision import Decision
    from ..model.resource import Resource
    from ..model.state import State
    from .context import Context


def act(
    resource: Resource,
    provider: AnyProvider,
    context: Context,
    before: State,
    decision: Decision,
    *,
    noop: bool = False,
    done: bool = False,
) -> State:
    """Do what was decided and look again, or in `noop` say what would be done; returns the state to show.

    With `done` it has been done already, together with others. Raises ResourceFailed when the resource is then not as
    it was asked for.
    """
    if noop:
        context.log.info("Skipping as noop", resource=resource.reference, noop=decision.noop_message)
        before.noop_message = decision.noop_message
        before.changed = True
        return before
    try:
        for verb in () if done else decision.verbs:
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
    shortfall = resource.type.shortfall(after, resource.properties)
    if shortfall:
        raise ResourceFailed(f"failed to reach desired state: {shortfall}")
    after.changed = resource.type.has_changed(before, after)
    type = resource.type
    after.stable = decision.settled or type.settled_after_change or (type.applies_manifests and not after.changed)
    return after
