# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest as it will run, for users to read (behaviour.md 15.5)."""

from __future__ import annotations

from ..model.property import shown_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Data, Value
    from .manifest import Manifest


def rendered(manifest: Manifest) -> Data:
    """Return the resolved manifest as plain data.

    Early expressions resolved, late ones as written, secrets hidden.
    """
    resources = [
        {resource.type.name: shown_properties(resource.type.properties, vars(resource.properties))}
        for resource in manifest.resources
    ]
    ccm: Data = {"fail_on_error": manifest.fail_on_error, "resources": resources}
    if manifest.engine:
        ccm["engine"] = manifest.engine.declared
    return {"ccm": ccm, "data": _sorted(manifest.data)}


def _sorted(value: Value) -> Value:
    """Return data with the keys of maps sorted, as the original shows it."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=str)}
    return [_sorted(entry) for entry in value] if isinstance(value, list) else value
