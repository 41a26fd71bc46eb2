# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of groups."""

from __future__ import annotations

from ....host.accounts import group, known_group
from ..kind import Kind
from ..rule import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    name = rule.about
    rule.gate("exists", lambda: group(name) is not None)
    whole_number(rule, "gid")
    rule.may("gid", lambda: known_group(name).gr_gid)


KIND = Kind("Group", {"exists": "matcher", "gid": "matcher"}, _examine, subject="groupname", required=("exists",))
