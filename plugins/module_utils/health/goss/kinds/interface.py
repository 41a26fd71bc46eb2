# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of network interfaces."""

from __future__ import annotations

from ....host.facts.network import network_facts
from ..kind import Kind
from ..values import NoStrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    interfaces = {interface["name"]: interface for interface in network_facts()["interfaces"]}
    found: Any = interfaces.get(rule.about)
    rule.gate("exists", lambda: found is not None)
    rule.may("addrs", lambda: tuple(address["addr"] for address in found["addrs"]) or NoStrings())
    rule.may("mtu", lambda: int(found["mtu"]))


KIND = Kind(
    "Interface",
    {"exists": "matcher", "addrs": "matcher", "mtu": "matcher"},
    _examine,
    subject="name",
    required=("exists",),
)
