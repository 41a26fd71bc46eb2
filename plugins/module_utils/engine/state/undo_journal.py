# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saves the parts that the resources of a run replace, so that changes can be undone (docs/state.md)."""

from __future__ import annotations

from ...host.errors import HostError
from ...host.restorable_paths import FILE, OTHER, found_at
from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...model.sending import is_sensitive
from ...resources.types import reversal
from .saved import BEFORE_CHANGE, LOST, UNDONE
from .undo_record import SENSITIVE, UndoRecord, content_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.restorable_paths import Found
    from ...model.facets import Parts
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Data
    from .saved import Saved
    from .store import ManifestStore
    from .undo_record import Declared

#: Limits of one change: the size in bytes of the contents of replaced files, and the number of paths.
LARGEST_CONTENT = 64 << 20
MOST_PATHS = 10_000


class UndoJournal:
    """The undo records of a manifest by the keys of resources; `store` has them and the contents of files.

    `lost` are the keys of resources whose first change could not be saved.
    """

    def __init__(self, saved: Saved, store: ManifestStore) -> None:
        self.all = saved.undo_records
        self.lost = saved.lost
        self._store = store
        self._files = store.files

    def keep(self, key: str, declared: Declared, resource: Resource, before: State, records: list[list[str]]) -> None:
        """Save the parts that a resource is going to replace, except parts that its earlier changes replaced.

        Raises ResourceFailed when they are too large, and HostError and StoreError.
        """
        how = reversal(resource.type)
        properties = resource.properties
        change = self.all.get(key)
        if how is None or key in self.lost or not (change or how.is_reversible(properties, before)):
            return
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
        known = change.before
        try:
            new = self._contents([path for path in how.paths(properties, before) if path not in known])
        except (ResourceFailed, HostError):
            self.lost.add(key)
            records.append([LOST, key])
            raise
        change.before = {**how.parts(properties, before), **new, **known}
        change.reached = {}
        change.given = _given(resource, how.undone(properties, change.before))
        self.all[key] = change
        records.append(change.record(BEFORE_CHANGE))

    def renew(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note the present way to undo a change, and its result if it was not seen. Raises HostError."""
        change, how = self.all[key], reversal(resource.type)
        given = _given(resource, how.undone(resource.properties, change.before)) if how else change.given
        if given != change.given:
            change.given = given
            records.append(change.record())
        if not change.is_seen:
            self.reach(key, resource, after, records)

    def reach(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note the parts of a resource after it was changed or found in its state. Raises HostError."""
        change = self.all.get(key)
        if change is None:
            return
        reached = parts_now(change, resource, after)
        if change.before and reached == change.before:
            del self.all[key]
            records.append([UNDONE, key])
        elif change.reached != reached:
            change.reached = reached
            records.append(change.record())

    def move(self, change: UndoRecord, key: str, declared: Declared, records: list[list[str]]) -> None:
        """Note that the same resource is now declared in another manifest of the run."""
        del self.all[change.key]
        # A record at the new key was made after this change.
        records.append([UNDONE, change.key, key])
        newer = self.all.get(key)
        change.key, change.declared = key, declared
        self.all[key] = newer.joined(change) if newer else change
        records.append(self.all[key].record())

    def forget(self, key: str) -> None:
        """Forget a change that was struck off in the store, and remove contents that no other record needs.

        Raises StoreError.
        """
        change = self.all.pop(key, None)
        names = set(change.contents() if change else ())
        if names:
            with self._files.locked() as directory:
                # Another run may need them since.
                for other in self._store.read(warns=False).undo_records.values():
                    names.difference_update(other.contents())
                for name in names:
                    self._files.remove(name, directory)

    def content(self, found: Found) -> str:
        """Return the path of the file with the saved content of a file."""
        return f"{self._files.directory}/{content_name(found)}"

    def _contents(self, paths: list[str]) -> Parts:
        """Save the contents of files at paths, and return the parts at all paths."""
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
        if contents:
            with self._files.locked() as directory:
                for name, content in contents.items():
                    self._files.replace(name, content, directory, synced=True)
        return parts


def _given(resource: Resource, given: Data) -> Data:
    """Return the properties that undo a change, with a mark if they must not be shown."""
    return {**given, SENSITIVE: True} if is_sensitive(resource.properties) else given


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


def parts_now(change: UndoRecord, resource: Resource, state: State) -> Parts:
    """Return the present parts of a change; `state` is the state of the resource. Raises HostError."""
    how = reversal(resource.type)
    parts = how.parts(resource.properties, state) if how else {}
    return {**parts, **{name: found_at(name) for name in change.before if name.startswith("/")}}
