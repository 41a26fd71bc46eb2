# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The changes of one run: noted on disk before they are made and after, and saved at its end (docs/design/state.md)."""

from __future__ import annotations

import time

from ...model.errors import StoreError
from ...resources.types import relations
from ..between_runs import wants_reversal
from .cause import FAILED, SKIPPED, Causes, readable_state, shows_changes, with_outcome
from .ids import Ids
from .journal import Journal, unchanged
from .lines import LaterVersion
from .manifest_changes import finished_events
from .orphans import orphans, remains_word
from .owed import OwedRefreshes, say_owed
from .own_files import digest_of_key
from .records import Owed, Saved, Settled
from .running import RunningRuns
from .senders import SenderKeys
from .unrecorded import ChangeMark, Unnoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Sequence

    from ...model.event import Event
    from ...model.facets import AnyRelations
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from ...resources.undone.undo_record import UndoRecord
    from ..around import Go, Work
    from ..attempt import Attempt
    from ..between_runs import ManifestState, StateBetweenRuns
    from ..context import Context
    from .kept import KeptChanges
    from .records import Records
    from .sent import SentFiles
    from .stored_files import StoredFiles

#: After a store failed, it is tried again after so many times as long as the try took.
_PAUSE = 10


class Changes:
    """The changes of a `run`, which are noted on disk and saved at its end, unless it only reads."""

    def __init__(self, run: StateBetweenRuns) -> None:
        #: Why the store cannot be used, "" where it can.
        self.fault = ""
        self._has_noted = False
        self._run = run
        self._writes = run.writes
        self._store = Journal(run.directory)
        self._log = run.directory.log
        self._ids = Ids()
        self._running = RunningRuns(run.directory, self._ids)
        self._is_later_version = False
        self._unnoted = Unnoted()
        # When the store is tried again after it failed, by the monotonic clock.
        self._try_at = 0.0
        self._saved: Saved | None = None
        self._refreshes: OwedRefreshes | None = None
        self._kept: KeptChanges | None = None
        self._sent: SentFiles | None = None
        self._undeclared: list[UndoRecord] | None = None
        self._sender_keys = SenderKeys(run)
        self.causes = Causes(lambda key: self.saved.entry(key)[1:] or None)

    @property
    def saved(self) -> Saved:
        """What earlier runs left, as it was when it was first needed."""
        with self._run.lock:
            return self.read()

    def read(self, found: StoredFiles | None = None) -> Saved:
        """Take over what earlier runs left, once: the files that were `found`, else they are read now."""
        if self._saved is None:
            try:
                self._saved = self._store.read(found, mends=self._run.writes)
            except StoreError as error:
                self.give_up(error)
        return self._saved or Saved()

    @property
    def refreshes(self) -> OwedRefreshes:
        """The refreshes that are owed."""
        with self._run.lock:
            if self._refreshes is None:
                # With a digest nothing was owed when the run began.
                left = () if self._run.digest else self.saved.owed.values()
                self._refreshes = OwedRefreshes(left, self._ids, self._running)
            return self._refreshes

    @property
    def kept(self) -> KeptChanges:
        """What can be undone."""
        with self._run.lock:
            if self._kept is None:
                from .kept import KeptChanges

                self._kept = KeptChanges(self.saved, self._store.directory, self._ids, self._running)
            return self._kept

    @property
    def sent(self) -> SentFiles:
        """What commands sent last."""
        if self._sent is None:
            from .sent import SentFiles

            self._sent = SentFiles(self._store.directory)
        return self._sent

    @property
    def was_saved(self) -> bool:
        """Whether an earlier run left anything."""
        return bool(self._run.digest or self.saved.identity or self.saved.owed)

    def note(self, records: Records, contents: Mapping[str, bytes] | None = None, unneeded: Sequence[str] = ()) -> None:
        """Write records to disk, unless the store cannot be used; see Journal."""
        if not records or not self._writes:
            return
        if self._run.writes:
            try:
                self._write(records, contents, unneeded)
                return
            except StoreError as error:
                self.give_up(error)
        self._unnoted.add(records)

    def _write(
        self, records: Records, contents: Mapping[str, bytes] | None = None, unneeded: Sequence[str] = ()
    ) -> None:
        if any(record.kind == Owed.kind for record in records):
            self._running.note()
        self._store.note(records, contents, unneeded)
        self._has_noted = True

    def act(self, state: ManifestState, attempt: Attempt, go: Go) -> Work[State]:
        """Note on disk the refreshes owed because of a change and the state that it replaces, then make it."""
        resource, decision = attempt.resource, attempt.decision
        is_refresh = decision.settled
        key = state.key(resource.reference)
        if decision.refreshed:
            say_owed(state, attempt)
        if resource.type.applies_manifests:
            after = yield from go(attempt)
            if not attempt.noop:
                with self._run.lock:
                    self._note_outcome(state, key, resource, changed=after.changed)
            return after
        related = relations(resource.type)
        if attempt.noop:
            with self._run.lock:
                before = attempt.state
                before.cause = self.causes.expected(key, resource, related, before, is_refresh=is_refresh)
            return (yield from go(attempt))
        is_visible = shows_changes(related)
        with self._run.lock:
            is_sender = not is_visible and state.changes.is_asked_for(resource)
            self._note_change(state, key, attempt, related, is_sender=is_sender)
        if not attempt.decision.verbs:
            return attempt.state
        try:
            after = yield from go(attempt)
        except Exception:
            left = readable_state(resource, attempt.provider) if is_visible else None
            with self._run.lock:
                self._reach(key, resource, left)
                if left is None:
                    state.changes.refreshes.doubt(resource)
                else:
                    changed = not self.causes.is_same(key, resource, related, left)
                    self._note_outcome(state, key, resource, changed=changed)
                if is_sender:
                    self._write_sent(lambda: self.sent.void(key, resource, has_failed=True))
            raise
        with self._run.lock:
            self._note_outcome(state, key, resource, changed=after.changed)
            self._reach(key, resource, after if after.changed else None)
            if after.changed:
                after.cause = self.causes.changed(key, attempt, related, after, is_refresh=is_refresh)
            if is_sender:
                self._write_sent(lambda: self.sent.keep(key, resource, after))
        return after

    def _note_change(
        self, state: ManifestState, key: str, attempt: Attempt, related: AnyRelations | None, *, is_sender: bool
    ) -> None:
        """Note on disk, before a resource changes, owed refreshes, the state that it replaces, and a void value."""
        resource = attempt.resource
        records: Records = []
        contents: Mapping[str, bytes] = {}
        is_reversed = wants_reversal(resource)
        if is_reversed and self._run.writes:
            declared = state.changes.declarations.declared(resource.reference)
            try:
                contents = self.kept.keep_decided(key, declared, attempt, related, records)
            except StoreError as error:
                self.give_up(error)
            if not attempt.decision.verbs:
                return
        if not attempt.is_retried:
            # Later tries are compared with what the first one found.
            self.causes.remember(key, resource, related, attempt.state)
        state.changes.refreshes.owe(resource, records)
        self.note(records, contents)
        if is_sender:
            self._write_sent(lambda: self.sent.void(key, resource))
        if self.fault and not self._is_later_version:
            directory = self._store.directory
            mark = ChangeMark(directory, key, is_reversed=is_reversed, is_sender=is_sender)
            self._unnoted.marks.setdefault(key, mark)

    def _note_outcome(self, state: ManifestState, key: str, resource: Resource, *, changed: bool) -> None:
        """Note whether a resource changed; else no refresh is owed because of it, and no change is missing."""
        if changed:
            state.changes.refreshes.confirm(resource)
            return
        state.changes.refreshes.take_back(resource)
        if key in self._unnoted.marks:
            self._unnoted.marks[key].take_back()

    def _reach(self, key: str, resource: Resource, after: State | None) -> None:
        """Note what a resource left that can be undone."""
        if after is not None and wants_reversal(resource) and self._run.writes:
            records: Records = []
            self.kept.reach(key, resource, after, records)
            self.note(records)

    def last_sent(self, event: Event) -> dict[str, Value]:
        """Return what the resource of an event sent last, nothing when that is not known. Raises ValueLost."""
        key = self._sender_keys.key(event)
        if self.fault or not key or event.resource is None:
            return {}
        try:
            return self.sent.read(key, event.resource)
        except StoreError as error:
            self.give_up(error)
            return {}

    def _write_sent(self, write: Callable[[], None]) -> None:
        """Write what a command sent, or that it is void; before that it must be on disk whose state it is."""
        if self._run.writes:
            try:
                if not self._has_noted and not self.was_saved:
                    self._store.note([])
                    self._has_noted = True
                write()
            except StoreError as error:
                self.give_up(error)

    def undeclared(self, *, is_same: bool) -> list[UndoRecord]:
        """Return the changes to undo: of resources that no manifest of the run declares any more.

        There is none when the manifest `is_same` as in the last run.
        """
        top = self._run.top
        self._undeclared = []
        if top is None or is_same or not (self.saved.kept or self._kept):
            return []
        records: Records = []
        self._undeclared = self.kept.undeclared(top.changes.declarations, records)
        self.note(records)
        return self._undeclared if not self._undeclared or self.can_note() else []

    def can_note(self) -> bool:
        """Return whether it can be noted that changes are undone; else a warning says why they must not be."""
        if self._run.writes:
            try:
                self._store.note([])
            except StoreError as error:
                self.give_up(error)
        if self.fault:
            self._log.warn("Nothing is undone: it could not be noted, and would be undone again")
        return not self.fault

    def orphans(self, context: Context) -> list[tuple[str, str]]:
        """Return the keys of resources that are there, but in no manifest of the run, each with its path or ""."""
        return orphans(self.saved.entries(), self._run.top.changes.declarations, context) if self._run.top else []

    def strike(self, key: str, *, is_undone: bool = True) -> None:
        """Forget the change of a resource, and the resource itself when it `is_undone`."""
        if not self._run.writes:
            return
        change = self.kept.all.get(key)
        self.note(self.kept.forget(key, is_undone=is_undone), unneeded=change.contents() if change else ())

    def finish(self, digest: str, settled: str, *, is_same: bool, is_settled: bool) -> None:
        """Save what was reached, and its two digests (reached.py).

        It `is_same` as in the last run, or `is_settled`: the last run changed it to what it is.
        """
        self._drop_undeclared()
        if is_settled and self._undeclared is None:
            self._undeclared = []
        if is_settled and not self._has_noted:
            self._store.mark_stable(digest)
        elif self.causes.read_drifted() or not is_same or self._has_noted:
            self._renew_kept()
            self._save(digest, settled)
        self._has_noted = False

    def close(self) -> None:
        """Say that this run changes nothing more that it kept."""
        self._kept = None
        self._running.end()

    def _save(self, digest: str, settled: str) -> None:
        is_undo_left = bool(self.saved.kept or self._kept) and (
            self._undeclared is None or any(change.key in self.kept.all for change in self._undeclared)
        )

        def change(saved: Saved) -> None:
            # Another run may have kept a change, which this manifest does not declare.
            is_unknown = any(id not in self.saved.kept and not self._ids.has(id) for id in saved.kept)
            saved.digest, saved.settled = ("", "") if is_undo_left or is_unknown else (digest, settled)
            if self._kept:
                saved.noted_marks = set(map(digest_of_key, [*self._kept.all, *self._kept.lost]))
            for key, event, _declared in finished_events(self._run):
                related = relations(event.resource.type) if event.resource else None
                entry = self.causes.take_entry(key, event, related)
                if entry and event.resource:
                    saved.reach(key, remains_word(event.resource, related), entry)
                elif event.failed or event.skipped:
                    last = saved.entry(key)
                    if last:
                        saved.reach(key, last[0], with_outcome(last[1:], FAILED if event.failed else SKIPPED))
            top = self._run.top
            for key in [key for key, words in saved.entries() if not words[0]] if top else ():
                if top and not top.changes.declarations.may_have(key):
                    del saved.resources[key]

        try:
            self._saved = self._store.save(change)
            self._kept = None  # The records have other ids now.
        except StoreError as error:
            self.give_up(error)

    def _renew_kept(self) -> None:
        """Note where resources with a change are declared now, and what they left."""
        if self.saved.kept or self.saved.lost or self.saved.marks or self._kept:
            top = self._run.top
            for records in self.kept.renew(top.changes.declarations if top else None, list(finished_events(self._run))):
                self.note(records)

    def _drop_undeclared(self) -> None:
        """Drop refreshes owed to resources that the manifest does not have any more, and those that are noted twice."""
        if self._refreshes is None and (self._run.digest or not self.saved.owed):
            return
        refreshes, top = self.refreshes, self._run.top
        ids = [each.id for each in refreshes.earlier() if top and not top.changes.refreshes.is_declared(each)]
        ids += refreshes.repeated()
        if ids:
            self.note([Settled(*ids)])

    def go_on(self, *, is_saved: bool) -> None:
        """Begin the next step of a run that does not end; all that was reached before `is_saved` or will be."""
        self.take_up()
        if self._refreshes is not None:
            self._refreshes.go_on()
        if is_saved:
            self._sender_keys.go_on()

    def give_up(self, error: StoreError) -> None:
        """Go on without the store, until it can be used again; a warning says so."""
        if self.fault:
            return
        self.fault, self._run.writes = error.message, False
        self._is_later_version = isinstance(error, LaterVersion)
        self._saved = self._saved or Saved()
        about = {"advice": error.advice} if error.advice else {}
        self._log.warn(f"Going on without state between runs: {error.message}", **about)

    def take_up(self) -> None:
        """Use the store again that failed before, if that is possible now: note what could not be noted."""
        begin = time.monotonic()
        if not self.fault or not self._writes or self._is_later_version or begin < self._try_at:
            return
        try:
            self._write(self._unnoted.records())
            saved = self._store.save(unchanged)
        except StoreError as error:
            self.fault = error.message
            end = time.monotonic()
            self._try_at = end + _PAUSE * (end - begin)
            return
        for mark in self._unnoted.marks.values():
            mark.make()
        self.fault, self._run.writes, self._unnoted = "", True, Unnoted()
        self._saved, self._kept, self._undeclared = saved, None, None
        if self._refreshes is not None:
            self._refreshes.add(saved.owed.values())
        self._log.info("State between runs is kept again")
