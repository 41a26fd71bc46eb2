# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest run by a resource of another one, in the same session (behaviour.md 4)."""

from __future__ import annotations

import os

from ..lang.paths import join
from ..model.bound_log import BoundLog
from ..model.errors import CCMError, ManifestError, ResourceFailed
from .apply_type import APPLY, ApplyProperties
from .loader import Inputs
from .reader import load_document, parse_manifest
from .run import announce, manifest_context, proceed
from .source import fetch_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable

    from ..engine.context import Context
    from ..engine.session import Session
    from ..lang.yaml import Document
    from ..model.event import Event
    from ..model.log import Log
    from .manifest import Manifest


def run_child(properties: ApplyProperties, parent: Context) -> dict[str, int]:
    """Run the manifest that an apply resource names within the run of its `parent`; what became of its resources.

    The counts are `resource_count`, `changed_count` and `failed_count`. Raises ResourceFailed when a resource of the
    child failed, for too deep a chain and for a child that may not apply further ones, and what loading raises.
    """
    name, lineage = properties.name, parent.lineage
    path = os.path.abspath(join(parent.directory, name))
    inputs = _inherited(lineage.inputs, lineage.data, properties)
    child = _loaded(path, name, inputs, parent.log)
    checked = parent.health_check_only or properties.health_check_only
    if properties.noop and properties.health_check_only:
        raise ManifestError("cannot set healthcheck only and noop mode at the same time", property="noop")
    context = manifest_context(
        child,
        parent.session,
        lineage.below(child),
        noop=(parent.noop or properties.noop) and not checked,
        health_check_only=checked,
        log=parent.log,
        user_log=parent.user_log,
        before=parent.before,
        provider_options=parent.provider_options,
    )
    log = BoundLog(parent.user_log, manifest=name)
    report = announce(child, context, log)
    context.lineage.require_depth()
    if not properties.allow_apply and any(resource.type is APPLY for resource in child.resources):
        raise ResourceFailed("apply resources are denied", property="allow_apply")
    return _told(child, _last_events(proceed(child, context, report), parent.session), log)


def _inherited(inputs: Inputs, data: dict[str, Any], properties: ApplyProperties) -> Inputs:
    """What a child is resolved with: its data is laid under the resource's, else under all that its parent has."""
    return Inputs(
        facts=inputs.facts,
        environ=inputs.environ,
        data=(data or None) if properties.data is None else properties.data,
        strict=inputs.strict,
        log=inputs.log,
        parsed=inputs.parsed,
        nats_context=inputs.nats_context,
    )


def _loaded(path: str, name: str, inputs: Inputs, log: Log) -> Manifest:
    """The child. Where it is wrong the log tells the place, which the recorded words of the failure leave out."""
    try:
        return load_document(_document(path, name, inputs), name, os.path.dirname(path), inputs)
    except CCMError as error:
        if error.position is not None:
            about = {"resource": error.resource, "property": error.property, "advice": error.advice}
            given = {key: value for key, value in about.items() if value}
            log.error(f"{error.position}: {error.message}", manifest=name, **given)
        raise


def _document(path: str, name: str, inputs: Inputs) -> Document:
    document = inputs.parsed(path)
    return parse_manifest(fetch_file(path), name) if document is None else document


def _last_events(events: Iterable[Event], session: Session | None) -> list[Any]:
    """For each resource that ran, the last event of its name: a child of the child may have managed it again."""
    ran = list(events)
    return [session.last_event(event.type, event.name) for event in ran] if session else ran


def _told(child: Manifest, events: list[Any], log: Log) -> dict[str, int]:
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
