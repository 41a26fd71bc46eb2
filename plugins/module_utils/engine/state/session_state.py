# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Refreshes that resources of one session are owed, when each runs in a process of its own (docs/state.md)."""

from __future__ import annotations

from ...model.errors import SessionError
from ..acting import act
from ..conditions import any_changed
from ..sink import Sink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.resource import Resource
    from ...model.state import State
    from ..attempt import Attempt
    from ..context import Converge
    from ..passed_on import Declaring, Notifying
    from ..session_directory import DirectorySession


class SessionState(Sink):
    """What the events of a `session` say of refreshes: the original looks at the last event of a resource only.

    A change is noted in the session before it is made, for its process may be killed before its event is recorded.
    """

    def __init__(self, session: DirectorySession) -> None:
        self._session = session

    @property
    def sink(self) -> Sink:
        """What receives the events of the resources."""
        return self

    def child(
        self,
        name: str,
        resources: Sequence[Resource],
        notifying: Notifying | None,
        declaring: Declaring,
        *,
        acts: bool,
    ) -> SessionState:
        """Return the same: a manifest that is applied records in the session too."""
        return self

    def around(self, converge: Converge) -> Converge:
        """Return what brings a resource to its state by `converge`, and refreshes what is owed that."""

        def converge_owed(attempt: Attempt) -> State:
            resource, context = attempt.resource, attempt.context
            subscribed = resource.type.subscriptions(resource.properties)
            owed = self._owed(resource, subscribed)
            if owed and not any_changed(subscribed, context):
                would = "would be refreshed" if context.noop else "refreshed"
                context.user_log.info(f"{would}: owed because of {owed}", resource=resource.reference)
            attempt.refresh = attempt.refresh or bool(owed)
            return converge(attempt)

        return converge_owed

    def act(self, attempt: Attempt) -> State:
        """Note a change, then make it; see `acting.act`."""
        if not (attempt.noop or (attempt.prepared and attempt.prepared.done)):
            self.before_change(attempt.resource, attempt.state)
        return act(attempt)

    def before_change(self, resource: Resource, before: State) -> None:
        """Note on disk that a resource is about to change."""
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
