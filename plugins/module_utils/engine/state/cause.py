# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a resource changes: what is wanted changed, the machine did, or it changes in every run (docs/state.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

#: What the manifest wants is new, or another than in the last run.
MANIFEST = "manifest"
#: Something else changed the machine since the last run.
DRIFT = "drift"
#: It changed from the same to the same in the last run.
NEVER_CONVERGES = "never converges"
#: Only that another resource changed.
REFRESH = "refresh"


class Change:
    """A change of a resource, each part as a digest: what is `wanted`, and what was `found` and `reached`.

    After the digest of the properties, and a colon, `wanted` may have that of a content which these do not say.
    `reached` is "" as long as it is not known, in noop. `is_refresh` when it is only refreshed. The state of a resource
    that is not `visible`, such as a command, does not show all that its change does.
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
    """Return why a resource changes; `last` is what was kept of it, None when it was not managed before."""
    if last is None or _is_other(last[0], change.wanted):
        return MANIFEST
    if change.is_refresh:
        return REFRESH
    _wanted, reached, *changed = last
    if changed:
        found_then, reached_then, cause_then = changed
        is_same = change.found == found_then and change.reached in (reached_then, "")
        if is_same and (cause_then in (DRIFT, NEVER_CONVERGES) or change.found == reached):
            return NEVER_CONVERGES
    if change.visible and change.found == reached != change.reached:
        return MANIFEST
    return DRIFT


def _is_other(wanted_then: str, wanted: str) -> bool:
    """Return whether two wanted states differ, as far as both are known."""
    properties_then, _colon, content_then = wanted_then.partition(":")
    properties, _colon, content = wanted.partition(":")
    return properties_then != properties or bool(content_then and content and content_then != content)


def kept(change: Change, cause: str) -> list[str]:
    """Return what is kept of a resource that changed."""
    return [change.wanted, change.reached, change.found, change.reached, cause]
