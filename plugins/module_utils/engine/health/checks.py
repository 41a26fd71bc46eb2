# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The health checks of a resource, run after it (behaviour.md 13)."""

from __future__ import annotations

from ...model.health_check import GOSS, OK, STATUS_WORDS, UNKNOWN, name_of
from ...redaction.texts import without_text_secrets
from ..conditions import would_have_changed
from ..failing import FAILURES, in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.event import Event
    from ...model.resource import Resource
    from ..context import Context


def run_health_checks(resource: Resource, event: Event, context: Context) -> None:
    """Run every check, also after a failure, and note the results in the event.

    Anything but OK fails the event; a check that cannot be run is UNKNOWN and says why (decisions.md Q6). In noop none
    is run when the resource or an earlier one would change: it would judge what is about to change (decisions.md Q64).
    """
    if context.noop and (event.changed or would_have_changed(context)):
        context.user_log.info("health checks not run: would change", type=event.type, name=event.shown_name)
        return
    for check in resource.properties.health_checks:
        try:
            result, failed_rules = _run(check, resource, context)
            event.failed_rules += failed_rules
        except FAILURES as error:
            problem = without_text_secrets(f"health check {name_of(check)}: {in_words(error)}")
            result = {"status": UNKNOWN, "tries": 1, "Output": problem}
            event.fail(problem)
        event.health_checks.append(result)
        if result["status"] != OK:
            event.fail(f'health check status "{STATUS_WORDS[result["status"]]}"')


def _run(check: dict[str, Any], resource: Resource, context: Context) -> tuple[dict[str, Any], list[str]]:
    # A check of the command line has a command and no format.
    if check["format"] == GOSS:
        result: tuple[dict[str, Any], list[str]] = context.run_rules(check, resource, context)
        return result
    from .nagios import run_nagios_check

    return run_nagios_check(check, resource, context), []
