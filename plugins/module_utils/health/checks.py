# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The health checks of resources, by their format (behaviour.md 13)."""

from __future__ import annotations

from ..model.health_check import GOSS
from .nagios import run_nagios_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.health_check import CheckResult
    from ..model.provider import RunContext
    from ..model.resource import Resource
    from ..model.values import HealthCheck


def run_check(check: HealthCheck, resource: Resource, context: RunContext) -> CheckResult:
    """Run one check of a resource until it passes or its tries are used up.

    Raises ResourceFailed for a wrong check, HostError if it cannot run, TemplateError for its expressions.
    """
    # A check of the command line has a command and no format.
    if check["format"] == GOSS:
        from .goss.check import run_goss_check

        return run_goss_check(check, resource, context)
    return run_nagios_check(check, resource, context)
