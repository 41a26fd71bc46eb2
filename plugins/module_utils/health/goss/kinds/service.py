# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of services."""

from __future__ import annotations

from ....host.init_system import is_enabled, is_running, runlevels
from ..kind import Kind
from ..values import NoStrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    name = rule.about
    rule.may("enabled", lambda: is_enabled(name))
    rule.may("running", lambda: is_running(name))
    rule.may("runlevels", lambda: tuple(runlevels(name) or ()) or NoStrings())


KIND = Kind("Service", {"enabled": "matcher", "running": "matcher", "runlevels": "matcher"}, _examine, subject="name")
