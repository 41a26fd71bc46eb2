# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the resources of a manifest in graph order, in threads when several run at once."""

from __future__ import annotations

from ..engine.graph_runner import GraphRun
from ..engine.interruptions import on_interruption
from .run import RunInterrupted, run_child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..engine.context import Context
    from ..engine.recording import Recording
    from ..engine.sink import Sink
    from ..model.event import Event
    from ..model.log import Log
    from ..model.resource import Resource
    from .apply_chain import ApplyChain
    from .manifest import Manifest
    from .ordering import Schedule


def run_in_graph_order(
    manifest: Manifest, schedule: Schedule, context: Context, report: Log, chain: ApplyChain, sinks: Sequence[Sink]
) -> list[Event]:
    """Run the resources of a manifest and return their events, in the order in which they ended.

    With `fail_on_error` nothing starts after a failure, what runs is finished, and what did not start has an event.
    Raises RunInterrupted after Ctrl-C, when what ran is finished.
    """
    is_child = context.machine.threads is not None
    run = GraphRun(
        manifest.resources,
        schedule.graph,
        context,
        parallel=schedule.parallel,
        grouped=manifest.is_grouped and not context.noop and not context.health_check_only,
        semaphores=schedule.semaphores,
        limits=schedule.limits,
        report=report,
        context_of=lambda resources, recording: context_of(resources, manifest, context, chain, sinks, recording),
    )
    events = []
    with on_interruption(run.interrupt):
        for event in run.events():
            events.append(event)
            if event.failed and manifest.fail_on_error and not context.health_check_only and not run.is_ending:
                report.warn("Terminating manifest execution due to failed resource")
                run.stop()
    if not run.is_interrupted:
        return events + run.skip_rest()
    if is_child:
        return events
    raise RunInterrupted


def context_of(
    resources: Sequence[Resource],
    manifest: Manifest,
    context: Context,
    chain: ApplyChain,
    sinks: Sequence[Sink],
    recording: Recording,
) -> Context:
    """Return the context of resources that are managed together.

    What they say is kept in `recording`; providers and values are their own.
    """
    return context.changed(
        seen_together=resources,
        log=recording.log(context.log),
        user_log=recording.log(context.user_log),
        sinks=(recording.sink(context.sinks),),
        environment=manifest.environment.fresh(),
        run_child=lambda properties, above: run_child(properties, above, chain, (recording.sink(sinks),)),
    )
