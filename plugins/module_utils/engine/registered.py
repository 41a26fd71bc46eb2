# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which entries of `register_when_stable` an event has published (behaviour.md 18)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.values import Registration


def registered_by(event: Event) -> list[Registration]:
    """Return the entries of a resource that was managed and is as it should be; none of another one."""
    if not event.resource or event.failed or event.skipped or event.noop or event.health_check_only:
        return []
    return list(event.resource.properties.register_when_stable)
