# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest's resources run one after the other, in the order in which they are written (behaviour.md 14)."""

from __future__ import annotations

from ..engine.context import Context, unwatched
from ..engine.preference import require_runnable
from ..engine.running import run_resources
from ..engine.status_line import log_event
from ..model.bound_log import BoundLog
from ..model.errors import ManifestError
from .lineage import Lineage
from .rules import run_rules
from .templating import resolve_deferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping

    from ..engine.context import Before
    from ..engine.session import Session
    from ..model.event import Event
    from ..model.log import Log
    from .manifest import Manifest


def run_manifest(
    manifest: Manifest,
    session: Session,
    *,
    noop: bool = False,
    health_check_only: bool = False,
    log: Log,
    user_log: Log,
    on_event: Callable[[Event], None] | None = None,
    before: Before = unwatched,
) -> None:
    """Run every resource, log and record its event; `on_event` is handed each one, `before` what a Context's is.

    With `fail_on_error` the first failed resource ends the run. Raises ManifestError for modes that exclude each other,
    InvalidResource for a provider that there is not and for a relative path, all before anything runs, and SessionError
    when the session's store fails.
    """
    if noop and health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time")
    context = manifest_context(
        manifest,
        session,
        Lineage(manifest.inputs, manifest.data, ((manifest.source, manifest.path),), on_event),
        noop=noop,
        health_check_only=health_check_only,
        log=log,
        user_log=user_log,
        before=before,
    )
    report = announce(manifest, context, user_log)
    session.start()
    proceed(manifest, context, report)


def announce(manifest: Manifest, context: Context, log: Log) -> Log:
    """Say that a manifest will run; the log for what becomes of its resources.

    Raises InvalidResource when a resource names a provider that there is not, or has a relative path.
    """
    for resource in manifest.resources:
        require_runnable(resource)
    report = BoundLog(log, healthcheck="true") if context.health_check_only else log
    title = "Executing manifest health checks" if context.health_check_only else "Executing manifest"
    report.info(title, manifest=manifest.source, resources=len(manifest.resources))
    return report


def proceed(manifest: Manifest, context: Context, report: Log) -> list[Event]:
    """Run the resources of a manifest, log and record what becomes of them; the events of those that ran."""
    events = []
    on_event = context.lineage.on_event
    for event in run_resources(manifest.resources, context, grouped=manifest.is_grouped):
        if not context.health_check_only or event.health_checks:
            log_event(event, report)
        if context.session is not None:
            context.session.record(event)
        if on_event is not None:
            on_event(event)
        events.append(event)
        if event.failed and manifest.fail_on_error and not context.health_check_only:
            report.warn("Terminating manifest execution due to failed resource")
            break
    return events


def manifest_context(
    manifest: Manifest,
    session: Session | None,
    lineage: Lineage,
    *,
    noop: bool,
    health_check_only: bool,
    log: Log,
    user_log: Log,
    before: Before,
    provider_options: Mapping[str, int] | None = None,
) -> Context:
    """The context in which resources see a manifest's facts, data and environment.

    `provider_options` is for a manifest that does not set its own.
    """
    environment = manifest.environment
    if manifest.engine is not None and manifest.engine.provider_options:
        provider_options = {**(provider_options or {}), **manifest.engine.provider_options}
    return Context(
        session,
        noop=noop,
        health_check_only=health_check_only,
        directory=manifest.directory,
        log=log,
        user_log=user_log,
        before=before,
        facts=lambda: environment.facts,
        resolve_deferred=lambda resource: resolve_deferred(resource, environment),
        resources=manifest.resources,
        provider_options=provider_options,
        environment=environment,
        lineage=lineage,
        run_rules=run_rules,
    )
