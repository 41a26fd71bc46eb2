# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of addresses that can be reached."""

from __future__ import annotations

from ....host.sockets import is_reachable
from ..kind import Kind
from ..rule import timeout_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule

_TIMEOUT_MS = 500


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    network, separator, address = rule.about.partition("://")
    if not separator:
        network, address = "tcp", rule.about
    seconds = timeout_of(rule, _TIMEOUT_MS) / 1000
    local = rule.attributes.get("local-address") or ""
    rule.must("reachable", lambda: is_reachable(network, address, seconds, local))


KIND = Kind(
    "Addr",
    {"local-address": "text", "reachable": "matcher", "timeout": "integer"},
    _examine,
    required=("reachable",),
    subject="address",
)
