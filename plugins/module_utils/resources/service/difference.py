# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The difference of a service, in the form of Ansible's diffs."""

from __future__ import annotations

from .type import TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .type import ServiceProperties, ServiceState


def differences(properties: ServiceProperties, state: ServiceState) -> list[Difference]:
    """Return `ensure` and `enabled` of the service before and after, only values that will change."""
    before: dict[str, str | bool | None] = {}
    after: dict[str, str | bool | None] = {}
    for verb in TYPE.decide(state, properties, False).verbs:
        if verb in ("start", "stop"):
            before["ensure"], after["ensure"] = state.activity or state.ensure, properties.ensure
        elif verb == "reenable":
            before["links"], after["links"] = "", " ".join(state.missing_links)
        else:
            enabled = state.metadata.get("enabled")
            wanted = "masked" if verb == "mask" else verb == "enable"
            before["enabled"] = enabled if enabled != wanted else state.unit_file
            after["enabled"] = wanted
    if not after:
        return []
    header = f"service {properties.name}"
    return [{"before_header": header, "after_header": header, "before": before, "after": after}]
