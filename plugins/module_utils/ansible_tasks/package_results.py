# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a task tells of packages."""

from __future__ import annotations

from .words import failures_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.event import Event


def summary(events: list[Event], results: list[dict[str, Any]], check_mode: bool, log: list[str]) -> dict[str, Any]:
    """The result of a task for several packages, of each of which there is an event and a result."""
    changed = [event for event in events if event.changed]
    failed = [one["msg"] for one in results if one["failed"]]
    would = "would change" if check_mode else "changed"
    result: dict[str, Any] = {"changed": bool(changed), "failed": bool(failed)}
    result["msg"] = f"{len(changed)} of {len(events)} packages {would}"
    if failed:
        result["msg"] = failures_of(failed, len(events), "packages")
    if log:
        result["log"] = log
    return result


def differences(events: list[Event], found: dict[str, str]) -> list[dict[str, Any]]:
    """The versions of what changed, a line each; `found` are those from before, by name.

    In check mode what was asked for stands for the version after.
    """
    changed = [event for event in events if event.changed]
    if not changed:
        return []
    before = "".join(f"{event.name} {found[event.name]}\n" for event in changed)
    after = "".join(
        f"{event.name} {event.requested_ensure if event.noop else event.final_ensure}\n" for event in changed
    )
    return [{"before_header": "packages", "after_header": "packages", "before": before, "after": after}]
