# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One resource brought to its wanted state: the same steps for every type (behaviour.md 2.5).

A transaction is a generator that pauses where the one command of a group runs (grouping.py); alone it never does.
"""

from __future__ import annotations

import time

from ..host.machine import record_acting
from ..model.errors import NotThereYet, ResourceFailed
from ..model.event import Event
from .attempt import Attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Properties, Resource
    from ..model.state import State
    from ..model.values import Difference
    from .around import T, Work
    from .context import Context


def run_transaction(resource: Resource, context: Context) -> Event:
    """Bring a validated resource to its wanted state, or in noop report what would be done, and return its event.

    Any error becomes a failed event (decisions.md Q18), and the run continues. Raises BrokenPipeError when the output
    of the run is no longer read.
    """
    return completed(transaction(resource, context))


def completed(work: Work[T]) -> T:
    """Do some work to its end, also when it paused before, and return its result. Raises what it raises."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def transaction(resource: Resource, context: Context, prepared: Attempt | None = None) -> Work[Event]:
    """Do the work of `run_transaction`; `prepared` is the attempt that the group of the resource already decided."""
    properties, outer = resource.properties, context
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
        yield from _manage(resource, context, event, prepared)
    except Exception as error:
        _fail(event, error, context)
    if context is not outer:
        context.release()
    if event.failed and _may_hide(event.resource.properties):
        from .hidden_properties import hide_reasons

        hide_reasons(event)
    in_group = prepared.spent - prepared.paused if prepared else 0
    event.finish(time.monotonic_ns() - start + in_group)
    return event


def _manage(resource: Resource, context: Context, event: Event, prepared: Attempt | None) -> Work[None]:
    properties = resource.properties
    provider = prepared.provider if prepared else context.provider_of(resource)
    event.provider = provider.name
    if properties.control or properties.require:
        # What only few resources need is imported where it is needed (architecture.md, Imports).
        from .conditions import is_managed, unmet
    if properties.control:
        event.skipped = not is_managed(resource, properties.control, context)
        if event.skipped:
            return
    resource = event.resource = prepared.resource if prepared else context.stack.resolve(resource, context)
    properties = resource.properties
    if properties.require:
        for reference in unmet(properties.require, context):
            event.unmet_requirements = [*event.unmet_requirements, reference]
        event.skipped = bool(event.unmet_requirements)
        if event.skipped:
            return
    if resource.type.applies_manifests or not context.health_check_only:
        derived = {} if prepared else resource.type.derived_values(properties)
        if derived:
            resource = event.resource = resource.with_properties(derived)
        attempt = prepared or Attempt(resource, provider, context, context.refresh)
        threads, semaphores = context.machine.threads, resource.type.semaphores
        try:
            if not semaphores:
                state = yield from context.stack.attempt(attempt, converge)
            elif threads is None:
                state = yield from _attempt_alone(attempt)
            else:
                # In one manifest a resource starts only when it can have them; another manifest may have them.
                with threads.exclusive(semaphores):
                    state = yield from _attempt_alone(attempt)
            event.status = state
            event.final_ensure = state.ensure
            event.changed = state.changed
            event.refreshed = state.refreshed
            event.noop = state.noop
            event.noop_message = state.noop_message
        except Exception as error:
            _fail(event, error, context)
        event.decision = attempt.decision
    if properties.health_checks:
        from .health_checks import run_health_checks

        run_health_checks(resource, event, context)


def _attempt_alone(attempt: Attempt) -> Work[State]:
    """Bring a resource to its state, unless a call that goes on has a semaphore of its type; raises as `converge`."""
    from ..host.given_up import calls_that_go_on

    if calls_that_go_on():
        from .semaphores import require_free_of_types

        require_free_of_types(attempt.resource.type.semaphores)
    return (yield from attempt.context.stack.attempt(attempt, converge))


def converge(attempt: Attempt) -> Work[State]:
    """Bring a resource to its state, which is returned. Raises what the provider and the type raise."""
    provider, context, is_prepared = attempt.provider, attempt.context, attempt.is_prepared
    properties, type = attempt.resource.properties, attempt.resource.type
    try:
        state: State = attempt.state if is_prepared else provider.status(properties)
    except NotThereYet as error:
        state = _expected(error, context)
    subscriptions = () if attempt.refresh else type.subscriptions(properties)
    if subscriptions:
        from .conditions import any_changed

        attempt.refresh = any_changed(subscriptions, context)
    decision = attempt.decision if is_prepared else type.decide(state, properties, attempt.refresh)
    verbs = decision.verbs
    try:
        for verb in () if is_prepared else verbs:
            provider.require_possible(verb, properties, state)
    except NotThereYet as error:
        _expected(error, context)
    attempt.state, attempt.decision = state, decision
    if not is_prepared:
        attempt.differences = differences(attempt) if verbs else []
    for sink in context.sinks:
        sink.decided(attempt)
    state.stable = decision.converged
    if verbs:
        state = yield from context.stack.act(attempt, act)
    state.noop = attempt.noop
    state.refreshed = decision.refreshed
    return state


def _expected(error: NotThereYet, context: Context) -> State:
    """Return the state that is expected in noop. Raises the error otherwise."""
    from .conditions import expected_in_noop

    return expected_in_noop(error, context)


def differences(attempt: Attempt) -> list[Difference]:
    """Return what acting will change, where anything shows it; see `Provider.differences`."""
    properties = attempt.resource.properties
    if not any(sink.shows_differences for sink in attempt.context.sinks):
        return []
    found = attempt.provider.differences(properties, attempt.state)
    if found and _may_hide(properties):
        from .hidden_properties import shown_differences

        return shown_differences(properties, found)
    return found


def act(attempt: Attempt) -> Work[State]:
    """Do what was decided and read the state again, or in noop report what would be done; return the state to show.

    The state is `stable` when nothing remains to be done: a resource that was changed can be stable too. Raises
    ResourceFailed when the resource is not as wanted afterwards.
    """
    resource, provider, context = attempt.resource, attempt.provider, attempt.context
    properties, before, decision = resource.properties, attempt.state, attempt.decision
    machine, user_log = context.machine, context.user_log
    if attempt.noop:
        context.log.info("Skipping as noop", resource=resource.reference, noop=decision.noop_message)
        before.noop_message = decision.noop_message
        before.changed = True
        return before
    try:
        if attempt.is_prepared:
            begin = time.monotonic_ns()
            yield
            attempt.paused = time.monotonic_ns() - begin
        reference = resource.reference
        for verb in () if attempt.is_done else decision.verbs:
            machine.time_left()
            context.log.info("Acting", resource=reference, action=verb)
            user_log.doing(f"{reference}: {verb}")
            try:
                provider.act(verb, properties, before)
            finally:
                record_acting(machine, before.written_path)
                if user_log.shows_progress:
                    user_log.doing("")
    finally:
        provider.drop_unfinished(properties)
    attempt.generation = machine.generation
    after: State = provider.status_after(properties, before)
    type = resource.type
    shortfall = type.shortfall(after, properties)
    if shortfall:
        raise ResourceFailed(f"failed to reach desired state: {shortfall}")
    after.changed = type.has_changed(before, after)
    # A manifest that was applied is stable when none of its resources changed.
    stable_now = not after.changed if type.applies_manifests else type.stable_after_change
    after.stable = decision.converged or stable_now
    return after


def _may_hide(properties: Properties) -> bool:
    """Return whether a resource sends values with settings: only then it may have sensitive values of others."""
    return bool(properties.meta and properties.meta["send"])


def _fail(event: Event, error: Exception, context: Context) -> None:
    from .failures import fail

    fail(event, error, context.log)
