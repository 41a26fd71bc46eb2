# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource driven to its state: the same steps for every type (features.md 2.5)."""

from __future__ import annotations

import time

from ..host.errors import HostError
from ..model.errors import CCMError, ResourceFailed
from ..model.event import Event
from .choice import choose_provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import Resource
    from ..model.state import State
    from .context import Context


def run_transaction(resource: Resource, context: Context, *, refresh: bool = False) -> Event:
    """Bring a validated resource to its state, or say what would be done, and tell what became of it.

    With `refresh` the resource is refreshed as if a subscribed one had changed. What is wrong with the resource at
    run time becomes a failed event (decisions.md Q18); nothing but a broken session is raised.
    """
    event = Event(resource)
    event.health_check_only = context.health_check_only
    start = time.monotonic_ns()
    try:
        _proceed(resource, context, event, refresh)
    except (CCMError, HostError) as error:
        event.fail(str(error), error)
    event.finish(time.monotonic_ns() - start)
    return event


def _proceed(resource: Resource, context: Context, event: Event, refresh: bool) -> None:
    properties = resource.properties
    provider = choose_provider(resource, context)
    event.provider = provider.name
    if properties.control and not _is_managed(properties.control, context):
        event.skipped = True
        return
    context.resolve_deferred(resource)
    for reference in properties.require:
        if _last_event(reference, context).blocks_dependents:
            event.unmet_requirements.append(reference)
    if event.unmet_requirements:
        event.skipped = True
        return
    if not context.health_check_only:
        try:
            _show(event, _converge(resource, provider, context, refresh))
        except (CCMError, HostError) as error:
            event.fail(str(error), error)
    if properties.health_checks:
        from .health.checks import run_health_checks

        run_health_checks(resource, event, context)


def _is_managed(control: dict[str, str], context: Context) -> bool:
    if control["if"] and not context.holds(control["if"]):
        return False
    return not (control["unless"] and context.holds(control["unless"]))


def _converge(resource: Resource, provider: Any, context: Context, refresh: bool) -> State:
    properties, type = resource.properties, resource.type
    state: State = provider.status(properties)
    refresh = refresh or _is_refreshed(resource, context)
    decision = type.decide(state, properties, refresh)
    context.before(resource, provider, state, decision)
    settled = decision.settled
    if decision.verbs and context.noop:
        context.log.info("Skipping as noop", resource=resource.reference, noop=decision.noop_message)
        state.noop_message = decision.noop_message
    elif decision.verbs:
        for verb in decision.verbs:
            context.log.info("Acting", resource=resource.reference, action=verb)
            outcome = provider.act(verb, properties, state)
        state = provider.status_after(properties, outcome)
        shortfall = type.shortfall(state, properties)
        if shortfall:
            raise ResourceFailed(f"failed to reach desired state: {shortfall}")
        settled = settled or type.settled_after_change
    state.noop = context.noop
    state.changed = bool(decision.verbs)
    state.stable = settled
    state.refreshed = decision.refreshed
    return state


def _is_refreshed(resource: Resource, context: Context) -> bool:
    references = resource.type.subscriptions(resource.properties)
    return any(_last_event(reference, context).changed for reference in references)


def _last_event(reference: str, context: Context) -> Any:
    if context.session is None:
        raise ResourceFailed(f"no events found for {reference}")
    type_name, _hash, name = reference.partition("#")
    return context.session.last_event(type_name, name)


def _show(event: Event, state: State) -> None:
    event.status = state
    event.final_ensure = state.ensure
    event.changed = state.changed
    event.refreshed = state.refreshed
    event.noop = state.noop
    event.noop_message = state.noop_message
