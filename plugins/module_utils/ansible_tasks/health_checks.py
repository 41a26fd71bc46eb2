# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The health checks that the options of a task declare, and their results."""

from __future__ import annotations

from ..model.health_check import check_health_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.event import Event
    from ..model.values import Data, HealthCheck
    from .ansible_module import Options

_EMPTY = {"command": "", "goss_rules": None, "name": "", "timeout": "", "tries": 0, "try_sleep": "", "format": ""}


def declared_health_checks(given: list[Options]) -> list[HealthCheck]:
    """Return the checks that converted options declare. Raises InvalidResource."""
    checks = []
    for options in given:
        values: Any = {**_EMPTY, **{name: value for name, value in options.items() if value is not None}}
        check_health_check(values)
        checks.append(values)
    return checks


def results_of_checks(event: Event) -> list[Data]:
    """Return the results of a resource's health checks, each with the name of the check."""
    return [{"name": name, **check} for name, check in zip(event.checked, event.health_checks)]
