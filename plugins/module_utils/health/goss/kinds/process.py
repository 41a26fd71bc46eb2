# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of processes."""

from __future__ import annotations

from ..kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    rule.must("running", lambda: rule.about in snapshot.processes())


KIND = Kind("Process", {"running": "matcher"}, _examine, subject="comm", required=("running",))
