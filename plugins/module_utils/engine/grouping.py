# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Adjacent resources, brought to their wanted state in batches; the events are the same as one by one.

Events, order and host must be the same as without grouping (decisions.md, Grouping of packages). So a group has only
adjacent resources with the same wanted state and without `require`, `control`, health checks, registrations, tries and
subscriptions, which no other resource notifies. Late expressions of members are resolved before the batch; a resource
whose late expressions may read what a member of the group changes or sends is managed alone. The provider begins a new
batch at a member that depends on another one, which must be done before. After a batch that failed each member is
managed alone.
"""

from __future__ import annotations

import time

from ..model.batch_provider import BatchProvider
from .attempt import Attempt
from .late_calls import depends_on_others
from .transaction import completed, differences, run_transaction, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..model.event import Event
    from ..model.resource import Resource
    from ..model.values import Meta
    from .context import Context
    from .notifying import Notifying


def may_join(group: list[Resource], resource: Resource, notifying: Notifying | None) -> bool:
    """Return whether a resource may be a member of a group, which has one at least."""
    last = group[-1]
    return (
        last.type is resource.type
        and last.properties.ensure == resource.properties.ensure
        and last.properties.provider == resource.properties.provider
        and all(member.properties.name != resource.properties.name for member in group)
        and _may_join(resource, notifying)
        and _may_join(last, notifying)
    )


def _may_join(resource: Resource, notifying: Notifying | None) -> bool:
    type, properties = resource.type, resource.properties
    bound = properties.control or properties.require or properties.health_checks or properties.register_when_stable
    refreshed = type.subscriptions(properties) or (notifying and notifying.of(resource))
    return not (bound or refreshed or depends_on_others(resource)) and (
        _is_plain(properties.meta) and type.is_groupable(properties)
    )


def _is_plain(meta: Meta | None) -> bool:
    """Return whether `meta` says only what comes after the resource: the rest treats the resource alone."""
    if not meta:
        return True
    is_alone = meta["autogroup"] is False or meta["noop"] or meta["retry"] or meta["timeout"] or meta["sema"]
    return not (is_alone or meta["watch"] or meta["poll"])


def run_group(resources: Sequence[Resource], context: Context) -> Iterator[Event]:
    """Manage the resources of a group; yield their events in order, the events of a batch when all of it is done."""
    if context.machine.threads is None:
        yield from _run_group(resources, context)
    else:
        with context.machine.threads.exclusive(resources[0].type.semaphores):
            yield from _run_group(resources, context)


def _run_group(resources: Sequence[Resource], context: Context) -> Iterator[Event]:
    waiting = list(resources)
    while waiting:
        members = _members(waiting, context)
        batch = _batchable(members)
        if batch:
            count = members.index(batch[-1]) + 1
            yield from _run_batch(waiting[:count], members[:count], context)
        elif members:
            count = next((at for at, member in enumerate(members, 1) if member.decision.verbs), len(members))
            for resource, member in zip(waiting[:count], members):
                yield completed(transaction(resource, context, member))
        else:
            count = 1
            yield run_transaction(waiting[0], context)
        del waiting[:count]


def _members(resources: list[Resource], context: Context) -> list[Attempt]:
    """Return attempts of the first resources, with their late values, states and decisions.

    It stops before a resource whose late expressions fail or whose state cannot be read, whose verb is not the verb of
    the group, or whose decision has several verbs or a verb outside `batch_verbs`. Resources without verbs stay.
    """
    members: list[Attempt] = []
    verbs: tuple[str, ...] = ()
    for resource in resources:
        try:
            provider = context.provider_of(resource)
            resolved = context.stack.resolve(resource, context)
            resolved = resolved.with_properties(resolved.type.derived_values(resolved.properties))
            properties = resolved.properties
            state = provider.status(properties)
            decision = resolved.type.decide(state, properties, False)
            for verb in decision.verbs:
                provider.require_possible(verb, properties, state)
            attempt = Attempt(resolved, provider, context, context.refresh)
            attempt.state, attempt.decision, attempt.is_prepared = state, decision, True
            if decision.verbs:
                attempt.differences = differences(attempt)
        except Exception:
            break
        if decision.verbs:
            verbs = verbs or decision.verbs
            batched = provider.batch_verbs if isinstance(provider, BatchProvider) else ()
            if decision.verbs != verbs or len(verbs) > 1 or verbs[0] not in batched:
                break
        members.append(attempt)
    return members


def _batchable(members: list[Attempt]) -> list[Attempt]:
    """Return the first members that the provider can change in one batch; an empty list for fewer than two."""
    acting = [member for member in members if member.decision.verbs]
    if len(acting) < 2:
        return []
    unchanged = [member.resource.properties for member in members if not member.decision.verbs]
    provider = acting[0].provider
    if not isinstance(provider, BatchProvider):
        return []
    try:
        changed = [member.resource.properties for member in acting]
        parts = provider.partition(acting[0].decision.verbs[0], changed, unchanged)
        return acting[: len(parts[0])] if len(parts[0]) > 1 else []
    except Exception:
        return []


def _run_batch(resources: list[Resource], members: list[Attempt], context: Context) -> Iterator[Event]:
    """Yield the events of `resources`, of which all that change something are changed by one command.

    What surrounds each member is entered in their order, then the one command runs, then it is left in reverse order.
    After a command that failed each member acts alone, in their order.
    """
    works = [transaction(resource, context, member) for resource, member in zip(resources, members)]
    events: dict[int, Event] = {}
    try:
        for at, work in enumerate(works):
            try:
                next(work)
            except StopIteration as end:
                events[at] = end.value
        waiting = [at for at in range(len(works)) if at not in events]
        if _act_on_batch([members[at] for at in waiting], context):
            for at in reversed(waiting):
                members[at].is_done = True
                events[at] = completed(works[at])
        failed_before = False
        for at, work in enumerate(works):
            if at not in events and context.is_interrupted:
                return
            if at not in events:
                # The failed batch may have changed some members: a member that is now as wanted is not acted on again.
                # But after a member that fails, every later member is acted on again, also a member that is as wanted.
                members[at].is_done = not failed_before and _is_converged(members[at])
                events[at] = completed(work)
            failed_before = failed_before or events[at].failed
            yield events[at]
    finally:
        for work in reversed(works):
            work.close()


def _act_on_batch(batch: list[Attempt], context: Context) -> bool:
    """Return whether the batch succeeded; each member gets a share of its time."""
    if len(batch) < 2:
        return False
    provider = batch[0].provider
    verb = batch[0].decision.verbs[0]
    if not isinstance(provider, BatchProvider):
        return False
    context.log.info("Acting on a batch", action=verb, resources=len(batch))
    start = time.monotonic_ns()
    names = ", ".join(member.resource.properties.name for member in batch)
    context.user_log.doing(f"{batch[0].resource.type.name}: {verb} {names}")
    try:
        context.machine.time_left()
        provider.act_on_batch(verb, [(member.resource.properties, member.state) for member in batch])
    except Exception as error:
        context.log.info("Batch failed, acting on each resource", action=verb, reason=str(error))
        return False
    finally:
        context.machine.record_change()
        context.user_log.doing("")
        share = (time.monotonic_ns() - start) // len(batch)
        for member in batch:
            member.spent = share
    return True


def _is_converged(member: Attempt) -> bool:
    try:
        state = member.provider.status(member.resource.properties)
        return not member.resource.type.decide(state, member.resource.properties, False).verbs
    except Exception:
        return False
