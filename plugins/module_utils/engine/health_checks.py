# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The health checks of a resource, run after the resource was managed (behaviour.md 13)."""

from __future__ import annotations

from ..model.errors import ResourceFailed, TemplateError
from ..model.health_check import OK, STATUS_WORDS, UNKNOWN, CheckResult, title_of
from ..redaction.texts import without_text_secrets
from .conditions import would_have_changed
from .failures import reportable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.resource import Resource
    from .context import Context


def run_health_checks(resource: Resource, event: Event, context: Context) -> None:
    """Run every check, also after a failure, and note the results in the event.

    Any result but OK fails the event; a check that cannot be run is UNKNOWN, with the reason (decisions.md Q6). In noop
    none is run when the resource or an earlier one would change: its state is about to change (decisions.md Q64).
    """
    if context.noop and (event.changed or would_have_changed(context)):
        context.user_log.info("health checks not run: would change", type=event.type, name=event.shown_name)
        return
    for at, check in enumerate(resource.properties.health_checks):
        title = title_of(check)
        try:
            if context.run_check is None:
                raise ResourceFailed("health checks are not supported here")
            result = context.run_check(check, resource, context)
            event.check_failures = [*event.check_failures, *result.failures]
        except Exception as error:
            problem = without_text_secrets(f"health check {title}: {reportable(error)}")
            result = CheckResult(UNKNOWN, 1, problem)
            event.fail(problem, _placed(error, problem, resource, at))
        event.checked = [*event.checked, without_text_secrets(title)]
        event.health_checks = [*event.health_checks, result.as_dict()]
        if result.status != OK:
            event.fail(f'health check status "{STATUS_WORDS[result.status]}"')


def _placed(error: Exception, problem: str, resource: Resource, at: int) -> TemplateError | None:
    """Return the error of an expression in the rules of check `at`, with its position; None for other errors."""
    if not isinstance(error, TemplateError):
        return None
    placed = TemplateError(problem, position=error.position, advice=error.advice)
    placed.path = ("health_checks", at, "goss_rules")
    resource.placed(placed)
    return placed
