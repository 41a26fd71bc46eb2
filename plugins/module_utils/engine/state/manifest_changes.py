# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the changes of the resources of one manifest affect (docs/design/state.md)."""

from __future__ import annotations

from ..between_runs import wants_reversal
from ..late_calls import senders_of
from .orphans import Declarations
from .owed import ManifestRefreshes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ...model.event import Event
    from ...model.resource import Resource
    from ...resources.undone.undo_record import Declared
    from ..between_runs import ManifestState, StateBetweenRuns


class ManifestChanges:
    """What changes of its resources ask of the manifest of a `state`; each answer is read when it is first needed."""

    def __init__(self, state: ManifestState) -> None:
        self._state = state
        self._refreshes: ManifestRefreshes | None = None
        self._declarations: Declarations | None = None
        self._senders: frozenset[str] | None = None

    @property
    def refreshes(self) -> ManifestRefreshes:
        """Whom changes of its resources affect, and what its resources are owed."""
        with self._state.run.lock:
            if self._refreshes is None:
                changes = self._state.run.changes
                self._refreshes = ManifestRefreshes(self._state, changes.refreshes, changes.note)
            return self._refreshes

    @property
    def declarations(self) -> Declarations:
        """What the manifest declares."""
        with self._state.run.lock:
            if self._declarations is None:
                self._declarations = Declarations(self._state)
            return self._declarations

    def declared(self, resource: Resource) -> Declared | None:
        """Return where a resource is declared whose change can be undone, None for another one."""
        return self.declarations.declared(resource.reference) if wants_reversal(resource) else None

    def is_asked_for(self, resource: Resource) -> bool:
        """Return whether another resource asks for the values that a resource sends, or they are to be kept."""
        if self._senders is None:
            self._senders = senders_of(self._state.declaring)
        return not self._senders.isdisjoint(resource.names)


def finished_events(run: StateBetweenRuns) -> Iterator[tuple[str, Event, Declared | None]]:
    """Yield the events of the resources of a run with their keys and declarations, in the order in which they ended."""
    for level, event in run.finished:
        if event.resource:
            yield level.key(event.resource.reference), event, level.changes.declared(event.resource)
