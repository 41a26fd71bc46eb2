# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the resources of a run replace is kept, so that it can be undone (docs/state.md)."""

from __future__ import annotations

import os

from ...host.errors import HostError
from ...host.restorable_paths import FILE, OTHER, found_at, stamps_of
from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...model.facets import DIRECTORY, PATH, TREE
from ...model.sending import is_sensitive
from ...redaction.texts import without_text_secrets
from ...resources.types import relations, reversal
from ...resources.undone.undo_record import SENSITIVE, UndoRecord, content_name
from ..between_runs import KEY_SEPARATOR
from .cause import seen_digest
from .own_files import digest_of_key
from .records import Forgotten, Kept, KeptBefore, Lost, Undone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ...host.restorable_paths import Found
    from ...model.event import Event
    from ...model.facets import AnyRelations, Parts
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Data
    from ...resources.undone.undo_record import Declared
    from ..attempt import Attempt
    from ..state_directory import StateDirectory
    from .ids import Ids
    from .orphans import Declarations
    from .records import Records, Saved
    from .running import RunningRuns


#: Limits of one change: the size in bytes of the contents of replaced files, and the number of paths.
LARGEST_CONTENT = 64 << 20
MOST_PATHS = 10_000
#: So often what a change replaces is read again when another process changes it meanwhile.
_MOST_READINGS = 5
_NOT_RECORDED = "a run without state changed it"
_UNREADABLE = "What was changed cannot be read"


class KeptChanges:
    """The changes of the resources of a manifest by their keys: what earlier runs kept, and what this run changes."""

    def __init__(self, saved: Saved, directory: StateDirectory, ids: Ids, running: RunningRuns) -> None:
        self._ids = ids
        self._directory = directory
        self._saved = saved
        self._marks = saved.marks
        self._log = directory.log
        #: What can be undone.
        self.all: dict[str, UndoRecord] = {}
        # The ids of the records of each change, and of each loss: of earlier runs and of this one; and its last id.
        self._records: dict[str, list[str]] = {}
        self._own: dict[str, str] = {}
        self._running = running
        # The ids of records of changes that other runs may be about to make; they may do so, and end, at any time.
        self._awaited = {id for id in saved.begun if running.has(id)}
        # The keys of resources that this run is about to change.
        self._begun: set[str] = set()
        for key, (record_ids, change) in saved.changes().items():
            self._records[key], self.all[key] = record_ids, change
        #: Why the first change of a resource cannot be undone.
        self.lost: dict[str, str] = {}
        for lost in saved.lost.values():
            self.lost[lost.key] = lost.reason
            self._records.setdefault(lost.key, []).append(lost.id)
        self._unnoted = [key for key in saved.resources if digest_of_key(key) in saved.marks] if saved.marks else []
        for key in self._unnoted:
            if key not in self.all:
                self.lost.setdefault(key, _NOT_RECORDED)

    def _keep(
        self, key: str, declared: Declared, resource: Resource, before: State, records: Records
    ) -> dict[str, bytes]:
        """Keep the parts that a resource is going to replace, except parts that its earlier changes replaced.

        Returns the contents of files by the names of the files that they are to be saved in with the records. Raises
        ResourceFailed when they are too large, and HostError.
        """
        how = reversal(resource.type)
        properties = resource.properties
        change = self.all.get(key)
        if how is None or key in self.lost or not (change or how.is_reversible(properties, before)):
            return {}
        if change is None and digest_of_key(key) in self._marks:
            self._lose(key, _NOT_RECORDED, records)
            raise ResourceFailed(_NOT_RECORDED, property="meta")
        if change is None:
            change = UndoRecord(
                key,
                declared=declared,
                number=max((each.number for each in self.all.values()), default=0) + 1,
                since=timestamp(),
                type=resource.type.name,
                name=resource.shown_name,
                given={},
                before={},
            )
        else:
            change = change.copy()
        known = change.before
        try:
            new, contents = _found_at([path for path in how.paths(properties, before) if path not in known])
        except (ResourceFailed, HostError) as error:
            self._lose(key, without_text_secrets(str(error)), records)
            raise
        change.before = {**how.parts(properties, before), **new, **known}
        change.reached = {}
        change.given = _given(resource, how.undone(properties, change.before))
        self.all[key] = change
        # Another run may strike off the record of an earlier change of this run, which it has read and undone.
        self._own.pop(key, None)
        records.append(KeptBefore.of(self._own_id(key), change))
        self._begun.add(key)
        return contents

    def keep_decided(
        self, key: str, declared: Declared, attempt: Attempt, related: AnyRelations | None, records: Records
    ) -> dict[str, bytes]:
        """Keep what a resource is going to replace, and return the contents; a warning says why it cannot be undone.

        The state that is kept is the state that was decided on: when another process changes it, it is decided again.
        Raises StoreError.
        """
        resource, properties = attempt.resource, attempt.resource.properties
        how, known = reversal(resource.type), self.all.get(key)
        reason = "something else changes it all the time"
        for _reading in range(_MOST_READINGS):
            before = attempt.state
            kept: Records = []
            paths = how.paths(properties, before) if how and not attempt.is_prepared else ()
            found = stamps_of(paths)
            self._running.note()
            try:
                contents = self._keep(key, declared, resource, before, kept)
            except (ResourceFailed, HostError) as error:
                reason = str(error)
                records += kept
                break
            is_same = True
            if paths:
                attempt.state = attempt.provider.status(properties)
                is_same = seen_digest(resource, related, attempt.state) == seen_digest(resource, related, before)
                # It may have changed and come back while the content was read.
                is_same = is_same and found == stamps_of(paths)
            if is_same:
                records += kept
                return contents
            attempt.decision = resource.type.decide(attempt.state, properties, attempt.refresh)
            self._put(key, known)
            if not attempt.decision.verbs:
                attempt.state.stable = True
                return {}
        else:
            self._lose(key, reason, records)
        self._log.warn("What changes cannot be undone", resource=resource.reference, reason=reason)
        return {}

    def _put(self, key: str, change: UndoRecord | None) -> None:
        """Take a change that was known before in place of what `keep` found, None for none."""
        if change:
            self.all[key] = change
        else:
            self.all.pop(key, None)

    def reach(self, key: str, resource: Resource, after: State, records: Records) -> None:
        """Note the parts of a resource after it was changed or found in its state; warn of what cannot be read."""
        change = self.all.get(key)
        if change is None:
            return
        try:
            reached = _parts_now(change, resource, after)
        except HostError as error:
            self._log.warn(_UNREADABLE, resource=resource.reference, reason=str(error))
            return
        if change.before and reached == change.before:
            records.append(Undone(*self._struck_seen(key)))
        elif change.reached != reached or key in self._begun:
            change.reached = reached
            records.append(Kept.of(self._own_id(key), change))
        self._begun.discard(key)

    def undeclared(self, top: Declarations, records: Records) -> list[UndoRecord]:
        """Return the changes of resources that no manifest of the run declares any more, `top` and those below it."""
        gone = [each for each in self.all.values() if top.declaration(each.declared) is None]
        known = list(top.known()) if gone else []
        managed = [_ManagedPaths(level.resources) for level in known]
        undeclared = []
        for change in gone:
            reference = change.declared[-1][2]
            level = next((each for each in known if each.has(reference)), None)
            if level:
                self._move(change, level.key(reference), level.declared(reference), records)
            elif not any(each.has(path) for path in change.before if path.startswith("/") for each in managed):
                undeclared.append(change)
        return undeclared

    def renew(
        self, top: Declarations | None, finished: Sequence[tuple[str, Event, Declared | None]]
    ) -> Iterator[Records]:
        """Yield records of where resources are declared now, and what they left; forget changes not to be undone."""
        if top:
            for key, change in self.all.items():
                now = top.declaration(change.declared)
                if now and now != change.declared:
                    change.declared = now
                    yield [Kept.of(self._own_id(key), change)]
        yield [Lost(self._own_id(key), key, self.lost[key]) for key in self._unnoted if key in self.lost]
        wanted = {key for key, _event, declared in finished if declared}
        forgotten = []
        for key in [key for key in self.lost if top and not top.may_have(key)]:
            forgotten.append(key)
            reference = key.rpartition(KEY_SEPARATOR)[2]
            level = next((each for each in top.known() if each.has(reference)), None) if top else None
            if level:
                moved: Records = []
                self._lose(level.key(reference), self.lost[key], moved)
                yield moved
            else:
                self._log.warn("What was changed cannot be undone", resource=key, reason=self.lost[key])
        for key, event, _declared in finished:
            records: Records = []
            if key not in wanted and (key in self.all or key in self.lost):
                forgotten.append(key)
            elif key in self.all and event.resource and event.status and not _is_unmanaged(event):
                self._renew(key, event.resource, event.status, records)
            elif key in wanted and not (key in self.all or key in self.lost) and digest_of_key(key) in self._marks:
                self._lose(key, _NOT_RECORDED, records)
            yield records
        for key in dict.fromkeys(forgotten):
            yield self.forget(key)

    def forget(self, key: str, *, is_undone: bool = False) -> Records:
        """Return the records that forget a change, and the resource itself when it `is_undone`."""
        if is_undone:
            return [Undone(*self._struck_seen(key))]
        return [Forgotten(*self._struck(key))]

    def managed_paths(self) -> set[str]:
        """Return the paths that resources of the manifest manage, or managed when they were changed."""
        changed = {path for change in self.all.values() for path in (change.name, *change.before)}
        remaining = (words[0] for _key, words in self._saved.entries())
        return {path for path in (*changed, *remaining) if path.startswith("/")}

    def content(self, found: Found) -> str:
        """Return the path of the file with the saved content of a file."""
        return f"{self._directory.path}/{content_name(found)}"

    def _move(self, change: UndoRecord, key: str, declared: Declared, records: Records) -> None:
        """Note that the same resource is now declared in another manifest of the run."""
        newer = self.all.get(key)
        former = [*self._struck_seen(change.key), *self._struck_seen(key)]
        change.key, change.declared = key, declared
        # A record at the new key was made after this change.
        self.all[key] = newer.joined(change) if newer else change
        # A power failure may cut off the end.
        records += [Kept.of(self._own_id(key), self.all[key]), Undone(*former)]

    def _renew(self, key: str, resource: Resource, after: State, records: Records) -> None:
        """Note the present way to undo a change, and its result if it was not seen."""
        change, how = self.all[key], reversal(resource.type)
        given = _given(resource, how.undone(resource.properties, change.before)) if how else change.given
        if given != change.given:
            change.given = given
            records.append(Kept.of(self._own_id(key), change))
        if not change.is_seen:
            self.reach(key, resource, after, records)

    def _own_id(self, key: str) -> str:
        """Return the id of the record of this run for its last change of a resource."""
        if key not in self._own:
            self._own[key] = self._ids.new()
            self._records.setdefault(key, []).append(self._own[key])
        return self._own[key]

    def _struck(self, key: str) -> list[str]:
        """Forget a change; return the ids of its records."""
        self.all.pop(key, None)
        self.lost.pop(key, None)
        self._own.pop(key, None)
        return self._records.pop(key, [])

    def _struck_seen(self, key: str) -> list[str]:
        """Forget a change; return the ids of its records, but for records of runs that may change it later."""
        return [id for id in self._struck(key) if id not in self._awaited]

    def _lose(self, key: str, reason: str, records: Records) -> None:
        lost = Lost(self._own_id(key), key, reason)
        self.lost[key] = reason
        records.append(lost)


def _found_at(paths: list[str]) -> tuple[Parts, dict[str, bytes]]:
    """Return the parts at paths, and the contents of files by the names of files that they are saved in.

    Raises ResourceFailed for paths that are not kept, and HostError.
    """
    if len(paths) > MOST_PATHS:
        raise ResourceFailed(f"{len(paths)} paths are more than the {MOST_PATHS} that are kept", property="meta")
    parts: Parts = {}
    contents: dict[str, bytes] = {}
    size = 0
    for path in paths:
        read = _Content(path, LARGEST_CONTENT - size)
        found = found_at(path, read.add)
        if found[0] == OTHER:
            raise ResourceFailed(f"{path} is neither a file, a directory nor a link", property="meta")
        if found[0] == FILE:
            contents[content_name(found)] = read.content()
            size += read.size
        parts[path] = found
    return parts, contents


class _ManagedPaths:
    """The paths that resources manage, and the directories that they manage with all that is in them."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        found = ((each, relations(each.type)) for each in resources)
        provided = [identity for each, related in found if related for identity in related.provides(each.properties)]
        self._paths = {_real(identity.name) for identity in provided if identity.kind in (PATH, DIRECTORY, TREE)}
        self._trees = tuple(f"{_real(identity.name)}/" for identity in provided if identity.kind == TREE)

    def has(self, path: str) -> bool:
        """Return whether one of them manages a path."""
        real = _real(path)
        return real in self._paths or real.startswith(self._trees)


def _real(path: str) -> str:
    """Return a path without links in its directories: the last part of it is what is managed."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _is_unmanaged(event: Event) -> bool:
    return event.failed or event.skipped or event.noop


def _given(resource: Resource, given: Data) -> Data:
    """Return the properties that undo a change, with a mark if they must not be shown."""
    return {**given, SENSITIVE: True} if is_sensitive(resource.properties) else given


def _parts_now(change: UndoRecord, resource: Resource, state: State) -> Parts:
    """Return the present parts of a change; `state` is the state of the resource. Raises HostError."""
    how = reversal(resource.type)
    parts = how.parts(resource.properties, state) if how else {}
    return {**parts, **{name: found_at(name) for name in change.before if name.startswith("/")}}


class _Content:
    """The content of one file while it is read, with a limit of its size.

    Args:
        path: the path of the file, for the error.
        most: how many bytes it may have.
    """

    def __init__(self, path: str, most: int) -> None:
        self.size = 0
        self._path = path
        self._most = most
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        """Add a piece. Raises ResourceFailed when the content becomes too large."""
        self.size += len(piece)
        if self.size > self._most:
            raise ResourceFailed(
                f"{self._path} is too large: at most {LARGEST_CONTENT >> 20} MiB are kept", property="meta"
            )
        self._pieces.append(piece)

    def content(self) -> bytes:
        """Return the whole content."""
        return b"".join(self._pieces)
