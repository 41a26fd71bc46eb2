# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state between runs, around the resources of a run: as long as nothing changes it compares one digest.

The rest is imported when a resource changes, or when earlier runs left anything (docs/design/state.md).
"""

from __future__ import annotations

import _thread
import os

from ...model.errors import StoreError
from ...model.resource import ResourceType
from ..around import Around
from .reached import Reached
from .store import ManifestStore, identity_of, state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ...model.contract import AnyType
    from ...model.event import Event
    from ...model.log import Log
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from ...resources.undone.undo_record import Declared, UndoRecord
    from ..around import Applied, AppliedManifest, Go, Work
    from ..attempt import Attempt
    from ..notifying import Notifying
    from .changes import Changes
    from .orphans import Declarations
    from .owed import Subscribers

#: Between the references in the key of a resource of an applied manifest.
KEY_SEPARATOR = " > "


class StateBetweenRuns:
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
        self._settled = ""
        self._changes: Changes | None = None
        # With each event, the manifest and, where the change can be undone, where the resource is declared.
        self._finished: list[tuple[ManifestState, Event, Declared | None]] = []
        # Of events that were saved: by resource the id of the last one, and the key of the resource.
        self._earlier: dict[tuple[str, str, str], tuple[str, str]] = {}
        self._reached = Reached()
        self._goes_on = self._is_saved = self._has_changed_manifest = False
        try:
            self.digest, self._settled = store.digests()
        except StoreError as error:
            self.changes.give_up(error)
        if not self.digest:
            # Before the run: damaged files are put aside, and what another run owes meanwhile is not taken over.
            self.changes.saved  # noqa: B018 - it is read now

    @property
    def changes(self) -> Changes:
        """What this run changes, and what earlier runs left."""
        with self.lock:
            if self._changes is None:
                from .changes import Changes

                self._changes = Changes(self)
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
        """Return what the resource of an event of this run sent last, nothing when that is not known.

        Raises ValueLost when that does not count any more.
        """
        with self.lock:
            ids = [(each.event_id, key) for key, each, _declared in self.finished_events()]
            key = dict([*self._earlier.values(), *ids]).get(event.event_id, "")
            return self.changes.last_sent(key, event.resource) if event.resource and key else {}

    def undeclared(self) -> list[UndoRecord]:
        """Return the changes to undo: of resources that no manifest of the run declares any more."""
        is_same = not self._has_changed_manifest and self._reached.digests()[0] in (self.digest, self._settled)
        return [] if is_same and self._changes is None else self.changes.undeclared(is_same=is_same)

    def finished(self, level: ManifestState, resource: Resource, event: Event, declared: Declared | None) -> None:
        """Keep the event of a resource until the end of the run; `declared` is where, when its change can be undone."""
        self._finished.append((level, event, declared))
        about = level.prefix, declared
        is_as_written = declared is None and level.is_as_written(resource)
        state = event.status
        if state is None or event.failed or event.skipped or (event.noop and event.changed):
            self._reached.add_missing((*about, event.failed), resource)
        elif state.changed:
            found = self._changes.causes.found(level.key(resource.reference)) if self._changes else ""
            self._reached.add_changed(about, found, resource, state, is_as_written=is_as_written)
        elif not (is_as_written and state.stable):
            self._reached.add(about, resource, state)

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
            digest, settled = ("", "") if self._goes_on else self._reached.digests()
            is_same = self._reached.is_empty if self._goes_on else digest == self.digest
            is_settled = bool(digest) and digest == self._settled
            self._reached = Reached()
            if is_settled and self._changes is None:
                self.mark_stable(digest)
            elif not is_same or self._changes is not None:
                self.changes.finish(digest, settled, is_same=is_same, is_settled=is_settled)
        self._is_saved = True
        if self._changes is not None:
            self._changes.close()

    def mark_stable(self, digest: str) -> None:
        """Note that this run changed nothing after one that changed something; `digest` is its digest."""
        try:
            self.store.mark_stable(digest)
        except StoreError as error:
            self.changes.give_up(error)

    def finished_events(self) -> Iterator[tuple[str, Event, Declared | None]]:
        """Yield the events of resources with their keys, in the order in which they ended."""
        for level, event, declared in self._finished:
            if event.resource:
                yield level.key(event.resource.reference), event, declared


class ManifestState(Around):
    """The state of a run, for one of its manifests, `declaring`.

    The key of a resource is its reference, after the references of the resources that apply the manifest: `above` is
    the state of the manifest that applies it, and `applied_by` the reference of its apply resource. Unless the manifest
    `acts`, the resources of applied manifests may be incomplete.
    """

    may_refresh = False

    def __init__(
        self,
        run: StateBetweenRuns,
        notifying: Notifying | None,
        declaring: AppliedManifest,
        above: ManifestState | None = None,
        applied_by: str = "",
        *,
        acts: bool = True,
    ) -> None:
        self.run = run
        self.notifying = notifying
        self.declaring = declaring
        self.above = above
        self.applied_by = applied_by
        self.acts = acts
        self.prefix = f"{above.key(applied_by)}{KEY_SEPARATOR}" if above else ""
        self.children: dict[str, ManifestState] = {}
        self._subscribers: Subscribers | None = None
        self._declarations: Declarations | None = None
        self.senders: frozenset[str] | None = None
        if declaring.literal:
            run.read_text(self.prefix, declaring.literal)

    @property
    def subscribers(self) -> Subscribers:
        """Whom changes of its resources affect."""
        with self.run.lock:
            if self._subscribers is None:
                self._subscribers = self.run.changes.subscribers(self)
            return self._subscribers

    @property
    def declarations(self) -> Declarations:
        """What the manifest declares."""
        with self.run.lock:
            if self._declarations is None:
                from .orphans import Declarations

                self._declarations = Declarations(self)
            return self._declarations

    def key(self, reference: str) -> str:
        """Return the key of a resource of the manifest."""
        return self.prefix + reference

    def child(self, applied: Applied) -> ManifestState:
        """Return the state for an applied manifest, whose resources are known now.

        A refresh that was owed to any resource of it is noted for the resources that it is for.
        """
        reference = applied.by(self.declaring)
        acts = applied.acts and self.acts
        child = state_of(self.run, applied.notifying, applied.manifest, self, reference, acts=acts)
        with self.run.lock:
            self.children[reference] = child
            if self.run.may_be_owed:
                self.run.changes.take_over(child, self.key(reference))
        return child

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Note on disk the refreshes owed because of a change and the state that it replaces, then make it."""
        return self.run.changes.act(self, attempt, go)

    def event(self, event: Event) -> None:
        """Keep the event of a resource until the end of the run."""
        resource = event.resource
        if resource is not None:
            declared = self.declarations.declared(resource.reference) if wants_reversal(resource) else None
            self.run.finished(self, resource, event, declared)

    def is_as_written(self, resource: Resource) -> bool:
        """Return whether the state of a stable resource follows from the text of the manifest alone."""
        return bool(self.declaring.literal) and resource.type.determines(resource.properties)

    def subscribed(self, resource: Resource) -> Sequence[str]:
        """Return the references to the resources whose change refreshes a resource."""
        found = resource.type.subscriptions(resource.properties)
        return [*found, *self.notifying.of(resource)] if self.notifying else found


class RefreshedState(ManifestState):
    """The state for a manifest with resources that may be owed a refresh: where one is subscribed to another."""

    may_refresh = True

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Bring a resource to its state, and refresh a resource to which earlier runs owe a refresh."""
        subscribed = self.subscribed(attempt.resource)
        return self._refreshing(attempt, subscribed, go) if subscribed else go(attempt)

    def _refreshing(self, attempt: Attempt, subscribed: Sequence[str], go: Go) -> Work[State]:
        if self.subscribers.owed(attempt.resource, subscribed, attempt.context.session):
            attempt.refresh = True
        state = yield from go(attempt)
        if not state.noop and attempt.refresh:
            self.run.changes.settle(self, attempt.resource)
        return state


def state_of(
    run: StateBetweenRuns,
    notifying: Notifying | None,
    manifest: AppliedManifest,
    above: ManifestState | None = None,
    applied_by: str = "",
    *,
    acts: bool = True,
) -> ManifestState:
    """Return the state for a manifest; see ManifestState."""
    may_subscribe = notifying is not None or any(map(_may_subscribe, {each.type for each in manifest.resources}))
    return (RefreshedState if may_subscribe else ManifestState)(run, notifying, manifest, above, applied_by, acts=acts)


def wants_reversal(resource: Resource) -> bool:
    """Return whether what a resource changes is to be kept."""
    meta = resource.properties.meta
    return meta is not None and bool(meta.get("reverse") or meta.get("undo"))


def _may_subscribe(type: AnyType) -> bool:
    return type.__class__.subscriptions is not ResourceType.subscriptions


def state_of_manifest(
    source: str, path: str, name: str, directory: str, log: Log, *, writes: bool
) -> StateBetweenRuns | None:
    """Return the state between runs of a manifest, None for a manifest without an identity (`identity_of`).

    `directory` is the given directory of all state, "" for the default.
    """
    identity = identity_of(source, path, name)
    if not identity:
        return None
    store = ManifestStore(state_directory(directory, os.environ), identity, log)
    return StateBetweenRuns(store, log, writes=writes)
