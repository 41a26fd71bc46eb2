# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of packages."""

from __future__ import annotations

from ....host.installed import versions
from ..kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    found = () if rule.skipping else tuple(versions(rule.about))
    rule.gate("installed", lambda: bool(found))
    rule.may("versions", lambda: found, "version")


KIND = Kind(
    "Package", {"installed": "matcher", "versions": "matcher"}, _examine, subject="name", required=("installed",)
)
