# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of values in the rule itself."""

from __future__ import annotations

from ....lang.go.fmt import sprint
from ..kind import Kind
from ..patterns import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....model.values import Value
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    content: Value = rule.attributes.get("content")
    if rule.flag("as-reader"):
        content = Stream(sprint(content))
    rule.must("matches", lambda: content)


MATCHING = Kind(
    "Matching", {"content": "anything", "as-reader": "boolean", "matches": "matcher"}, _examine, required=("matches",)
)
