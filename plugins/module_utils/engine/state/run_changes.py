# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The changes of one run, and the saved results of the runs before it (docs/state.md)."""

from __future__ import annotations

from ...host.errors import HostError
from ...model.errors import ResourceFailed, StoreError
from ...resources.types import relations
from .cause import DRIFT, FAILED, NEVER_CONVERGES, SKIPPED, cause_of, last_cause, state_entry, with_outcome
from .observed import change_of, readable_state, seen
from .owed_refreshes import OwedRefreshes
from .reached import digest_of
from .remains import orphans, remains_word
from .saved import FORGOTTEN, SETTLE, UNDONE, Saved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.contract import AnyProvider
    from ...model.event import Event
    from ...model.facets import AnyRelations
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from ..attempt import Attempt
    from ..context import Context
    from .cause import Change
    from .run_state import RunState
    from .sent_files import SentFiles
    from .undo_journal import UndoJournal
    from .undo_record import Declared, UndoRecord


_UNREADABLE = "What was changed cannot be read"


class RunChanges:
    """The changes of a `run`, which are noted on disk, and saved at its end unless it only reads."""

    def __init__(self, run: RunState) -> None:
        self.is_unusable = False
        self._run = run
        self._store = run.store
        self._log = run.log
        self._sent: SentFiles | None = None
        self._undo_journal: UndoJournal | None = None
        self._undeclared: list[UndoRecord] | None = None
        self._has_noted = False
        self._read: Saved | None = None
        self._refreshes: OwedRefreshes | None = None
        self._found: dict[str, str] = {}
        self._entries: dict[str, list[str]] = {}
        # The resources that drifted, with their providers, by which their states are read again at the end of the run
        # if the machine changed since this generation.
        self._drifted: dict[str, tuple[Resource, AnyProvider, int]] = {}

    def read(self) -> None:
        """Read what earlier runs left, if it was not read yet."""
        self._read = self._saved

    @property
    def refreshes(self) -> OwedRefreshes:
        """The refreshes that are owed."""
        with self._run.lock:
            if self._refreshes is None:
                # A digest says that nothing else was left.
                self._refreshes = OwedRefreshes(() if self._run.digest else self._saved.owed.values())
            return self._refreshes

    @property
    def was_saved(self) -> bool:
        """Whether an earlier run left anything."""
        return bool(self._run.digest or self._saved.identity or self._saved.owed)

    def note(self, records: list[list[str]]) -> None:
        """Write records to disk, unless the store cannot be used."""
        if records and self._run.writes:
            try:
                self._store.note(records)
                self._has_noted = True
            except StoreError as error:
                self.give_up(error)

    def _name_store(self) -> None:
        """Note on disk whose the files of the store are, before others than its own are there. Raises StoreError."""
        if not self._has_noted and not self.was_saved:
            self._store.note([])
            self._has_noted = True

    def cause(self, key: str, change: Change) -> str:
        """Return why a resource changed or would change."""
        return cause_of(change, self._saved.resources.get(key))

    def changed(self, key: str, attempt: Attempt, after: State, *, is_refresh: bool) -> str:
        """Keep what a resource was changed to; return why it was."""
        resource = attempt.resource
        change = change_of(
            resource, relations(resource.type), after, after, self._found.get(key, ""), is_refresh=is_refresh
        )
        cause = self.cause(key, change)
        self._entries[key] = state_entry(change, cause)
        if change.visible and cause in (DRIFT, NEVER_CONVERGES):
            self._drifted[key] = (resource, attempt.provider, attempt.generation)
        return cause

    def is_same(self, key: str, resource: Resource, after: State) -> bool:
        """Return whether a state shows no difference from the one before the change."""
        return self._found.get(key) == digest_of(seen(resource, after))

    def remember(self, key: str, resource: Resource, before: State) -> None:
        """Keep the state that a resource was found in, before it is changed."""
        self._found[key] = digest_of(seen(resource, before))

    def found(self, key: str) -> str:
        """Return the digest of the state that a resource was found in before it changed, "" without a change."""
        return self._found.get(key, "")

    @property
    def _sent_files(self) -> SentFiles:
        if self._sent is None:
            from .sent_files import SentFiles

            self._sent = SentFiles(self._store.files, self._log)
        return self._sent

    def keep_sent(self, key: str, resource: Resource, after: State) -> None:
        """Keep what a resource sends that has run."""
        if self._run.writes:
            try:
                self._name_store()
                self._sent_files.keep(key, resource, after)
            except StoreError as error:
                self.give_up(error)

    def sent(self, key: str, resource: Resource) -> dict[str, Value]:
        """Return what a resource sent last, nothing when that is not known."""
        if self.is_unusable:
            return {}
        try:
            return self._sent_files.read(key, resource)
        except StoreError as error:
            self.give_up(error)
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
        if not self._run.writes:
            return
        try:
            self._name_store()
            self.undo_journal.keep(key, declared, resource, before, records)
        except StoreError as error:
            self.give_up(error)
        except (ResourceFailed, HostError) as error:
            self._log.warn("What changes cannot be undone", resource=resource.reference, reason=str(error))

    def reach(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note what a resource left that can be undone."""
        if self._run.writes:
            try:
                self.undo_journal.reach(key, resource, after, records)
            except HostError as error:
                self._log.warn(_UNREADABLE, resource=resource.reference, reason=str(error))

    def undeclared(self, *, is_same: bool) -> list[UndoRecord]:
        """Return the changes to undo: of resources that no manifest of the run declares any more.

        There is none when the manifest `is_same` as in the last run.
        """
        top = self._run.top
        self._undeclared = undeclared = []
        if top is None or is_same or not self._saved.undo_records:
            return []
        declarations = top.changes.declarations
        known = list(declarations.known())
        records: list[list[str]] = []
        changes = [each for each in self.undo_journal.all.values() if declarations.declaration(each.declared) is None]
        for change in changes:
            reference = change.declared[-1][2]
            level = next((each for each in known if each.has(reference)), None)
            if level:
                self.undo_journal.move(change, level.key(reference), level.declared(reference), records)
            elif not any(each.has_path(path) for path in change.before if path.startswith("/") for each in known):
                undeclared.append(change)
        self.note(records)
        return undeclared

    def orphans(self, context: Context) -> list[tuple[str, str]]:
        """Return the keys of resources that are there, but in no manifest of the run, each with its path or ""."""
        return orphans(self._saved.remains, self._run.top.changes.declarations, context) if self._run.top else []

    def managed_paths(self) -> set[str]:
        """Return the paths that resources of the manifest manage, or managed when they were changed."""
        changed = {path for change in self.undo_journal.all.values() for path in (change.name, *change.before)}
        return {path for path in (*changed, *self._saved.remains.values()) if path.startswith("/")}

    def strike(self, key: str, *, is_undone: bool = True) -> None:
        """Forget the change of a resource, and the resource itself when it `is_undone`."""
        if not self._run.writes:
            return
        self.note([[UNDONE if is_undone else FORGOTTEN, key]])
        if self.is_unusable:
            return
        try:
            self.undo_journal.lost.discard(key)
            self.undo_journal.forget(key)
        except StoreError as error:
            self.give_up(error)

    def finish(self, digest: str, *, is_same: bool) -> None:
        """Save what was reached, whose digest is the digest of the last run if it `is_same`."""
        self._drop_undeclared()
        if self._read_drifted() or not is_same or self._has_noted:
            self._renew_undo_records()
            self._save(digest)
        self._has_noted = False

    def _read_drifted(self) -> bool:
        """Read what drifted again: a change that the run itself undid never converges.

        Return whether the known values of the resources differ now from the saved values.
        """
        is_new = False
        for key, (resource, provider, generation) in self._drifted.items():
            entry = self._entries[key]
            if provider.machine.generation == generation:
                entry[-1] = DRIFT
            else:
                state = readable_state(resource, provider)
                if state is not None:
                    is_same = digest_of(seen(resource, state)) == entry[1]
                    entry[-1] = DRIFT if is_same else NEVER_CONVERGES
            is_new = is_new or last_cause(self._saved.resources.get(key, ())) != entry[-1]
        self._drifted = {}
        return is_new

    def _save(self, digest: str) -> None:
        is_undo_left = bool(self._saved.undo_records) and (
            self._undeclared is None or any(change.key in self.undo_journal.all for change in self._undeclared)
        )

        def change(saved: Saved) -> None:
            saved.digest = "" if is_undo_left else digest
            for key, event, _declared in self._run.finished_events():
                related = relations(event.resource.type) if event.resource else None
                entry = self._entry(key, event, related)
                if entry and event.resource:
                    saved.resources[key] = entry
                    saved.remains[key] = remains_word(event.resource, related)
                elif key in saved.resources and (event.failed or event.skipped):
                    outcome = FAILED if event.failed else SKIPPED
                    saved.resources[key] = with_outcome(saved.resources[key], outcome)
            for key in [key for key in saved.resources if not saved.remains.get(key)]:
                if self._run.top and not self._run.top.changes.declarations.may_have(key):
                    del saved.resources[key]

        try:
            self._read = self._store.save(change)
        except StoreError as error:
            self.give_up(error)

    def _renew_undo_records(self) -> None:
        """Note where resources are declared now, and what they left; forget changes that are not to be undone."""
        if not self._saved.undo_records and not self._saved.lost:
            return
        records: list[list[str]] = []
        struck = []
        for change in self.undo_journal.all.values() if self._run.top else ():
            now = self._run.top.changes.declarations.declaration(change.declared) if self._run.top else None
            if now and now != change.declared:
                change.declared = now
                records.append(change.record())
        finished = self._run.finished_events()
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
            if self._run.top and not self._run.top.changes.declarations.may_have(key):
                struck.append(key)
        self.note(records)
        for key in dict.fromkeys(struck):
            self.strike(key, is_undone=False)

    def _drop_undeclared(self) -> None:
        """Drop refreshes owed to resources that the manifest does not have any more."""
        if self._refreshes is None and (self._run.digest or not self._saved.owed):
            return
        top = self._run.top
        ids = [each.id for each in self.refreshes.all() if top and not top.changes.is_declared(each)]
        if ids:
            self.note([[SETTLE, *ids]])

    @property
    def _saved(self) -> Saved:
        """What was saved when it was first needed."""
        if self._read is None:
            self._read = Saved()
            try:
                self._read = self._store.read(puts_aside=self._run.writes)
            except StoreError as error:
                self.give_up(error)
        return self._read

    def _entry(self, key: str, event: Event, related: AnyRelations | None) -> list[str]:
        state, resource = event.status, event.resource
        if state is None or not _is_managed(event) or resource is None:
            return []
        if state.changed and key in self._entries:
            return self._entries[key]
        change = change_of(resource, related, state, state)
        return [change.wanted, change.reached]

    def give_up(self, error: StoreError) -> None:
        """Go on without the store; the first error is logged."""
        if self.is_unusable:
            return
        self.is_unusable, self._run.writes = True, False
        self._read = self._read or Saved()
        about = {"advice": error.advice} if error.advice else {}
        self._log.warn(f"Going on without state between runs: {error.message}", **about)


def _is_managed(event: Event) -> bool:
    """Return whether the state of a resource was read, and what it needed was done."""
    return event.status is not None and not (event.failed or event.skipped or event.noop)
