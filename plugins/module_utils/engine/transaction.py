# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource driven to its state: the same steps for every type (features.md 2.5)."""

from __future__ import annotations

import time

from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.event import Event

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
    provider = _provider(resource, context)
    event.provider = provider.name
    if properties.control:
        from .conditions import is_managed

        event.skipped = not is_managed(properties.control, context)
        if event.skipped:
            return
    context.resolve_deferred(resource)
    if properties.require:
        from .conditions import unmet

        for reference in unmet(properties.require, context):
            event.unmet_requirements.append(reference)
        event.skipped = bool(event.unmet_requirements)
        if event.skipped:
            return
    if not context.health_check_only:
        try:
            _show(event, _converge(resource, provider, context, refresh))
        except (CCMError, HostError) as error:
            event.fail(str(error), error)
    if properties.health_checks:
        from .health.checks import run_health_checks

        run_health_checks(resource, event, context)


def _provider(resource: Resource, context: Context) -> Any:
    type, named = resource.type, resource.properties.provider
    if type.default_provider and named in ("", type.default_provider):
        return type.provider(type.default_provider)(context.directory, context.user_log)
    from .choice import choose_provider

    return choose_provider(resource, context)


def _converge(resource: Resource, provider: Any, context: Context, refresh: bool) -> State:
    properties, type = resource.properties, resource.type
    state: State = provider.status(properties)
    subscribed = type.subscriptions(properties)
    if subscribed and not refresh:
        from .conditions import any_changed

        refresh = any_changed(subscribed, context)
    decision = type.decide(state, properties, refresh)
    context.before(resource, provider, state, decision)
    state.stable = decision.settled
    if decision.verbs:
        from .acting import act

        state = act(resource, provider, context, state, decision)
    state.noop = context.noop
    state.refreshed = decision.refreshed
    return state


def _show(event: Event, state: State) -> None:
    event.status = state
    event.final_ensure = state.ensure
    event.changed = state.changed
    event.refreshed = state.refreshed
    event.noop = state.noop
    event.noop_message = state.noop_message
