# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource driven to its state: the same steps for every type (behaviour.md 2.5)."""

from __future__ import annotations

import time

from ..model.errors import NotThereYet
from ..model.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.contract import AnyProvider
    from ..model.resource import Resource
    from ..model.state import State
    from .begun import Begun
    from .context import Context


def run_transaction(
    resource: Resource, context: Context, *, refresh: bool = False, begun: Begun | None = None
) -> Event:
    """Bring a validated resource to its state, or say what would be done, and tell what became of it.

    With `refresh` it is refreshed as if a subscribed one had changed; `begun` is what its group did for it already.
    What is wrong at run time becomes a failed event (decisions.md Q18); nothing but a broken session is raised.
    """
    properties = resource.properties
    event = Event(resource.type.name, properties.name, properties.alias, properties.ensure)
    event.resource = resource
    event.parent = context.parent
    event.health_check_only = context.health_check_only
    start = time.monotonic_ns()
    try:
        _proceed(resource, context, event, refresh, begun)
    except _failing().FAILURES as error:
        _failing().fail(event, error)
    event.finish(time.monotonic_ns() - start + (begun.spent if begun else 0))
    return event


def _proceed(resource: Resource, context: Context, event: Event, refresh: bool, begun: Begun | None) -> None:
    properties = resource.properties
    provider = begun.provider if begun else provider_of(resource, context)
    event.provider = provider.name
    if properties.control:
        from .conditions import is_managed

        event.skipped = not is_managed(properties.control, context)
        if event.skipped:
            return
    resource = event.resource = context.resolve_deferred(resource)
    properties = resource.properties
    if properties.require:
        from .conditions import unmet

        event.unmet_requirements.extend(unmet(properties.require, context))
        event.skipped = bool(event.unmet_requirements)
        if event.skipped:
            return
    if resource.type.applies_manifests or not context.health_check_only:
        resource = event.resource = resource.with_properties(resource.type.derived_values(properties))
        try:
            _show(event, _converge(resource, provider, context, refresh, begun))
        except _failing().FAILURES as error:
            _failing().fail(event, error)
    if properties.health_checks:
        from .health_checks import run_health_checks

        run_health_checks(resource, event, context)


def _failing() -> Any:
    from . import failing

    return failing


def provider_of(resource: Resource, context: Context) -> AnyProvider:
    """The provider that manages a resource in this run. Raises ResourceFailed when there is none."""
    type = resource.type
    name = resource.properties.provider or type.default_provider
    if name and name == type.default_provider:
        return context.instance_of(type.provider(name), type)
    from .choice import choose_provider

    return choose_provider(resource, context)


def _converge(resource: Resource, provider: AnyProvider, context: Context, refresh: bool, begun: Begun | None) -> State:
    properties, type = resource.properties, resource.type
    noop = context.noop and not type.applies_manifests
    try:
        state: State = begun.state if begun else provider.status(properties)
    except NotThereYet as error:
        from .conditions import foreseen

        state = foreseen(error, context)
    subscribed = type.subscriptions(properties)
    if subscribed and not refresh:
        from .conditions import any_changed

        refresh = any_changed(subscribed, context)
    decision = begun.decision if begun else type.decide(state, properties, refresh)
    for sink in context.sinks:
        sink.decided(resource, provider, state, decision, context)
    state.stable = decision.settled
    if decision.verbs:
        from .acting import act

        state = act(resource, provider, context, state, decision, noop=noop, done=begun is not None and begun.done)
    state.noop = noop
    state.refreshed = decision.refreshed
    return state


def _show(event: Event, state: State) -> None:
    event.status = state
    event.final_ensure = state.ensure
    event.changed = state.changed
    event.refreshed = state.refreshed
    event.noop = state.noop
    event.noop_message = state.noop_message
