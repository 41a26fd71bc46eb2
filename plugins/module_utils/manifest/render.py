# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest as it will run, for users to read (behaviour.md 15.5)."""

from __future__ import annotations

from ..model.property import shown_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.resource import Resource
    from ..model.values import Data, Value
    from .manifest import Manifest


def rendered(manifest: Manifest, *, upstream: bool = False) -> Data:
    """Return the resolved manifest as plain data.

    Early expressions are resolved, late expressions are as written, secrets are hidden. For `upstream` it is without
    the extensions that the original ignores: the resources are in the order in which they would start here, and
    subscribe to the resources that notify them.
    """
    order: Sequence[int] = range(len(manifest.resources))
    if upstream and manifest.schedule:
        order = manifest.schedule.graph.order()
    resources = []
    for resource in (manifest.resources[index] for index in order):
        shown = shown_properties(resource.type.properties, vars(resource.properties))
        if upstream:
            shown.pop("meta", None)
            _subscribe(shown, resource, manifest)
        resources.append({resource.type.name: shown})
    ccm: Data = {"fail_on_error": manifest.fail_on_error, "resources": resources}
    if manifest.engine and not upstream:
        ccm["engine"] = manifest.engine.declared
    return {"ccm": ccm, "data": _sorted(manifest.data)}


def _subscribe(shown: Data, resource: Resource, manifest: Manifest) -> None:
    """Let a rendered resource subscribe to the resources that notify it, if its type can."""
    if manifest.notifying and any(prop.name == "subscribe" for prop in resource.type.properties):
        known = [*resource.type.subscriptions(resource.properties)]
        known += [first for first in manifest.notifying.of(resource) if first not in known]
        if known:
            shown["subscribe"] = known


def _sorted(value: Value) -> Value:
    """Return data with the keys of maps sorted, as the original shows it."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=str)}
    return [_sorted(entry) for entry in value] if isinstance(value, list) else value
