# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest's resources run one after the other, in the order in which they are written (features.md 14)."""

from __future__ import annotations

from ..engine.context import Context, unwatched
from ..engine.preference import require_known_provider
from ..engine.running import run_resources
from ..engine.status_line import log_event
from ..model.bound_log import BoundLog
from ..model.errors import ManifestError
from .templating import resolve_deferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

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
    InvalidResource for a provider that there is not, both before anything runs, and SessionError when the session's
    store fails.
    """
    if noop and health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time")
    for resource in manifest.resources:
        require_known_provider(resource)
    report = BoundLog(user_log, healthcheck="true") if health_check_only else user_log
    title = "Executing manifest health checks" if health_check_only else "Executing manifest"
    report.info(title, manifest=manifest.source, resources=len(manifest.resources))
    context = manifest_context(
        manifest,
        session,
        noop=noop,
        health_check_only=health_check_only,
        log=log,
        user_log=user_log,
        before=before,
    )
    session.start()
    for event in run_resources(manifest.resources, context, grouped=manifest.is_grouped):
        if not health_check_only or event.health_checks:
            log_event(event, report)
        session.record(event)
        if on_event is not None:
            on_event(event)
        if event.failed and manifest.fail_on_error and not health_check_only:
            report.warn("Terminating manifest execution due to failed resource")
            break


def manifest_context(
    manifest: Manifest,
    session: Session,
    *,
    noop: bool = False,
    health_check_only: bool = False,
    log: Log,
    user_log: Log,
    before: Before = unwatched,
) -> Context:
    """The context in which resources see a manifest's facts, data and environment."""
    environment = manifest.environment
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
        holds=lambda expression: bool(environment.evaluate(expression, as_bool=True)),
        resources=manifest.resources,
        lock_timeout=manifest.engine.lock_timeout if manifest.engine else None,
    )
