# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource brought to its wanted state: the same steps for every type (behaviour.md 2.5)."""

from __future__ import annotations

import time

from ..model.errors import NotThereYet
from ..model.event import Event
from .attempt import Attempt
from .provider_selection import provider_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Difference
    from .attempt import PreparedResource
    from .context import Context


def run_transaction(
    resource: Resource, context: Context, *, refresh: bool = False, prepared: PreparedResource | None = None
) -> Event:
    """Bring a validated resource to its wanted state, or in noop report what would be done, and return its event.

    With `refresh` it is refreshed as if a resource that it subscribes to had changed; `prepared` is what its group
    already did for it. Any error becomes a failed event (decisions.md Q18), and the run continues. Raises
    BrokenPipeError when the output of the run is no longer read.
    """
    properties = resource.properties
    if properties.meta and properties.meta["noop"] and not context.noop:
        context = context.changed(noop=True)
    event = Event(resource.type.name, properties.name, properties.alias, properties.ensure)
    event.resource = resource
    event.parent = context.applied_by
    event.health_check_only = context.health_check_only
    for sink in context.sinks:
        sink.begun(resource)
    start = time.monotonic_ns()
    try:
        _manage(resource, context, event, refresh, prepared)
    except Exception as error:
        _fail(event, error, context)
    spent = prepared.spent if prepared else 0
    # What its group did for it was before.
    event.started -= spent
    event.finish(time.monotonic_ns() - start + spent)
    return event


def _manage(
    resource: Resource, context: Context, event: Event, refresh: bool, prepared: PreparedResource | None
) -> None:
    properties = resource.properties
    provider = prepared.provider if prepared else provider_of(resource, context)
    event.provider = provider.name
    if properties.control:
        # What only few resources need is imported where it is needed (architecture.md, Imports).
        from .conditions import is_managed

        event.skipped = not is_managed(resource, properties.control, context)
        if event.skipped:
            return
    resource = event.resource = prepared.resource if prepared else context.resolve_deferred(resource)
    properties = resource.properties
    if properties.require:
        from .conditions import unmet

        event.unmet_requirements.extend(unmet(properties.require, context))
        event.skipped = bool(event.unmet_requirements)
        if event.skipped:
            return
    if resource.type.applies_manifests or not context.health_check_only:
        if not prepared:
            resource = event.resource = resource.with_properties(resource.type.derived_values(properties))
        try:
            bring, threads = context.converge or converge, context.machine.threads
            attempt = Attempt(resource, provider, context, refresh, prepared)
            if threads is None:
                state = bring(attempt)
            else:
                # In one manifest a resource starts only when it can have them; another manifest may have them.
                with threads.exclusive(resource.type.semaphores):
                    state = bring(attempt)
            event.status = state
            event.final_ensure = state.ensure
            event.changed = state.changed
            event.refreshed = state.refreshed
            event.noop = state.noop
            event.noop_message = state.noop_message
        except Exception as error:
            _fail(event, error, context)
    if properties.health_checks:
        from .health_checks import run_health_checks

        run_health_checks(resource, event, context)


def converge(attempt: Attempt) -> State:
    """Bring a resource to its state, which is returned. Raises what the provider and the type raise."""
    provider, context, prepared = attempt.provider, attempt.context, attempt.prepared
    properties, type = attempt.resource.properties, attempt.resource.type
    try:
        state: State = prepared.state if prepared else provider.status(properties)
    except NotThereYet as error:
        from .conditions import expected_in_noop

        state = expected_in_noop(error, context)
    subscriptions = type.subscriptions(properties)
    if subscriptions and not attempt.refresh:
        from .conditions import any_changed

        attempt.refresh = any_changed(subscriptions, context)
    decision = prepared.decision if prepared else type.decide(state, properties, attempt.refresh)
    verbs = decision.verbs
    try:
        for verb in () if prepared else verbs:
            provider.require_possible(verb, properties, state)
    except NotThereYet as error:
        from .conditions import expected_in_noop

        expected_in_noop(error, context)
    attempt.state, attempt.decision = state, decision
    attempt.differences = prepared.differences if prepared else differences(attempt) if verbs else []
    for sink in context.sinks:
        sink.decided(attempt)
    state.stable = decision.converged
    if verbs:
        from . import acting

        state = (context.kept or acting).act(attempt)
    state.noop = attempt.noop
    state.refreshed = decision.refreshed
    return state


def differences(attempt: Attempt) -> list[Difference]:
    """Return what acting will change, where anything shows it; see `Provider.differences`."""
    are_shown = any(sink.shows_differences for sink in attempt.context.sinks)
    return attempt.provider.differences(attempt.resource.properties, attempt.state) if are_shown else []


def _fail(event: Event, error: Exception, context: Context) -> None:
    from .failures import fail

    fail(event, error, context.log)
