# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Refreshes that resources of one session are owed, when each runs in a process of its own (docs/state.md)."""

from __future__ import annotations

from ..model.errors import SessionError
from .around import Around
from .conditions import any_changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.resource import Resource
    from ..model.state import State
    from .around import Applied, Go, Work
    from .attempt import Attempt
    from .session_directory import DirectorySession


class SessionState(Around):
    """What the events of a `session` say of refreshes: the original looks at the last event of a resource only.

    A change is noted in the session before it is made, for its process may be killed before its event is recorded.
    """

    def __init__(self, session: DirectorySession) -> None:
        self._session = session

    def child(self, applied: Applied) -> SessionState:
        """Return the same: a manifest that is applied records in the session too."""
        return self

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Bring a resource to its state, and refresh it when a refresh is owed to it."""
        resource, context = attempt.resource, attempt.context
        subscribed = resource.type.subscriptions(resource.properties)
        owed = self._owed(resource, subscribed)
        if owed and not any_changed(subscribed, context):
            would = "would be refreshed" if context.noop else "refreshed"
            context.user_log.info(f"{would}: owed because of {owed}", resource=resource.reference)
        attempt.refresh = attempt.refresh or bool(owed)
        return go(attempt)

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Note a change on disk, then make it."""
        if not attempt.noop:
            self._note_change(attempt.resource)
        return go(attempt)

    def _note_change(self, resource: Resource) -> None:
        try:
            self._session.note_change(resource.type.name, resource.properties.name)
        except SessionError:
            # Recording the event, which follows, fails in the same way, and says so.
            return

    def _owed(self, resource: Resource, subscribed: Sequence[str]) -> str:
        """Return the last reference because of which a resource is owed a refresh, "" when it is not."""
        if not subscribed:
            return ""
        done = self._session.last_managed(resource.type.name, resource.properties.name)
        for reference in subscribed:
            type_name, _hash, name = reference.partition("#")
            if self._session.last_change(type_name, name) > done:
                return reference
        return ""
