# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of ports that are listened at."""

from __future__ import annotations

from ..kind import Kind
from ..values import NoStrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    port = rule.about if ":" in rule.about else f"tcp:{rule.about}"
    rule.gate("listening", lambda: port in snapshot.ports())
    rule.may("ip", lambda: tuple(snapshot.ports().get(port, ())) or NoStrings())


KIND = Kind("Port", {"listening": "matcher", "ip": "matcher"}, _examine, subject="port", required=("listening",))
