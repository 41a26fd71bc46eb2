# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of processes."""

from __future__ import annotations

from ..kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..machine import Machine
    from ..rule import Rule


def _examine(rule: Rule, machine: Machine) -> None:
    rule.must("running", lambda: rule.about in machine.processes())


KIND = Kind("Process", {"running": "matcher"}, _examine, subject="comm", required=("running",))
