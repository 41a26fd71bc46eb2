# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Health checks that are rules: what runs them is imported with the first one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..engine.context import Context
    from ..model.resource import Resource


def run_rules(check: dict[str, Any], resource: Resource, context: Context) -> tuple[dict[str, Any], list[str]]:
    """See engine.health.goss.check."""
    from ..engine.health.goss.check import run_goss_check

    return run_goss_check(check, resource, context)
