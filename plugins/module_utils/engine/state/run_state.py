# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What one run knows of the runs before it, and keeps for those after it (docs/state.md)."""

from __future__ import annotations

import _thread
import os

from ...host.errors import HostError
from ...model.errors import ResourceFailed
from ...resources.types import relations
from .cause import DRIFT, FAILED, NEVER_CONVERGES, SKIPPED, cause_of, last_cause, state_entry, with_outcome
from .errors import StoreError
from .manifest_state import state_of
from .observed import Reached, change_of, digest_of, readable_state, seen
from .owed_refreshes import OwedRefreshes
from .remains import orphans, remains_word
from .saved import FORGOTTEN, SETTLE, UNDONE, Saved
from .store import ManifestStore, identity_of, state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.contract import AnyProvider
    from ...model.event import Event
    from ...model.facets import AnyRelations
    from ...model.log import Log
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from ..around import AppliedManifest
    from ..context import Context
    from ..notifying import Notifying
    from .cause import Change
    from .manifest_state import ManifestState
    from .sent_files import SentFiles
    from .undo_journal import UndoJournal
    from .undo_record import Declared, UndoRecord


_UNREADABLE = "What was changed cannot be read"


class RunState:
    """The state of one run; without `writes` it is only read. Its threads share it.

    When the store cannot be used, one warning says so and the run goes on without it.
    """

    def __init__(self, store: ManifestStore, log: Log, *, writes: bool) -> None:
        self.lock = _thread.RLock()
        self.writes = writes
        self.is_unusable = False
        self._store = store
        self._log = log
        self._sent: SentFiles | None = None
        self._undo_journal: UndoJournal | None = None
        self._undeclared: list[UndoRecord] = []
        self._is_known_undeclared = False
        self._has_noted = False
        self._top: ManifestState | None = None
        self._digest = ""
        self._read: Saved | None = None
        try:
            self._digest = store.digest()
        except StoreError as error:
            self._give_up(error)
        # A digest says that nothing else was left.
        self.refreshes = OwedRefreshes(() if self._digest else self._saved.owed.values())
        self._found: dict[str, str] = {}
        self._entries: dict[str, list[str]] = {}
        # What drifted, with what reads its state, which is read again at the end of the run.
        self._drifted: dict[str, tuple[Resource, AnyProvider]] = {}
        # With each event, the manifest and, where the change can be undone, where the resource is declared.
        self._finished: list[tuple[ManifestState, Event, Declared | None]] = []
        # Of events that were saved: by resource the id of the last one, and the key of the resource.
        self._earlier: dict[tuple[str, str, str], tuple[str, str]] = {}
        self._reached = Reached()
        self._goes_on = self._is_saved = self._has_changed_manifest = False

    def read_text(self, prefix: str, text: str) -> None:
        """Remember the text of a manifest of the run; `prefix` is the beginning of the keys of its resources."""
        self._reached.add_text(prefix, text)

    def of_manifest(self, manifest: AppliedManifest, notifying: Notifying | None) -> ManifestState:
        """Return the state for the manifest of the run."""
        self._has_changed_manifest = self._top is not None
        self._top = state_of(self, notifying, manifest)
        return self._top

    @property
    def was_saved(self) -> bool:
        """Whether an earlier run left anything."""
        return bool(self._digest or self._saved.identity or self._saved.owed)

    def note(self, records: list[list[str]]) -> None:
        """Write records to disk, unless the store cannot be used."""
        if records and self.writes:
            try:
                self._store.note(records)
                self._has_noted = True
            except StoreError as error:
                self._give_up(error)

    def _name_store(self) -> None:
        """Note on disk whose the files of the store are, before others than its own are there. Raises StoreError."""
        if not self._has_noted and not self.was_saved:
            self._store.note([])
            self._has_noted = True

    def cause(self, key: str, change: Change) -> str:
        """Return why a resource changed or would change."""
        return cause_of(change, self._saved.resources.get(key))

    def changed(self, key: str, resource: Resource, provider: AnyProvider, after: State, *, is_refresh: bool) -> str:
        """Keep what a resource was changed to by its provider; return why it was."""
        change = change_of(
            resource, relations(resource.type), after, after, self._found.get(key, ""), is_refresh=is_refresh
        )
        cause = self.cause(key, change)
        self._entries[key] = state_entry(change, cause)
        if change.visible and cause in (DRIFT, NEVER_CONVERGES):
            self._drifted[key] = (resource, provider)
        return cause

    def is_same(self, key: str, resource: Resource, after: State) -> bool:
        """Return whether a state shows no difference from the one before the change."""
        return self._found.get(key) == digest_of(seen(resource, after))

    def remember(self, key: str, resource: Resource, before: State) -> None:
        """Keep the state that a resource was found in, before it is changed."""
        self._found[key] = digest_of(seen(resource, before))

    @property
    def _sent_files(self) -> SentFiles:
        if self._sent is None:
            from .sent_files import SentFiles

            self._sent = SentFiles(self._store.files, self._log)
        return self._sent

    def keep_sent(self, key: str, resource: Resource, after: State) -> None:
        """Keep what a resource sends that has run."""
        if self.writes:
            try:
                self._name_store()
                self._sent_files.keep(key, resource, after)
            except StoreError as error:
                self._give_up(error)

    def sent(self, event: Event) -> dict[str, Value]:
        """Return what the resource of an event of this run sent last, nothing when that is not known."""
        with self.lock:
            ids = [(each.event_id, key) for key, each, _declared in self._by_key()]
            key = dict([*self._earlier.values(), *ids]).get(event.event_id, "")
            if self.is_unusable:
                return {}
            try:
                return self._sent_files.read(key, event.resource) if event.resource and key else {}
            except StoreError as error:
                self._give_up(error)
                return {}

    @property
    def undo_journal(self) -> UndoJournal:
        """The changes that can be undone."""
        if self._undo_journal is None:
            from .undo_journal import UndoJournal

            self._undo_journal = UndoJournal(self._saved, self._store)
        return self._undo_journal

    def keep(self, key: str, declared: Declared, resource: Resource, before: State, records: list[list[str]]) -> None:
        """Note what a resource is going to replace; a warning says why it cannot be undone."""
        if not self.writes:
            return
        try:
            self._name_store()
            self.undo_journal.keep(key, declared, resource, before, records)
        except StoreError as error:
            self._give_up(error)
        except (ResourceFailed, HostError) as error:
            self._log.warn("What changes cannot be undone", resource=resource.reference, reason=str(error))

    def reach(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note what a resource left that can be undone."""
        if self.writes:
            try:
                self.undo_journal.reach(key, resource, after, records)
            except HostError as error:
                self._log.warn(_UNREADABLE, resource=resource.reference, reason=str(error))

    def undeclared(self) -> list[UndoRecord]:
        """Return the changes to undo: of resources that no manifest of the run declares any more."""
        top = self._top
        self._is_known_undeclared, self._undeclared = True, []
        is_same = not self._has_changed_manifest and self._reached.digest() == self._digest
        if top is None or is_same or not self._saved.undo_records:
            return []
        known = list(top.declarations.known())
        records: list[list[str]] = []
        for change in [
            each for each in self.undo_journal.all.values() if top.declarations.declaration(each.declared) is None
        ]:
            reference = change.declared[-1][2]
            level = next((each for each in known if each.has(reference)), None)
            if level:
                self.undo_journal.move(change, level.key(reference), level.declared(reference), records)
            elif not any(each.has_path(path) for path in change.before if path.startswith("/") for each in known):
                self._undeclared.append(change)
        self.note(records)
        return self._undeclared

    def orphans(self, context: Context) -> list[tuple[str, str]]:
        """Return the keys of resources that are there, but in no manifest of the run, each with its path or ""."""
        return orphans(self._saved.remains, self._top.declarations, context) if self._top else []

    def managed_paths(self) -> set[str]:
        """Return the paths that resources of the manifest manage, or managed when they were changed."""
        changed = {path for change in self.undo_journal.all.values() for path in (change.name, *change.before)}
        return {path for path in (*changed, *self._saved.remains.values()) if path.startswith("/")}

    def strike(self, key: str, *, is_undone: bool = True) -> None:
        """Forget the change of a resource, and the resource itself when it `is_undone`."""
        if not self.writes:
            return
        self.note([[UNDONE if is_undone else FORGOTTEN, key]])
        if self.is_unusable:
            return
        try:
            self.undo_journal.lost.discard(key)
            self.undo_journal.forget(key)
        except StoreError as error:
            self._give_up(error)

    def finished(self, level: ManifestState, resource: Resource, event: Event, declared: Declared | None) -> None:
        """Keep the event of a resource until the end of the run; `declared` is where, when its change can be undone."""
        state = None if event.failed or event.skipped or event.noop else event.status
        is_stable = state is not None and state.stable and not state.changed and declared is None
        if not is_stable or not level.is_as_written(resource):
            found = self._found.get(level.key(resource.reference), "") if event.changed else ""
            self._reached.add((level.prefix, declared, found, event.failed), resource, state)
        self._finished.append((level, event, declared))

    def go_on(self) -> None:
        """Begin the next step of a run that does not end: what changed before did not change in it."""
        with self.lock:
            self.refreshes.go_on()
            if self._is_saved:
                for key, event, _declared in self._by_key():
                    self._earlier[key, event.type, event.name] = (event.event_id, key)
                self._finished, self._reached = [], Reached()
                self._goes_on, self._is_saved = True, False

    def finish(self) -> None:
        """Save what was reached, at the end of the run; nothing is written when it was saved before.

        A run may go on after it, and call it again: only some of the resources are managed again then.
        """
        if not self.writes or self._is_saved:
            self._is_saved = True
            return
        self._drop_undeclared()
        digest = "" if self._goes_on else self._reached.digest()
        is_same = self._reached.is_empty if self._goes_on else digest == self._digest
        if self._read_drifted() or not is_same or self._has_noted:
            self._renew_undo_records()
            self._save(digest)
        self._is_saved, self._has_noted = True, False

    def _read_drifted(self) -> bool:
        """Read what drifted again: a change that the run itself undid never converges.

        Return whether the known values of the resources differ now from the saved values.
        """
        is_new = False
        for key, (resource, provider) in self._drifted.items():
            state, entry = readable_state(resource, provider), self._entries[key]
            if state is not None:
                is_same = digest_of(seen(resource, state)) == entry[1]
                entry[-1] = DRIFT if is_same else NEVER_CONVERGES
            is_new = is_new or last_cause(self._saved.resources.get(key, ())) != entry[-1]
        self._drifted = {}
        return is_new

    def _save(self, digest: str) -> None:
        is_undo_left = bool(self._saved.undo_records) and (
            not self._is_known_undeclared or any(change.key in self.undo_journal.all for change in self._undeclared)
        )

        def change(saved: Saved) -> None:
            saved.digest = "" if is_undo_left else digest
            for key, event, _declared in self._by_key():
                related = relations(event.resource.type) if event.resource else None
                entry = self._entry(key, event, related)
                if entry and event.resource:
                    saved.resources[key] = entry
                    saved.remains[key] = remains_word(event.resource, related)
                elif key in saved.resources and (event.failed or event.skipped):
                    outcome = FAILED if event.failed else SKIPPED
                    saved.resources[key] = with_outcome(saved.resources[key], outcome)
            for key in [key for key in saved.resources if not saved.remains.get(key)]:
                if self._top and not self._top.declarations.may_have(key):
                    del saved.resources[key]

        try:
            self._read = self._store.save(change)
        except StoreError as error:
            self._give_up(error)

    def _by_key(self) -> list[tuple[str, Event, Declared | None]]:
        """Return the events of resources with their keys, in the order in which they ended."""
        return [
            (level.key(event.resource.reference), event, declared)
            for level, event, declared in self._finished
            if event.resource
        ]

    def _renew_undo_records(self) -> None:
        """Note where resources are declared now, and what they left; forget changes that are not to be undone."""
        if not self._saved.undo_records and not self._saved.lost:
            return
        records: list[list[str]] = []
        struck = []
        for change in self.undo_journal.all.values() if self._top else ():
            now = self._top.declarations.declaration(change.declared) if self._top else None
            if now and now != change.declared:
                change.declared = now
                records.append(change.record())
        finished = self._by_key()
        wanted = {key for key, _event, declared in finished if declared}
        for key, event, _declared in finished:
            if key not in wanted and (key in self.undo_journal.all or key in self.undo_journal.lost):
                struck.append(key)
            elif key in self.undo_journal.all and _is_managed(event) and event.resource and event.status:
                try:
                    self.undo_journal.renew(key, event.resource, event.status, records)
                except HostError as error:
                    self._log.warn(_UNREADABLE, resource=event.resource.reference, reason=str(error))
        for key in self.undo_journal.lost:
            if self._top and not self._top.declarations.may_have(key):
                struck.append(key)
        self.note(records)
        for key in dict.fromkeys(struck):
            self.strike(key, is_undone=False)

    def _drop_undeclared(self) -> None:
        """Drop refreshes owed to resources that the manifest does not have any more."""
        top = self._top
        ids = [each.id for each in self.refreshes.all() if top and not top.is_declared(each)]
        if ids:
            self.note([[SETTLE, *ids]])

    @property
    def _saved(self) -> Saved:
        """What was saved when it was first needed."""
        if self._read is None:
            self._read = Saved()
            try:
                self._read = self._store.read(puts_aside=self.writes)
            except StoreError as error:
                self._give_up(error)
        return self._read

    def _entry(self, key: str, event: Event, related: AnyRelations | None) -> list[str]:
        state, resource = event.status, event.resource
        if state is None or not _is_managed(event) or resource is None:
            return []
        if state.changed and key in self._entries:
            return self._entries[key]
        change = change_of(resource, related, state, state)
        return [change.wanted, change.reached]

    def _give_up(self, error: StoreError) -> None:
        if self.is_unusable:
            return
        self.is_unusable, self.writes = True, False
        self._read = self._read or Saved()
        about = {"advice": error.advice} if error.advice else {}
        self._log.warn(f"Going on without state between runs: {error.message}", **about)


def state_of_manifest(source: str, path: str, name: str, directory: str, log: Log, *, writes: bool) -> RunState | None:
    """Return the state between runs of a manifest, None for a manifest without an identity (`identity_of`).

    `directory` is the given directory of all state, "" for the default.
    """
    identity = identity_of(source, path, name)
    if not identity:
        return None
    return RunState(ManifestStore(state_directory(directory, os.environ), identity, log), log, writes=writes)


def _is_managed(event: Event) -> bool:
    """Return whether the state of a resource was read, and what it needed was done."""
    return event.status is not None and not (event.failed or event.skipped or event.noop)
