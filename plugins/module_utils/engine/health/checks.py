# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The health checks of a resource, run after it (features.md 13)."""

from __future__ import annotations

from ...model.health_check import GOSS, OK, STATUS_WORDS, UNKNOWN, name_of
from ...model.hiding import without_credentials
from ..failing import FAILURES, in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.event import Event
    from ...model.resource import Resource
    from ..context import Context


def run_health_checks(resource: Resource, event: Event, context: Context) -> None:
    """Run every check, also in noop and after a failure, and note the results in the event.

    Anything but OK fails the event; a check that cannot be run is UNKNOWN and says why (decisions.md Q6).
    """
    for check in resource.properties.health_checks:
        try:
            result = _run(check, resource, context)
        except FAILURES as error:
            problem = without_credentials(f"health check {name_of(check)}: {in_words(error)}")
            result = {"status": UNKNOWN, "tries": 1, "Output": problem}
            event.fail(problem)
        event.health_checks.append(result)
        if result["status"] != OK:
            event.fail(f'health check status "{STATUS_WORDS[result["status"]]}"')


def _run(check: dict[str, Any], resource: Resource, context: Context) -> dict[str, Any]:
    # A check of the command line has a command and no format.
    if check["format"] == GOSS:
        result: dict[str, Any] = context.run_rules(check, resource, context)
        return result
    from .nagios import run_nagios_check

    return run_nagios_check(check, resource, context)
