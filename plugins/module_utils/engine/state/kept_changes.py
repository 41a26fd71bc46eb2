# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the resources of a run replace is kept before they are changed, so that it can be undone (docs/state.md)."""

from __future__ import annotations

from ...host.errors import HostError
from ...host.kept_paths import FILE, OTHER, found_at
from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...model.sending import is_sensitive
from ...resources.types import reversal
from .kept_change import SENSITIVE, KeptChange, content_name
from .saved import KEEP, LOST, UNDONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.kept_paths import Found
    from ...model.resource import Resource
    from ...model.reversal import Parts
    from ...model.state import State
    from ...model.values import Data
    from .kept_change import Declared
    from .saved import Saved
    from .store import ManifestStore

#: Size in bytes of the contents of the files that one change replaces, and the number of paths; more is not kept.
LARGEST_KEPT = 64 << 20
MOST_PATHS = 10_000


class KeptChanges:
    """The changes that a manifest can undo, by the keys of the resources; `store` has them, and contents of files.

    `lost` are the keys of resources whose first change could not be kept.
    """

    def __init__(self, saved: Saved, store: ManifestStore) -> None:
        self.all = saved.kept
        self.lost = saved.lost
        self._store = store
        self._files = store.files

    def keep(self, key: str, declared: Declared, resource: Resource, before: State, records: list[list[str]]) -> None:
        """Note what a resource is going to replace, but what earlier changes of it replaced.

        Raises ResourceFailed when that is too much, and HostError and StoreError.
        """
        how = reversal(resource.type)
        properties = resource.properties
        change = self.all.get(key)
        if how is None or key in self.lost or not (change or how.is_reversible(properties, before)):
            return
        if change is None:
            change = KeptChange(
                key,
                declared=declared,
                place=max((each.place for each in self.all.values()), default=0) + 1,
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
        records.append(change.record(KEEP))

    def renew(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note how a change is undone now, and what it left where that was not seen. Raises HostError."""
        change, how = self.all[key], reversal(resource.type)
        given = _given(resource, how.undone(resource.properties, change.before)) if how else change.given
        if given != change.given:
            change.given = given
            records.append(change.record())
        if not change.is_seen:
            self.reach(key, resource, after, records)

    def reach(self, key: str, resource: Resource, after: State, records: list[list[str]]) -> None:
        """Note what a resource left, after it was changed or found in its state. Raises HostError."""
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

    def move(self, change: KeptChange, key: str, declared: Declared, records: list[list[str]]) -> None:
        """Note that the same resource is now declared in another manifest of the run."""
        del self.all[change.key]
        # What was noted in the other place was found after this change.
        records.append([UNDONE, change.key, key])
        newer = self.all.get(key)
        change.key, change.declared = key, declared
        self.all[key] = newer.joined(change) if newer else change
        records.append(self.all[key].record())

    def forget(self, key: str) -> None:
        """Forget a change, which was struck off in the store; contents of files that no other one needs are removed.

        Raises StoreError.
        """
        change = self.all.pop(key, None)
        names = set(change.contents() if change else ())
        if names:
            with self._files.locked() as directory:
                # Another run may need them since.
                for other in self._store.read(warns=False).kept.values():
                    names.difference_update(other.contents())
                for name in names:
                    self._files.remove(name, directory)

    def content(self, found: Found) -> str:
        """Return the path of the file with what was in a file."""
        return f"{self._files.directory}/{content_name(found)}"

    def _contents(self, paths: list[str]) -> Parts:
        """Return what is at paths, after the contents of files are saved."""
        if len(paths) > MOST_PATHS:
            raise ResourceFailed(f"{len(paths)} paths are more than the {MOST_PATHS} that are kept", property="meta")
        parts: Parts = {}
        contents: dict[str, bytes] = {}
        size = 0
        for path in paths:
            read = _Content(path, LARGEST_KEPT - size)
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
    """Return the properties that undo a change, and whether they are not to be shown."""
    return {**given, SENSITIVE: True} if is_sensitive(resource.properties) else given


class _Content:
    """The content of one file while it is read, no larger than what may still be kept.

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
                f"{self._path} is too large: at most {LARGEST_KEPT >> 20} MiB are kept", property="meta"
            )
        self._pieces.append(piece)

    def content(self) -> bytes:
        """Return the whole content."""
        return b"".join(self._pieces)


def parts_now(change: KeptChange, resource: Resource, state: State) -> Parts:
    """Return the parts of a change as they are now; `state` is that of the resource. Raises HostError."""
    how = reversal(resource.type)
    parts = how.parts(resource.properties, state) if how else {}
    return {**parts, **{name: found_at(name) for name in change.before if name.startswith("/")}}
