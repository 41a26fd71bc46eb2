# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Health checks that a task gives its resource: commands."""

from __future__ import annotations

from ..model.health_check import check_health_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EMPTY = {"command": "", "goss_rules": None, "name": "", "timeout": "", "tries": 0, "try_sleep": "", "format": ""}


def declared_health_checks(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The checks that converted options declare. Raises InvalidResource."""
    checks = []
    for options in given:
        values = {**_EMPTY, **{name: value for name, value in options.items() if value is not None}}
        check_health_check(values)
        checks.append(values)
    return checks
