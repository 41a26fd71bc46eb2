# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs manifests, and those that their resources apply, in the same session (behaviour.md 4, 14)."""

from __future__ import annotations

import os

from ..engine.context import Context
from ..engine.event_log import EventLog
from ..engine.prerequisites import require_runnable
from ..engine.runner import run_resources
from ..engine.transaction import converge
from ..health.checks import run_check
from ..lang.paths import join
from ..model.errors import CCMError, ManifestError, ResourceFailed
from ..model.log import BoundLog
from ..model.provider import ProviderOptions
from ..model.state import State
from .apply_chain import ApplyChain, Link
from .loader import Inputs, load_document
from .senders import Senders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Sequence

    from ..engine.passed_on import Declaring, Keeping, Notifying
    from ..engine.sent import SentLast
    from ..engine.session import Session
    from ..engine.sink import Sink
    from ..engine.state.run_state import RunState
    from ..host.machine import Machine
    from ..model.event import Event
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.values import Data, ManifestProperties
    from .apply_chain import WrapConverge
    from .manifest import Manifest

    #: Returns the state between runs of the resources of a manifest.
    KeepingOf = Callable[[Sequence[Resource], "Notifying | None", Declaring], Keeping]


class RunInterrupted(KeyboardInterrupt):
    """A run ended after Ctrl-C when the resources that were managed then were done."""


def run_manifest(
    manifest: Manifest,
    session: Session,
    machine: Machine,
    *,
    noop: bool = False,
    health_check_only: bool = False,
    log: Log,
    user_log: Log,
    sinks: Sequence[Sink] = (),
    state: RunState | None = None,
    undoes: bool = True,
) -> None:
    """Run every resource, log its event and record it in the session, then pass it to the other `sinks`.

    These also receive the events of manifests that it applies. With `fail_on_error` the first failed resource ends the
    run. `state` is what earlier runs left; unless `undoes` is false, changes of resources that the manifest does not
    declare any more are undone. Raises ManifestError for modes that exclude each other, InvalidResource for
    an unknown provider and for a relative path, all before anything runs, and SessionError when the session's store
    fails.
    """
    run = prepare(
        manifest,
        session,
        machine,
        noop=noop,
        health_check_only=health_check_only,
        log=log,
        user_log=user_log,
        sinks=sinks,
        state=state,
    )
    context = run.context
    announce(manifest, context, run.report)
    session.start()
    try:
        events = run.run_resources()
        is_cut_short = context.is_interrupted or (manifest.fail_on_error and any(event.failed for event in events))
        if state and undoes and not health_check_only and not is_cut_short:
            run.undo(state)
    finally:
        if state:
            state.finish()


class Run:
    """A run of a manifest that is about to begin: the `context` of its resources, and the log for their results.

    `chain` are the manifests down to this one; `sinks` receive the events of those that it applies, too.
    """

    def __init__(
        self, manifest: Manifest, context: Context, report: Log, chain: ApplyChain, sinks: Sequence[Sink]
    ) -> None:
        self.manifest = manifest
        self.context = context
        self.report = report
        self.chain = chain
        self.sinks = sinks

    def run_resources(self) -> list[Event]:
        """Run the resources of the manifest; return the events of those that ran."""
        return _run_resources(self.manifest, self.context, self.report, self.chain, self.sinks)

    def undo(self, state: RunState) -> None:
        """Undo the changes of resources that the manifest does not declare any more."""
        changes = state.undeclared()
        if not changes:
            return
        from ..engine.state.undo import undo, undoing

        session = (self.context.session,) if self.context.session else ()
        for _event in undo(changes, undoing(self.context, (EventLog(self.report), *session, *self.sinks)), state):
            pass


def prepare(
    manifest: Manifest,
    session: Session,
    machine: Machine,
    *,
    noop: bool,
    health_check_only: bool,
    log: Log,
    user_log: Log,
    sinks: Sequence[Sink],
    state: RunState | None,
    wrap_converge: WrapConverge | None = None,
    sent_last: SentLast | None = None,
) -> Run:
    """Return a run of a manifest; see `run_manifest`. Raises ManifestError for modes that exclude each other."""
    if noop and health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time")
    chain = ApplyChain((Link(manifest),))
    chain.sent_last = state.sent if state else sent_last
    chain.wrap_converge = wrap_converge
    report = _event_log(user_log, health_check_only)
    above = Context(session, machine=machine, log=log, user_log=user_log)
    context = _context(
        manifest,
        above,
        chain,
        _senders(manifest, above, chain, noop=noop, health_check_only=health_check_only),
        sinks,
        report,
        noop=noop,
        health_check_only=health_check_only,
        keeping=state.of_manifest if state else None,
    )
    return Run(manifest, context, report, chain, sinks)


def run_child(properties: ManifestProperties, above: Context, chain: ApplyChain, sinks: Sequence[Sink] = ()) -> State:
    """Run the manifest that an apply resource names within the run of `above`; return the state of that resource.

    `chain` are the manifests down to the one that holds the resource; `sinks` receive the events as the session does.
    Raises ResourceFailed when a resource of the child failed, for a child that is being applied already with the same
    data, for too deep a chain and for a child that may not apply further ones, and what loading and the values that it
    passes on raise.
    """
    name, parent = properties.name, chain.manifest
    path = os.path.abspath(join(above.directory, name))
    around = (above.resources, name in parent.read)
    inputs = parent.inputs.of_child(properties.data, parent.data, around, above.log)
    child = _loaded(path, name, above.directory, inputs, above.log)
    checked = above.health_check_only or properties.health_check_only
    if properties.noop and properties.health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time", property="noop")
    chain = chain.pushed(child, has_control=bool(properties.control))
    chain.require_progress()
    log = BoundLog(above.user_log, manifest=name)
    report = _event_log(log, checked)
    noop = (above.noop or properties.noop) and not checked
    senders = _senders(child, above, chain, noop=noop, health_check_only=checked)
    context = _context(
        child,
        above,
        chain,
        senders,
        sinks,
        report,
        noop=noop,
        health_check_only=checked,
        applied_by=properties,
        keeping=_keeping_of_child(above, name, acts=not checked and noop == above.noop),
    )
    announce(child, context, report)
    chain.check_depth()
    if not properties.allow_apply and any(each.type.applies_manifests for each in child.resources):
        raise ResourceFailed("apply resources are denied", property="allow_apply")
    events = _run_resources(child, context, report, chain, sinks)
    if context.is_interrupted and len(events) < len(child.resources):
        raise ResourceFailed("was interrupted before all of its resources were managed")
    counts = _counts(child, _last_events(events, above.session), log)
    declared = child.engine.outputs if child.engine and not checked else {}
    ran = State(name, "", counts)
    try:
        ran.outputs, ran.sends_secrets = senders.outputs(declared)
    except CCMError as error:
        error.position = error.position or (child.engine.outputs_position if child.engine else None)
        raise
    return ran


def _context(
    manifest: Manifest,
    above: Context,
    chain: ApplyChain,
    senders: Senders,
    sinks: Sequence[Sink],
    report: Log,
    *,
    noop: bool,
    health_check_only: bool,
    applied_by: ManifestProperties | None = None,
    keeping: KeepingOf | None = None,
) -> Context:
    """Return the context of a manifest within the run of the one `above`.

    Its resources have its facts, data and environment.

    Their events are logged to `report`. `keeping` returns the state between runs of the resources.
    """
    environment, session = manifest.environment, above.session
    inherited = above.notifying_below
    notifying = manifest.order.notifying.joined(inherited) if manifest.order else inherited
    kept = keeping(manifest.resources, notifying, manifest) if keeping else None
    bring = notifying.treatment() if notifying else converge
    if kept:
        bring = kept.around(bring)
    if chain.wrap_converge:
        bring = chain.wrap_converge(bring, chain, manifest)
    context = Context(
        session,
        machine=above.machine,
        noop=noop,
        health_check_only=health_check_only,
        directory=manifest.directory,
        log=above.log,
        user_log=above.user_log,
        resources=manifest.resources,
        environment=environment,
        facts=lambda: environment.facts or {},
        resolve_deferred=senders.resolve,
        options=_options(manifest, above.options),
        sinks=(
            senders,
            EventLog(report, only_checked=health_check_only),
            *((session,) if session else ()),
            *((kept.sink,) if kept else ()),
            *sinks,
        ),
        applied_by=applied_by,
        run_child=lambda properties, context: run_child(properties, context, chain, sinks),
        run_check=run_check,
        converge=bring,
        notifying=notifying,
        notifying_below=notifying.outside(manifest.resources) if notifying else None,
    )
    context.kept = kept
    return context


def _senders(manifest: Manifest, above: Context, chain: ApplyChain, *, noop: bool, health_check_only: bool) -> Senders:
    return Senders(
        manifest.environment,
        above.session,
        chain.sent_last,
        above.user_log,
        noop=noop,
        health_check_only=health_check_only,
        apart=manifest.order is not None and manifest.order.schedule is not None,
        strict=manifest.inputs.strict,
    )


def _keeping_of_child(above: Context, name: str, *, acts: bool) -> KeepingOf | None:
    kept = above.kept
    return (
        None
        if kept is None
        else lambda resources, notifying, declaring: kept.child(name, resources, notifying, declaring, acts=acts)
    )


def _options(manifest: Manifest, inherited: ProviderOptions) -> ProviderOptions:
    """Return the options of providers: those of the manifest over the inherited ones."""
    own = manifest.engine.provider_options if manifest.engine else {}
    return ProviderOptions({**vars(inherited), **own})


def _event_log(log: Log, health_check_only: bool) -> Log:
    """Return the log for the results of a manifest's resources."""
    return BoundLog(log, healthcheck="true") if health_check_only else log


def announce(manifest: Manifest, context: Context, report: Log) -> None:
    """Log that a manifest will run.

    Raises InvalidResource when a resource names an unknown provider, or has a relative path.
    """
    for resource in manifest.resources:
        require_runnable(resource)
    title = "Executing manifest health checks" if context.health_check_only else "Executing manifest"
    report.info(title, manifest=manifest.source, resources=len(manifest.resources))


def _run_resources(
    manifest: Manifest, context: Context, report: Log, chain: ApplyChain, sinks: Sequence[Sink]
) -> list[Event]:
    """Run the resources of a manifest; return the events of those that ran."""
    schedule = manifest.order.schedule if manifest.order else None
    if schedule:
        from .graph_run import run_in_graph_order

        return run_in_graph_order(manifest, schedule, context, report, chain, sinks)
    events = []
    for event in run_resources(manifest.resources, context, grouped=manifest.is_grouped):
        events.append(event)
        if event.failed and manifest.fail_on_error and not context.health_check_only:
            report.warn("Terminating manifest execution due to failed resource")
            break
        if context.is_interrupted:
            break
    return events


def _loaded(path: str, name: str, directory: str, inputs: Inputs, log: Log) -> Manifest:
    """Return the child of a manifest in `directory`.

    Where it is wrong the log has the place, which the recorded error text in the line of the resource omits.
    """
    try:
        return load_document(inputs.document_in(path, name, directory), name, os.path.dirname(path), inputs)
    except CCMError as error:
        if error.position is not None:
            about = {"resource": error.resource, "property": error.property, "advice": error.advice}
            given = {key: value for key, value in about.items() if value}
            log.error("Manifest is not valid", position=str(error.position), manifest=name, **given)
        raise


def _last_events(events: Iterable[Event], session: Session | None) -> list[Event]:
    """Return the last event of each resource that ran: a child of the child may have managed it again."""
    ran = list(events)
    return [session.last_event(event.type, event.name) for event in ran] if session else ran


def _counts(child: Manifest, events: list[Event], log: Log) -> Data:
    total = len(child.resources)
    failed = sum(event.blocks_dependents for event in events)
    changed = sum(event.changed and not event.blocks_dependents for event in events)
    counts = {"resources": total, "changed": changed, "failed": failed, "skipped": total - failed - changed}
    if failed:
        log.error("Child manifest had failures", **counts)
        raise ResourceFailed(f"child manifest had {failed} failed resources")
    if changed:
        log.warn("Child manifest had changes", **counts)
    else:
        log.info("Child manifest completed", **counts)
    return {"resource_count": total, "changed_count": changed, "failed_count": failed}
