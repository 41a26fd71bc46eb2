# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How a service will differ, as Ansible shows differences."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .type import ServiceProperties, ServiceState


def differences(properties: ServiceProperties, state: ServiceState) -> list[dict[str, Any]]:
    """Whether it runs and whether it starts at boot, before and after, as far as that will change."""
    wanted = {"ensure": properties.ensure, "enabled": properties.enable}
    found = {"ensure": state.ensure, "enabled": state.metadata.get("enabled")}
    other = {key: value for key, value in wanted.items() if value is not None and value != found[key]}
    if not other:
        return []
    header = {"before_header": f"service {properties.name}", "after_header": f"service {properties.name}"}
    return [{**header, "before": {key: found[key] for key in other}, "after": other}]
