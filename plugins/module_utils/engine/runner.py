# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources run in the given order, adjacent ones together where that makes no difference."""

from __future__ import annotations

from .transaction import run_transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..model.event import Event
    from ..model.resource import Resource
    from .context import Context


def run_resource(resource: Resource, context: Context, *, refresh: bool = False) -> Event:
    """Bring one resource to its wanted state and pass its event to the sinks. Raises what a sink raises."""
    event = run_transaction(resource, context, refresh=refresh)
    hand_over(event, context)
    return event


def run_resources(resources: Sequence[Resource], context: Context, *, grouped: bool) -> Iterator[Event]:
    """Run resources in order and yield their events; each runs only when the caller asks for its event.

    Each event is first passed to the sinks. With `grouped` adjacent resources may be changed together (decisions.md,
    Grouping of packages): all changes of such a batch are done before its first event is yielded. Raises what a sink
    raises.
    """
    try:
        for event in _transactions(resources, context, grouped):
            hand_over(event, context)
            yield event
    finally:
        # Steps that providers postponed, for example systemd's reload of its unit files.
        context.machine.run_postponed()


def hand_over(event: Event, context: Context) -> None:
    """Pass an event to the sinks. Raises what a sink raises."""
    for sink in context.sinks:
        sink.finished(event)


def _transactions(resources: Sequence[Resource], context: Context, grouped: bool) -> Iterator[Event]:
    if grouped and not context.noop and not context.health_check_only and _any_neighbours(resources):
        from .grouping import groups, run_group

        for group in groups(resources, context.notifying):
            if context.machine.threads is None or len(group) == 1:
                yield from run_group(group, context)
            else:
                with context.machine.threads.exclusive(group[0].type.semaphores):
                    yield from run_group(group, context)
        return
    for resource in resources:
        yield run_transaction(resource, context)


def _any_neighbours(resources: Sequence[Resource]) -> bool:
    return any(
        one.type is other.type and one.type.is_groupable(one.properties) for one, other in zip(resources, resources[1:])
    )
