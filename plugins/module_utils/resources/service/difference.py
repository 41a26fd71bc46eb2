# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The difference of a service, in the form of Ansible's diffs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .type import ServiceProperties, ServiceState


def differences(properties: ServiceProperties, state: ServiceState) -> list[Difference]:
    """Return `ensure` and `enabled` of the service before and after, only those that will change."""
    wanted = {"ensure": properties.ensure, "enabled": properties.enable}
    found: dict[str, str | bool | None] = {"ensure": state.ensure, "enabled": state.metadata.get("enabled")}
    other = {key: value for key, value in wanted.items() if value is not None and value != found[key]}
    if not other:
        return []
    header = f"service {properties.name}"
    before = {key: found[key] for key in other}
    return [{"before_header": header, "after_header": header, "before": before, "after": other}]
