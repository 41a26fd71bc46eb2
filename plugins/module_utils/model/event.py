# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The result for one resource: the transaction event, in the exact shape of the recordings."""

from __future__ import annotations

import time

from ..redaction.texts import without_text_secrets
from .clock import event_moment, id_after, new_event_id, timestamp
from .decision import NOTHING, preview
from .property import shown_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .decision import Decision
    from .resource import Resource
    from .state import State
    from .values import Data, ManifestProperties


class Event:
    """The record of what happened to one resource in a transaction.

    `resource` is set in an event of this run, `record` is the JSON of an event that was read back; `parent` are the
    properties of the resource whose manifest holds this one. `started` is in ns since 1970, `duration` in ns.
    `event_id` is of the moment when the event is finished, so that ids sort as events were recorded (decisions.md Q56);
    its text is made when it is asked for. `errors` have their secrets replaced, `causes` has the cause of each of them;
    `unmet_requirements` are the required references whose resources failed or were skipped.
    `checked` has the names of the health checks, and `check_failures` a line for each thing that failed in them; the
    event's JSON is as recorded, without them.
    """

    _moment: int | None = None
    _id: str | None = None
    provider = ""
    final_ensure = ""
    duration = 0
    resource: Resource | None = None
    parent: ManifestProperties | None = None
    record: Data | None = None
    status: State | None = None
    decision: Decision = NOTHING
    noop_message = ""
    health_check_only = False
    changed = False
    refreshed = False
    failed = False
    skipped = False
    noop = False
    health_checks: Sequence[Data] = ()
    checked: Sequence[str] = ()
    check_failures: Sequence[str] = ()
    errors: Sequence[str] = ()
    causes: Sequence[Exception | None] = ()
    unmet_requirements: Sequence[str] = ()

    def __init__(self, type: str, name: str, alias: str, ensure: str = "") -> None:
        self.started = time.time_ns()
        self.type = type
        self.name = name
        self.alias = alias
        self.requested_ensure = ensure

    def finish(self, duration: int) -> None:
        """Close the event after `duration` nanoseconds and give it its id."""
        self.duration = duration
        self._moment = event_moment()
        if self._id is not None:
            del self._id

    @property
    def event_id(self) -> str:
        """The id of a finished event, else ""."""
        found = self._id
        if found is None:
            # Threads that ask at once get the same.
            found = "" if self._moment is None else vars(self).setdefault("_id", new_event_id(self._moment))
        return found

    @event_id.setter
    def event_id(self, event_id: str) -> None:
        self._id = event_id

    def sort_after(self, earlier: Event) -> None:
        """Give it a later id if the id of `earlier` does not sort before it, as after the clock was set back."""
        if self._moment is None or earlier._moment is None or self._id is not None or earlier._id is not None:
            if self.event_id <= earlier.event_id:
                self.event_id = id_after(self.event_id, earlier.event_id)
        elif self._moment <= earlier._moment:
            self._moment = earlier._moment + 1

    def fail(self, text: str, cause: Exception | None = None) -> None:
        """Note an error; the event has failed. Front ends read resource, property and advice from `cause`."""
        self.failed = True
        self.errors = [*self.errors, without_text_secrets(text)]
        self.causes = [*self.causes, cause]

    @property
    def message(self) -> str:
        """The message of what was done, or in noop of what would be done."""
        if self.noop_message:
            return preview(self.decision, self.noop_message)
        return self.decision.done_message if self.changed else "Nothing to do"

    @property
    def shown_name(self) -> str:
        """The name with secrets replaced (decisions.md Q38)."""
        return self.resource.shown_name if self.resource else self.name

    @property
    def error_position(self) -> str:
        """The place of the first error that is in a document, as file, line and column; "" when none is in one."""
        for cause in self.causes:
            position = getattr(cause, "position", None)
            if position is not None:
                return without_text_secrets(str(position))
        return ""

    @property
    def error_advice(self) -> str:
        """What the first error with an advice says to do; "" when none has one."""
        found = next(filter(None, (getattr(cause, "advice", "") for cause in self.causes)), "")
        return without_text_secrets(found)

    @property
    def blocks_dependents(self) -> bool:
        """Whether what requires the resource must not be managed."""
        return self.failed or bool(self.unmet_requirements)

    def as_dict(self) -> Data:
        """Return the event as JSON shows it, keys in the order of the recordings."""
        if self.resource is None:
            return self.record or {}
        from .protocols import EVENT

        shown: Data = {
            "protocol": EVENT,
            "event_id": self.event_id,
            "timestamp": timestamp(self.started),
            "type": self.type,
            "provider": self.provider,
            "name": self.shown_name,
        }
        if self.alias:
            shown["alias"] = self.alias
        shown.update(
            requested_ensure=self.requested_ensure,
            final_ensure=self.final_ensure,
            duration=self.duration,
            properties=shown_properties(self.resource.declared, vars(self.resource.properties), named=True),
            status=self.status.as_dict() if self.status is not None else None,
        )
        if self.noop_message:
            shown["noop_message"] = self.noop_message
        if self.health_checks:
            shown["health_check"] = list(self.health_checks)
        if self.health_check_only:
            shown["health_check_only"] = True
        shown.update(
            error=list(self.errors),
            changed=self.changed,
            refreshed=self.refreshed,
            failed=self.failed,
            skipped=self.skipped,
            noop=self.noop,
            unmet_requirements=list(self.unmet_requirements),
        )
        position = self.error_position if self.failed else ""
        if position:
            shown["error_position"] = position
        return shown
