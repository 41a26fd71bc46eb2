# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of each resource in the result of a manifest's run."""

from __future__ import annotations

from ..engine.event_log import outcome
from ..engine.registered import registered_by
from ..engine.sink import Sink
from ..model.registration_fields import fields_of
from .health_checks import results_of_checks
from .messages import failure_of, place_of, reasons_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.attempt import Attempt
    from ..model.event import Event
    from ..model.resource import Resource
    from ..model.values import Data, Difference
    from .ansible_module import TaskResult
    from .result import TaskLog


class ResourceResults(Sink):
    """The results of the resources of a run, in its order; resources of applied manifests before their apply resource.

    `resources` are what users read of them, `changed` whether any changed something, `failures` why some failed.
    `differences` are what changes, with `diff`, and `events` their records, with `events`. `log` is the log of the run,
    of which each resource has its own lines. With `register` resources have the entries that are to be published.
    """

    def __init__(self, log: TaskLog, *, diff: bool, events: bool, register: bool = False) -> None:
        self.changed = False
        self.events: list[Data] = []
        self.resources: list[TaskResult] = []
        self.failures: list[str] = []
        self.differences: list[Difference] = []
        self._log = log
        self.shows_differences = diff
        self._keep_events = events
        self._register = register
        self._first_line = 0
        self._found: dict[str, list[Difference]] = {}

    def begun(self, resource: Resource) -> None:
        """Note where the lines of the resource begin."""
        self._first_line = len(self._log.lines)

    def decided(self, attempt: Attempt) -> None:
        """Keep the differences of a decision."""
        if attempt.differences:
            self._found[attempt.resource.reference] = attempt.differences
            self.differences += attempt.differences

    def finished(self, event: Event) -> None:
        """Keep the result of a resource."""
        self.changed = self.changed or event.changed
        if self._keep_events:
            record = event.as_dict()
            if event.check_failures:
                record["check_failures"] = event.check_failures
            self.events.append(record)
        if event.failed:
            place = place_of(event)
            self.failures.append((f"{place}: " if place else "") + failure_of(event))
        self.resources.append(self._result(event))

    def _result(self, event: Event) -> TaskResult:
        reference = f"{event.type}#{event.shown_name}"
        differences = self._found.pop(reference, [])
        result: TaskResult = {"resource": reference, "outcome": outcome(event), "msg": _message(event)}
        if event.resource and event.resource.position:
            result["position"] = str(event.resource.position)
        if event.error_position:
            result["error_position"] = event.error_position
        if event.status and event.status.cause:
            result["cause"] = event.status.cause
        if self.shows_differences:
            result["diff"] = differences
        lines, self._first_line = self._log.lines[self._first_line :], len(self._log.lines)
        if lines:
            result["log"] = lines
        if event.health_checks:
            result["health_checks"] = results_of_checks(event)
        entries = registered_by(event) if self._register else []
        if entries:
            result["registrations"] = [fields_of(entry) for entry in entries]
        return result


def _message(event: Event) -> str:
    if event.failed:
        return reasons_of(event)
    if event.unmet_requirements:
        return "not managed: unmet requirements " + ", ".join(event.unmet_requirements)
    if event.skipped:
        return "not managed: excluded by control"
    return event.message
