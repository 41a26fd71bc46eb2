# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The cause of a change: the wanted state changed, the machine changed, or each run changes it (docs/state.md)."""

from __future__ import annotations

from .saved import CHANGED, UNCHANGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

#: The wanted state is new, or differs from the last run.
MANIFEST = "manifest"
#: Something else changed the machine since the last run.
DRIFT = "drift"
#: The last run changed it in the same way and undid that itself, or its state is the same before and after.
NEVER_CONVERGES = "never converges"
#: Only that another resource changed.
REFRESH = "refresh"
#: Outcomes of the last run for a resource whose state it did not reach.
FAILED, SKIPPED = "failed", "skipped"


class Change:
    """A change of a resource as digests: of the `wanted` state, and of the states `found` before and `reached` after.

    `wanted` is the digest of the properties, and after a colon the digest of a content that is not in the properties.
    `reached` is "" as long as it is not known, in noop. `is_refresh` when it is only refreshed. A resource that is not
    `visible`, such as a command, has a state that does not show all effects of a change.
    """

    def __init__(
        self, wanted: str, found: str, reached: str, *, is_refresh: bool = False, visible: bool = True
    ) -> None:
        self.wanted = wanted
        self.found = found
        self.reached = reached
        self.is_refresh = is_refresh
        self.visible = visible


def cause_of(change: Change, last: Sequence[str] | None) -> str:
    """Return the cause of a change; `last` is the state entry of the resource, None if it was not managed before.

    A change that repeats the change of the last run never converges if that run itself undid it, or if the state is the
    same before and after. Otherwise something else undid it after that run.
    """
    last = without_outcome(last) if last else None
    if last is None or _is_other(last[0], change.wanted):
        return MANIFEST
    if change.is_refresh:
        return REFRESH
    _wanted, reached, *changed = last
    if changed:
        found_then, reached_then, cause_then = changed
        is_same = change.found == found_then and change.reached in (reached_then, "")
        if is_same and (cause_then == NEVER_CONVERGES or change.found == reached):
            return NEVER_CONVERGES
    if change.visible and change.found == reached != change.reached:
        return MANIFEST
    return DRIFT


def _is_other(wanted_then: str, wanted: str) -> bool:
    """Return whether two wanted states differ, as far as both are known."""
    properties_then, _colon, content_then = wanted_then.partition(":")
    properties, _colon, content = wanted.partition(":")
    return properties_then != properties or bool(content_then and content and content_then != content)


def state_entry(change: Change, cause: str) -> list[str]:
    """Return the state entry of a resource that changed."""
    return [change.wanted, change.reached, change.found, change.reached, cause]


def without_outcome(entry: Sequence[str]) -> list[str]:
    """Return a state entry as it was when the state was last reached."""
    return list(entry[: CHANGED if len(entry) >= CHANGED else UNCHANGED])


def with_outcome(entry: Sequence[str], outcome: str) -> list[str]:
    """Return the state entry of a resource that failed or was skipped, made from its former `entry`."""
    return [*without_outcome(entry), outcome]


def outcome_of(entry: Sequence[str]) -> str:
    """Return FAILED or SKIPPED for a resource whose state the last run did not reach, else ""."""
    return entry[-1] if len(entry) in (UNCHANGED + 1, CHANGED + 1) else ""


def last_cause(entry: Sequence[str]) -> str:
    """Return the cause of the change when the state was last reached, "" without a change."""
    return entry[CHANGED - 1] if len(entry) >= CHANGED else ""
