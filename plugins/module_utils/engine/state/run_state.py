# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state between runs, as one run uses it (docs/state.md). As long as nothing changes it compares one digest."""

from __future__ import annotations

import _thread
import os

from ...model.errors import StoreError
from .manifest_state import state_of
from .reached import Reached
from .store import ManifestStore, identity_of, state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.event import Event
    from ...model.log import Log
    from ...model.resource import Resource
    from ...model.values import Value
    from ..around import AppliedManifest
    from ..notifying import Notifying
    from .manifest_state import ManifestState
    from .run_changes import RunChanges
    from .undo_record import Declared, UndoRecord


class RunState:
    """The state of one run; without `writes` it is only read. Its threads share it.

    When the store cannot be used, one warning says so and the run goes on without it.
    """

    def __init__(self, store: ManifestStore, log: Log, *, writes: bool) -> None:
        self.store = store
        self.log = log
        self.writes = writes
        self.lock = _thread.RLock()
        self.top: ManifestState | None = None
        #: The digest of all states that the last run reached; it says that nothing else was left.
        self.digest = ""
        self._changes: RunChanges | None = None
        # With each event, the manifest and, where the change can be undone, where the resource is declared.
        self._finished: list[tuple[ManifestState, Event, Declared | None]] = []
        # Of events that were saved: by resource the id of the last one, and the key of the resource.
        self._earlier: dict[tuple[str, str, str], tuple[str, str]] = {}
        self._reached = Reached()
        self._goes_on = self._is_saved = self._has_changed_manifest = False
        try:
            self.digest = store.digest()
        except StoreError as error:
            self.changes.give_up(error)
        if not self.digest:
            # Before the run: damaged files are put aside, and what another run owes meanwhile is not taken over.
            self.changes.read()

    @property
    def changes(self) -> RunChanges:
        """What this run changes, and what earlier runs left."""
        with self.lock:
            if self._changes is None:
                from .run_changes import RunChanges

                self._changes = RunChanges(self)
            return self._changes

    @property
    def may_be_owed(self) -> bool:
        """Whether a refresh may be owed to a resource."""
        return self._changes is not None

    @property
    def was_saved(self) -> bool:
        """Whether an earlier run left anything."""
        return bool(self.digest) or self.changes.was_saved

    def read_text(self, prefix: str, text: str) -> None:
        """Remember the text of a manifest of the run; `prefix` is the beginning of the keys of its resources."""
        self._reached.add_text(prefix, text)

    def of_manifest(self, manifest: AppliedManifest, notifying: Notifying | None) -> ManifestState:
        """Return the state for the manifest of the run."""
        self._has_changed_manifest = self.top is not None
        self.top = state_of(self, notifying, manifest)
        return self.top

    def sent(self, event: Event) -> dict[str, Value]:
        """Return what the resource of an event of this run sent last, nothing when that is not known."""
        with self.lock:
            ids = [(each.event_id, key) for key, each, _declared in self.finished_events()]
            key = dict([*self._earlier.values(), *ids]).get(event.event_id, "")
            return self.changes.sent(key, event.resource) if event.resource and key else {}

    def undeclared(self) -> list[UndoRecord]:
        """Return the changes to undo: of resources that no manifest of the run declares any more."""
        is_same = not self._has_changed_manifest and self._reached.digest() == self.digest
        return [] if is_same and self._changes is None else self.changes.undeclared(is_same=is_same)

    def finished(self, level: ManifestState, resource: Resource, event: Event, declared: Declared | None) -> None:
        """Keep the event of a resource until the end of the run; `declared` is where, when its change can be undone."""
        state = None if event.failed or event.skipped or (event.noop and event.changed) else event.status
        is_stable = state is not None and state.stable and not state.changed and declared is None
        if not is_stable or not level.is_as_written(resource):
            found = self._changes.found(level.key(resource.reference)) if event.changed and self._changes else ""
            self._reached.add((level.prefix, declared, found, event.failed), resource, state)
        self._finished.append((level, event, declared))

    def go_on(self) -> None:
        """Begin the next step of a run that does not end: what changed before did not change in it."""
        with self.lock:
            if self._changes is not None:
                self._changes.refreshes.go_on()
            if self._is_saved:
                for key, event, _declared in self.finished_events():
                    self._earlier[key, event.type, event.name] = (event.event_id, key)
                self._finished, self._reached = [], Reached()
                self._goes_on, self._is_saved = True, False

    def finish(self) -> None:
        """Save what was reached, at the end of the run; nothing is written when it was saved before.

        A run may go on after it, and call it again: only some of the resources are managed again then.
        """
        if self.writes and not self._is_saved:
            digest = "" if self._goes_on else self._reached.digest()
            is_same = self._reached.is_empty if self._goes_on else digest == self.digest
            if not is_same or self._changes is not None:
                self.changes.finish(digest, is_same=is_same)
        self._is_saved = True

    def finished_events(self) -> list[tuple[str, Event, Declared | None]]:
        """Return the events of resources with their keys, in the order in which they ended."""
        return [
            (level.key(event.resource.reference), event, declared)
            for level, event, declared in self._finished
            if event.resource
        ]


def state_of_manifest(source: str, path: str, name: str, directory: str, log: Log, *, writes: bool) -> RunState | None:
    """Return the state between runs of a manifest, None for a manifest without an identity (`identity_of`).

    `directory` is the given directory of all state, "" for the default.
    """
    identity = identity_of(source, path, name)
    if not identity:
        return None
    return RunState(ManifestStore(state_directory(directory, os.environ), identity, log), log, writes=writes)
