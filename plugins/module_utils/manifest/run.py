# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs manifests, and the manifests that their resources apply, in the same session (behaviour.md 4, 14)."""

from __future__ import annotations

import os

from ..engine.context import Context
from ..engine.event_log import EventLog
from ..engine.run import Run
from ..lang.paths import join
from ..model.errors import CCMError, ManifestError, ResourceFailed
from ..model.log import BoundLog
from ..model.property import ABSOLUTE
from ..model.provider import ProviderOptions, RunContext
from ..model.state import State
from .loader import Inputs, load_document
from .surroundings import Surroundings, surroundings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..engine.around import Around
    from ..engine.between_runs import StateBetweenRuns
    from ..engine.graph.graph import Graph
    from ..engine.sent import SentLast
    from ..model.event import Event
    from ..model.health_check import CheckResult
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.values import Data, HealthCheck, ManifestProperties
    from .apply_chain import ApplyChain
    from .manifest import Manifest


class RunInterrupted(KeyboardInterrupt):
    """A run ended after Ctrl-C when the resources that were managed then were done."""


def run_manifest(
    manifest: Manifest,
    context: Context,
    state: StateBetweenRuns | None = None,
    *,
    unrecorded: Around | None = None,
    undoes: bool = True,
) -> None:
    """Run every resource, log its event and record it in the session, then pass it to the child sinks.

    `context` has the modes of the run, its session, machine, logs and child sinks, which also receive the events of
    manifests that it applies. With `fail_on_error` the first failed resource ends the run. `state` is what earlier runs
    left; unless `undoes` is false, changes of resources that the manifest does not declare any more are undone. Where
    there is none, `unrecorded` surrounds the resources instead. Raises ManifestError for modes that exclude each other,
    InvalidResource for an unknown provider and for a relative path, all before anything runs, and SessionError when the
    session's store fails.
    """
    run = prepare(manifest, context, state, unrecorded=unrecorded)
    run.announce()
    if context.session:
        context.session.start()
    is_whole = False
    try:
        events = run.run_resources()
        is_whole = len(events) == len(manifest.resources) and not context.is_interrupted
        if state and undoes and not context.health_check_only:
            run.undo(state, events)
    finally:
        context.close()
        if state:
            state.finish(is_whole=is_whole)


class ManifestRun:
    """A run about to begin: the `context` and `surroundings` of its resources, and the log for their results."""

    def __init__(self, context: Context, surroundings: Surroundings, report: Log) -> None:
        self.manifest = surroundings.manifest
        self.context = context
        self.surroundings = surroundings
        self.report = report

    def announce(self, *, is_known: bool = False) -> None:
        """Log that the manifest will run, unless that `is_known`.

        Raises InvalidResource for an unknown provider and for a relative path.
        """
        resources = self.manifest.resources
        for resource in resources:
            if resource.properties.provider or any(prop.pattern == ABSOLUTE for prop in resource.type.own_properties):
                from ..engine.prerequisites import require_runnable

                require_runnable(resource)
        if not is_known:
            title = "Executing manifest health checks" if self.context.health_check_only else "Executing manifest"
            self.report.info(title, manifest=self.manifest.source, resources=len(resources))

    def run_resources(self) -> list[Event]:
        """Run the resources of the manifest; return the events of the resources that ran.

        With `fail_on_error` nothing starts after a failure. In graph order what runs then is finished, and what did not
        start has an event. After Ctrl-C in graph order, also of an applied manifest, the outermost run raises
        RunInterrupted when the resources that ran are finished; `ccm watch` ends itself.
        """
        manifest, context = self.manifest, self.context
        is_outermost = context.applied_by is None and context.machine.commands is None
        schedule = manifest.schedule
        run = self.in_order(range(len(manifest.resources)), context, schedule.graph if schedule else None)
        events = run.run(self.report, ends_at_failure=manifest.fail_on_error and not context.health_check_only)
        if context.is_interrupted and is_outermost:
            raise RunInterrupted
        return events + run.skip_rest() if schedule and not context.is_interrupted else events

    def in_order(self, indexes: Sequence[int], context: Context, graph: Graph | None) -> Run:
        """Return a run of the resources at these indexes, in the order of the list without a `graph` of them."""
        resources = [self.manifest.resources[index] for index in indexes]
        manifest, notifying = self.manifest, self.surroundings.notifying
        grouped = manifest.is_grouped and not context.noop and not context.health_check_only
        schedule = manifest.schedule
        if graph is None or schedule is None:
            if not grouped or len(resources) < 2:
                return Run(resources, context)
            from ..engine.grouped_order import GroupedOrder

            return Run(resources, context, GroupedOrder(resources, notifying))
        from ..engine.graph.order import GraphOrder

        semaphores = [schedule.semaphores[index] for index in indexes]
        order = GraphOrder(resources, graph, semaphores, schedule.limits, grouped=grouped, notifying=notifying)
        if schedule.parallel == 1 or len(resources) < 2:
            from ..engine.interruptions import InterruptibleRun

            return InterruptibleRun(resources, context, order, self.report)
        from ..engine.workers import ThreadedRun

        return ThreadedRun(resources, context, order, parallel=schedule.parallel, report=self.report)

    def undo(self, state: StateBetweenRuns, events: Sequence[Event] = ()) -> None:
        """Undo the changes of resources that the manifest does not declare any more, unless the run was cut short.

        It was by an interruption, or by `fail_on_error` when one of its `events` failed.
        """
        is_cut_short = self.manifest.fail_on_error and any(event.failed for event in events)
        changes = [] if is_cut_short or self.context.is_interrupted else state.undeclared()
        if not changes:
            return
        from ..engine.undo import undo

        for _event in undo(changes, self.context, self.context.sinks, state):
            pass


def prepare(
    manifest: Manifest,
    context: Context,
    state: StateBetweenRuns | None,
    *,
    unrecorded: Around | None = None,
    watch: Around | None = None,
    sent_last: SentLast | None = None,
) -> ManifestRun:
    """Return a run of a manifest; `context` has its modes, session, machine, logs and child sinks.

    `watch` surrounds its resources; `unrecorded` does, and `sent_last` returns what they sent before, where there is no
    `state`. Raises ManifestError for modes that exclude each other.
    """
    if context.noop and context.health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time")
    surroundings = surroundings_of(manifest, state, unrecorded, watch, sent_last, context.user_log)
    return _prepared(surroundings, context, context.user_log)


def run_child(
    properties: ManifestProperties, above: Context, surroundings: Surroundings, chain: ApplyChain | None = None
) -> State:
    """Run the manifest that an apply resource names within the run of `above`; return the state of that resource.

    `surroundings` are around the resources of its manifest, which a `chain` of manifests led to, None for no others.
    Raises ResourceFailed when a resource of the child failed, for a child that is being applied already with the same
    data, for too deep a chain and for a child that may not apply further ones, and what loading and the values that it
    passes on raise.
    """
    from .apply_chain import ApplyChain

    name, parent = properties.name, surroundings.manifest
    path = os.path.abspath(join(above.directory, name))
    around = (above.resources, name in parent.read)
    inputs = parent.inputs.of_child(properties.data, parent.data, around, above.log)
    child = _loaded(path, name, above.directory, inputs, above.log)
    checked = above.health_check_only or properties.health_check_only
    if properties.noop and properties.health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time", property="noop")
    chain = (chain or ApplyChain((parent,))).pushed(child, has_control=bool(properties.control))
    chain.require_progress()
    log = BoundLog(above.user_log, manifest=name)
    noop = (above.noop or properties.noop) and not checked
    surroundings = surroundings.child(properties, child, acts=not checked and noop == above.noop)
    context = above.changed(noop=noop, health_check_only=checked, refresh=False, applied_by=properties)
    run = _prepared(surroundings, context, log, chain)
    is_known = above.known is not None and above.known(name, "")
    run.announce(is_known=is_known)
    chain.check_depth()
    if not properties.allow_apply and any(each.type.applies_manifests for each in child.resources):
        raise ResourceFailed("apply resources are denied", property="allow_apply")
    events = run.run_resources()
    if run.context.is_interrupted and len(events) < len(child.resources):
        raise ResourceFailed("was interrupted before all of its resources were managed")
    if above.session:
        # A child of the child may have managed a resource again.
        events = [above.session.last_event(event.type, event.name) for event in events]
    ran = State(name, "", _counts(child, events, log, is_known=is_known))
    ran.outputs = {}
    if child.engine and child.engine.outputs and not checked:
        try:
            ran.outputs, ran.sends_secrets = surroundings.values.outputs(child.engine.outputs, run.context)
        except CCMError as error:
            error.position = error.position or child.engine.outputs_position
            raise
    return ran


def _prepared(surroundings: Surroundings, above: Context, log: Log, chain: ApplyChain | None = None) -> ManifestRun:
    """Return the run of a manifest, the last one of a chain, whose resources have its facts, data and environment.

    The rest is from the context `above`: their events are logged to `log`, and passed to its child sinks.
    """
    manifest = surroundings.manifest
    environment = manifest.environment
    own_options = manifest.engine.provider_options if manifest.engine else {}
    report = BoundLog(log, healthcheck="true") if above.health_check_only else log
    session = (above.session,) if above.session else ()
    context = above.changed(
        directory=manifest.directory,
        resources=manifest.resources,
        seen_together=manifest.resources,
        environment=environment,
        facts=lambda: environment.facts or {},
        stack=surroundings.stack,
        options=ProviderOptions({**vars(above.options), **own_options}) if own_options else above.options,
        sinks=(
            EventLog(report, only_checked=above.health_check_only, known=above.known),
            *session,
            *above.child_sinks,
        ),
        run_child=lambda properties, context: run_child(properties, context, surroundings, chain),
        run_check=_run_check,
    )
    return ManifestRun(context, surroundings, report)


def _run_check(check: HealthCheck, resource: Resource, context: RunContext) -> CheckResult:
    """Run a health check of any format."""
    from ..health.checks import run_check

    return run_check(check, resource, context)


def _loaded(path: str, name: str, directory: str, inputs: Inputs, log: Log) -> Manifest:
    """Return the child of a manifest in `directory`; if it is wrong the log has the position, which the event omits."""
    try:
        return load_document(inputs.document_in(path, name, directory), name, os.path.dirname(path), inputs)
    except CCMError as error:
        if error.position is not None:
            about = {"resource": error.resource, "property": error.property, "advice": error.advice}
            given = {key: value for key, value in about.items() if value}
            log.error("Manifest is not valid", position=str(error.position), manifest=name, **given)
        raise


def _counts(child: Manifest, events: list[Event], log: Log, *, is_known: bool) -> Data:
    total = len(child.resources)
    failed = sum(event.blocks_dependents for event in events)
    changed = sum(event.changed and not event.blocks_dependents for event in events)
    counts = {"resources": total, "changed": changed, "failed": failed, "skipped": total - failed - changed}
    if failed:
        log.error("Child manifest had failures", **counts)
        raise ResourceFailed(f"child manifest had {failed} failed resources")
    if changed:
        log.warn("Child manifest had changes", **counts)
    elif not is_known:
        log.info("Child manifest completed", **counts)
    return {"resource_count": total, "changed_count": changed, "failed_count": failed}
