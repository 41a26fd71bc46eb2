# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""An event as one line of the log (behaviour.md 14)."""

from __future__ import annotations

from ..lang.spans import format_go
from ..model.log import CAUSE, ERROR, ERROR_ADVICE, ERROR_POSITION, INFO, WARN
from .sink import Sink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.event import Event
    from ..model.log import Log
    from ..model.values import Field

_MILLISECOND = 1_000_000
#: The outcome of a resource that was as it should be.
STABLE = "stable"


class EventLog(Sink):
    """Logs each event; with `only_checked` only events of resources whose health was checked.

    It leaves out the events of stable resources that were `known` before; see `Context`.
    """

    def __init__(
        self, log: Log, *, only_checked: bool = False, known: Callable[[str, str], bool] | None = None
    ) -> None:
        self._log = log
        self._only_checked = only_checked
        self._known = known

    def finished(self, event: Event) -> None:
        """Log the result of a resource."""
        if self._known is not None:
            above = event.parent.name if event.parent else ""
            if self._known(above, f"{event.type}#{event.name}") and outcome(event) == STABLE:
                return
        if event.health_checks or not self._only_checked:
            log_event(event, self._log)


def log_event(event: Event, log: Log) -> None:
    """Log a result: a failure or unmet requirement as an error; a change, a refresh or a skip as a warning."""
    fields: list[tuple[str, Field]] = [
        ("ensure", event.requested_ensure),
        ("runtime", format_go(event.duration // _MILLISECOND * _MILLISECOND)),
        ("provider", event.provider),
    ]
    if event.noop:
        fields.append(("noop", event.noop_message or "true"))
    if event.failed:
        fields.append(("errors", ", ".join(event.errors)))
    else:
        fields.extend(("unmet", reference) for reference in event.unmet_requirements)
    if event.status and event.status.cause:
        fields.append((CAUSE, event.status.cause))
    if event.failed and event.error_advice:
        fields.append((ERROR_ADVICE, event.error_advice))
    if event.failed and event.error_position:
        fields.append((ERROR_POSITION, event.error_position))
    if event.failed or event.unmet_requirements:
        level = ERROR
    else:
        level = WARN if event.skipped or event.refreshed or event.changed else INFO
    log.write(level, f"{_label(event)} {outcome(event)}", fields)


def outcome(event: Event) -> str:
    """Return the word for the outcome of an event, the first that fits."""
    if event.failed:
        return "failed"
    if event.unmet_requirements:
        return "skipped due to unmet requirement"
    if event.skipped:
        return "skipped"
    if event.refreshed:
        return "refreshed"
    return "changed" if event.changed else STABLE


def _label(event: Event) -> str:
    if event.alias:
        return f"{event.type}#{event.alias} (alias)"
    return event.resource.reference if event.resource else f"{event.type}#{event.shown_name}"
