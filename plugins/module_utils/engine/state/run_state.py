# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What one run knows of the runs before it, and keeps for those after it (docs/state.md)."""

from __future__ import annotations

import _thread

from ...host.errors import HostError
from ...model.clock import new_event_id, timestamp
from ...model.errors import ResourceFailed
from .cause import cause_of, kept
from .errors import StoreError
from .manifest_state import ManifestState
from .observed import Reached, change_of, digest_of, seen
from .remains import BELOW, is_there, remains_word
from .saved import DOUBT, OWE, SETTLE, UNDONE, Saved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.event import Event
    from ...model.log import Log
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from ..context import Context
    from ..passed_on import Declaring, Notifying
    from .cause import Change
    from .kept_change import Declared, KeptChange
    from .kept_changes import KeptChanges
    from .saved import OwedRefresh
    from .sent_files import SentFiles
    from .store import ManifestStore


_UNREADABLE = "What was changed cannot be read"


class RunState:
    """The state of one run; without `writes` it is only read. Its threads share it.

    When the store cannot be used, one warning says so and the run goes on without it.
    """

    def __init__(self, store: ManifestStore, log: Log, *, writes: bool) -> None:
        self.lock = _thread.RLock()
        self.writes = writes
        self._store = store
        self._log = log
        self._sent: SentFiles | None = None
        self._kept: KeptChanges | None = None
        self._undeclared: list[KeptChange] = []
        self._is_known_undeclared = False
        self._id = new_event_id()
        self._count = 0
        self._has_noted = False
        self._top: ManifestState | None = None
        self._digest = ""
        self._read: Saved | None = None
        try:
            self._digest = store.digest()
        except StoreError as error:
            self._give_up(error)
        self._owed: dict[str, list[OwedRefresh]] = {}
        # A digest says that nothing else was left.
        for owed in () if self._digest else self._saved.owed.values():
            self._owed.setdefault(owed.subscriber, []).append(owed)
        # By subscriber, the causes of this run with the id of what was noted, "" where an earlier note covers it.
        self._own: dict[str, dict[str, str]] = {}
        self._changed: set[str] = set()
        self._found: dict[str, str] = {}
        self._entries: dict[str, list[str]] = {}
        # With each event, the manifest and, where the change can be undone, where the resource is declared.
        self._finished: list[tuple[ManifestState, Event, Declared | None]] = []
        self._reached = Reached()

    def read_text(self, prefix: str, text: str) -> None:
        """Remember the text of a manifest of the run; `prefix` is that of the keys of its resources."""
        self._reached.add_text(prefix, text)

    def of_manifest(
        self, resources: Sequence[Resource], notifying: Notifying | None, declaring: Declaring
    ) -> ManifestState:
        """Return the state for the manifest of the run that has these resources."""
        self._top = ManifestState(self, resources, notifying, declaring)
        return self._top

    @property
    def was_saved(self) -> bool:
        """Whether an earlier run left anything."""
        return bool(self._digest or self._saved.identity or self._saved.owed)

    def owed(self, subscriber: str) -> list[OwedRefresh]:
        """Return the refreshes that a resource is owed since earlier runs."""
        return self._owed.get(subscriber, [])

    def owe(self, subscriber: str, cause: str, records: list[list[str]], *, each: bool = False) -> None:
        """Note that a resource will be owed a refresh; with `each` also where another cause was noted before."""
        own = self._own.setdefault(subscriber, {})
        if cause not in own:
            is_covered = not each and (any(own.values()) or any(not old.is_doubtful for old in self.owed(subscriber)))
            own[cause] = "" if is_covered else self._noted(subscriber, cause, records)

    def take_back(self, subscriber: str, cause: str, records: list[list[str]]) -> None:
        """Strike off what was noted in this run because of `cause`, which changed nothing."""
        own = self._own.get(subscriber, {})
        id = own.pop(cause, "") if cause not in self._changed else ""
        if id:
            records.append([SETTLE, id])
            for other in own:
                if not any(own.values()):
                    own[other] = self._noted(subscriber, other, records)

    def doubt(self, subscriber: str, cause: str, records: list[list[str]]) -> None:
        """Note that it is not known whether `cause`, which failed, changed anything."""
        id = self._own.get(subscriber, {}).pop(cause, "") if cause not in self._changed else ""
        if id:
            records.append([DOUBT, id])

    def confirm(self, causes: list[str]) -> None:
        """Remember that a resource was changed in this run."""
        self._changed.update(causes)

    def settle(self, subscriber: str, records: list[list[str]]) -> None:
        """Strike off all that a resource was owed."""
        ids = [owed.id for owed in self._owed.pop(subscriber, ())]
        ids += [id for id in self._own.pop(subscriber, {}).values() if id]
        if ids:
            records.append([SETTLE, *ids])

    def replace(self, subscriber: str, owed: OwedRefresh, records: list[list[str]]) -> None:
        """Note that another resource is owed a refresh in place of the one that it was noted for."""
        self._count += 1
        copy = type(owed)(f"{self._id}-{self._count}", subscriber, owed.cause, owed.since, is_doubtful=owed.is_doubtful)
        records.append(copy.record())
        if owed.is_doubtful:
            records.append([DOUBT, copy.id])
        self._owed.setdefault(subscriber, []).append(copy)

    def note(self, records: list[list[str]]) -> None:
        """Write records to disk, unless the store cannot be used."""
        if records and self.writes:
            try:
                self._store.note(records)
                self._has_noted = True
            except StoreError as error:
                self._give_up(error)

    def cause(self, key: str, change: Change) -> str:
        """Return why a resource changed or would change."""
        return cause_of(change, self._saved.resources.get(key))

    def changed(self, key: str, resource: Resource, after: State, *, is_refresh: bool) -> str:
        """Keep what a resource was changed to; return why it was."""
        change = change_of(resource, after, after, self._found.get(key, ""), is_refresh=is_refresh)
        cause = self.cause(key, change)
        self._entries[key] = kept(change, cause)
        return cause

    def causes(self, subscriber: str) -> list[str]:
        """Return the causes in this run for which a resource is owed a refresh."""
        return list(self._own.get(subscriber, ()))

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
                self._sent_files.keep(key, resource, after)
            except StoreError as error:
                self._give_up(error)

    def sent(self, event: Event) -> dict[str, Value]:
        """Return what the resource of an event of this run sent last, nothing when that is not known."""
        with self.lock:
            key = next((key for key, each, _declared in self._by_key() if each is event), "")
            try:
                return self._sent_files.read(key, event.resource) if event.resource and key else {}
            except StoreError as error:
                self._give_up(error)
                return {}

    @property
    def kept(self) -> KeptChanges:
        """The changes that can be undone."""
        if self._kept is None:
            from .kept_changes import KeptChanges

            self._kept = KeptChanges(self._saved, self._store)
        return self._kept

    def keep(self, key: str, declared: Declared, resource: Resource, before: State, records: list[list[str]]) -> None:
        """Note what a resource is going to replace; a warning says why it cannot be undone."""
        if not self.writes:
            return
        try:
            self.kept.keep(key, declared, resource, before, records)
        except StoreError as error:
            self._give_up(error)
        except (ResourceFailed, HostError) as error:
            self._log.warn("What changes cannot be undone", resource=resource.reference, reason=str(error))

    def reach(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note what a resource left that can be undone."""
        if self.writes:
            try:
                self.kept.reach(key, resource, after, records)
            except HostError as error:
                self._log.warn(_UNREADABLE, resource=resource.reference, reason=str(error))

    def undeclared(self) -> list[KeptChange]:
        """Return the changes to undo: of resources that no manifest of the run declares any more."""
        top = self._top
        self._is_known_undeclared = True
        if top is None or self._reached.digest() == self._digest or not self._saved.kept:
            return []
        known = list(top.declarations.known())
        records: list[list[str]] = []
        for change in [each for each in self.kept.all.values() if top.declarations.declaration(each.declared) is None]:
            reference = change.declared[-1][2]
            place = next((each for each in known if each.has(reference)), None)
            if place:
                self.kept.move(change, place.key(reference), place.declared(reference), records)
            elif not any(each.has_path(path) for path in change.before if path.startswith("/") for each in known):
                self._undeclared.append(change)
        self.note(records)
        return self._undeclared

    def orphans(self, context: Context) -> list[tuple[str, str]]:
        """Return the keys of resources that are there, but in no manifest of the run, each with its path or ""."""
        found = []
        for key, word in sorted(self._saved.remains.items()):
            if self._top and not self._is_elsewhere(key) and is_there(key, word, context):
                found.append((key, word if word.startswith("/") else ""))
        return found

    def _is_elsewhere(self, key: str) -> bool:
        """Return whether the manifest has the resource of a key, or may have it, perhaps in another place."""
        top = self._top
        if top is None or top.declarations.may_have(key):
            return True
        names = key.split(BELOW)
        references = {BELOW.join(names[at:]) for at in range(len(names))}
        return any(level.has(reference) for level in top.declarations.known() for reference in references)

    def strike(self, key: str) -> None:
        """Forget the change of a resource, which was undone."""
        if not self.writes:
            return
        self.note([[UNDONE, key]])
        try:
            self.kept.lost.discard(key)
            self.kept.forget(key)
        except StoreError as error:
            self._give_up(error)

    def finished(self, level: ManifestState, resource: Resource, event: Event, declared: Declared | None) -> None:
        """Keep the event of a resource until the end of the run; `declared` is where, when its change can be undone."""
        state = event.status
        found = self._found.get(level.key(resource.reference), "") if state and state.changed else ""
        known = None if event.failed or event.skipped or event.noop else state
        is_stable = known is not None and known.stable and not known.changed and declared is None
        if not (is_stable and level.is_as_written(resource)):
            self._reached.add((level.prefix, declared, found), resource, known)
        self._finished.append((level, event, declared))

    def finish(self) -> None:
        """Save what was reached, at the end of the run; nothing is written when it was saved before."""
        if not self.writes:
            return
        self._drop_undeclared()
        digest = self._reached.digest()
        if digest == self._digest and not self._has_noted:
            return
        self._renew_kept()
        is_undo_left = bool(self._saved.kept) and (
            not self._is_known_undeclared or any(change.key in self.kept.all for change in self._undeclared)
        )

        def change(saved: Saved) -> None:
            saved.digest = "" if is_undo_left else digest
            for key, event, _declared in self._by_key():
                entry = self._entry(key, event)
                if entry and event.resource:
                    saved.resources[key] = entry
                    saved.remains[key] = remains_word(event.resource)
            for key in [key for key in saved.resources if not saved.remains.get(key)]:
                if self._top and not self._top.declarations.may_have(key):
                    del saved.resources[key]

        try:
            self._store.save(change)
        except StoreError as error:
            self._give_up(error)

    def _by_key(self) -> list[tuple[str, Event, Declared | None]]:
        """Return the events of resources with their keys, in the order in which they ended."""
        return [
            (level.key(event.resource.reference), event, declared)
            for level, event, declared in self._finished
            if event.resource
        ]

    def _renew_kept(self) -> None:
        """Note where resources are declared now, and what they left; forget changes that are not to be undone."""
        if not self._saved.kept and not self._saved.lost:
            return
        records: list[list[str]] = []
        struck = []
        for change in self.kept.all.values() if self._top else ():
            now = self._top.declarations.declaration(change.declared) if self._top else None
            if now and now != change.declared:
                change.declared = now
                records.append(change.record())
        finished = self._by_key()
        wanted = {key for key, _event, declared in finished if declared}
        for key, event, _declared in finished:
            if key not in wanted and (key in self.kept.all or key in self.kept.lost):
                struck.append(key)
            elif key in self.kept.all and _is_managed(event) and event.resource and event.status:
                try:
                    self.kept.renew(key, event.resource, event.status, records)
                except HostError as error:
                    self._log.warn(_UNREADABLE, resource=event.resource.reference, reason=str(error))
        for key in self.kept.lost:
            if self._top and not self._top.declarations.may_have(key):
                struck.append(key)
        self.note(records)
        for key in dict.fromkeys(struck):
            self.strike(key)

    def _drop_undeclared(self) -> None:
        """Strike off what is owed to resources that the manifest does not have any more."""
        top = self._top
        owed = [each for listed in self._owed.values() for each in listed]
        ids = [each.id for each in owed if top and not top.is_declared(each)]
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

    def _noted(self, subscriber: str, cause: str, records: list[list[str]]) -> str:
        self._count += 1
        id = f"{self._id}-{self._count}"
        records.append([OWE, id, subscriber, cause, timestamp()])
        return id

    def _entry(self, key: str, event: Event) -> list[str]:
        state, resource = event.status, event.resource
        if state is None or not _is_managed(event) or resource is None:
            return []
        if state.changed and key in self._entries:
            return self._entries[key]
        change = change_of(resource, state, state)
        return [change.wanted, change.reached]

    def _give_up(self, error: StoreError) -> None:
        self.writes = False
        self._read = self._read or Saved()
        about = {"advice": error.advice} if error.advice else {}
        self._log.warn(f"Going on without state between runs: {error.message}", **about)


def _is_managed(event: Event) -> bool:
    """Return whether the state of a resource was read, and what it needed was done."""
    return event.status is not None and not (event.failed or event.skipped or event.noop)
