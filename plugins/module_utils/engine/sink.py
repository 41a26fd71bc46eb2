# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What receives the events of a run: the session, the log, a plan, a play's result (architecture.md, Contract)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.resource import Resource
    from .attempt import Attempt


class Sink:
    """Receives what happens to the resources of a run; a subclass has the methods for what it needs.

    A sink that `shows_differences` receives the differences of decisions, others may receive none.
    """

    shows_differences = False

    @property
    def watches_attempts(self) -> bool:
        """Whether it receives more than events."""
        own = type(self)
        return own.begun is not Sink.begun or own.decided is not Sink.decided

    def begun(self, resource: Resource) -> None:
        """Receive a resource before its transaction."""

    def decided(self, attempt: Attempt) -> None:
        """Receive an attempt when it is decided for the first time, before it acts."""

    def finished(self, event: Event) -> None:
        """Receive the event of a resource, in the order of the run."""
