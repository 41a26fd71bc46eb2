# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of packages."""

from __future__ import annotations

from .....host.installed import versions
from ..kind import Kind
from ..values import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..machine import Machine
    from ..rule import Rule


def _examine(rule: Rule, machine: Machine) -> None:
    found = () if rule.skipping else tuple(versions(rule.about))

    def known() -> tuple[str, ...]:
        if not found:
            raise RuleError("Package version not found")
        return found

    rule.gate("installed", lambda: bool(found))
    rule.may("versions", known, "version")


KIND = Kind("Package", {"installed": "matcher", "versions": "matcher"}, _examine, subject="name")
