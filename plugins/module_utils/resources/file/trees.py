# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A directory compared with a source directory, entry by entry, and written (behaviour.md 7.3)."""

from __future__ import annotations

import os
import stat

from ...host.digests import sha256
from ...host.errors import HostError, SystemCallError
from ...host.tree_files import TreeFiles, kind_of
from ...lang.globs import matches
from ...lang.paths import join
from ...model.errors import ResourceFailed
from ..replacing import warn_of_dropped
from .modes import directory_mode, keeps_special_bits
from .tree_difference import TreeChange, TreeDifference
from .type import DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence

    from .posix import PosixFileProvider
    from .type import FileProperties, FileState

_PERMISSIONS = 0o777
_SPECIAL = 0o7000
_NO_FILES: dict[str, os.stat_result] = {}


def add_tree(provider: PosixFileProvider, properties: FileProperties, state: FileState) -> None:
    """Add to the state of a directory how its entries differ from the entries of the source.

    Raises ResourceFailed for a source and a directory of which one is in the other, for an entry that is neither file,
    directory nor link, and for an entry that another one cannot replace; HostError.
    """
    source = join(provider.context.directory, properties.source)
    _require_apart(source, properties.name)
    with TreeFiles(source) as wanted:
        if not wanted.exists:
            raise SystemCallError("open", source, OSError(2, ""))
        if state.ensure == DIRECTORY:
            with TreeFiles(properties.name) as there:
                found = _Comparison(provider, properties, wanted, there).run()
        else:
            found = _Comparison(provider, properties, wanted, None).run()
    state.tree, state.entry, root, metadata = found, None, properties.name, state.metadata
    if found.changes:
        metadata["changed"] = [f"{root}/{change.path}" for change in found.changes]
    if found.purged:
        metadata["purged"] = [f"{root}/{path}" for path in found.purged]
    metadata["unchanged"] = found.unchanged


def copy_tree(provider: PosixFileProvider, properties: FileProperties, found: TreeDifference) -> None:
    """Write the differing entries, each file complete before it is visible, then remove the ones to be purged.

    Directories get their attributes last, the deepest first. Raises ResourceFailed and HostError; what was written
    before stays.
    """
    source = join(provider.context.directory, properties.source)
    attributes = Attributes(provider, properties)
    with TreeFiles(source) as wanted, TreeFiles(properties.name) as there:
        for change in found.changes:
            _write(provider, attributes, change, wanted, there)
        for change in reversed(found.changes):
            if change.kind == "a directory":
                mode, uid, gid = attributes.set_of(change.wanted, change.kept)
                there.give(change.path, mode=mode, uid=uid, gid=gid, keeps_special_bits=attributes.keeps)
        for path in found.purged:
            there.remove_all(path)
            provider.context.log.info("Removed file", file=f"{properties.name}/{path}")


def _write(
    provider: PosixFileProvider, attributes: Attributes, change: TreeChange, wanted: TreeFiles, there: TreeFiles
) -> None:
    path, now = change.path, wanted.state(change.path)
    if now is None or kind_of(now.st_mode) != change.kind:
        raise ResourceFailed(f"{wanted.root}/{path} was removed or replaced while it was copied", property="source")
    change.wanted = now
    if change.is_in_the_way:
        there.remove_all(path)
    mode, uid, gid = attributes.set_of(now, change.kept)
    if change.kind == "a directory":
        if change.kept is None:
            there.put_directory(path)
    elif change.kind == "a link":
        if change.has_other_content:
            there.put_link(path, wanted.target(path), uid=uid, gid=gid)
        else:
            there.give_link(path, uid=uid, gid=gid)
    elif change.has_other_content:

        def dropped(names: list[str]) -> None:
            warn_of_dropped(provider.user_log, f"{there.root}/{path}", names)

        there.put_file(path, wanted, mode=mode, uid=uid, gid=gid, dropped=dropped)
    else:
        there.give(path, mode=mode, uid=uid, gid=gid)


class Attributes:
    """The attributes that entries of a tree are to have: declared ones, else modes of the source and present owners."""

    def __init__(self, provider: PosixFileProvider, properties: FileProperties) -> None:
        self._owners = owners = provider.machine.owners
        self._uid = None if properties.owner is None else owners.uid_of(properties.owner)
        self._gid = None if properties.group is None else owners.gid_of(properties.group)
        self._mode = self._directory_mode = None  # type: int | None
        self.keeps = True
        if properties.mode is not None:
            self._mode, self._directory_mode = int(properties.mode, 8), int(directory_mode(properties.mode), 8)
            self.keeps = keeps_special_bits(properties.mode)

    def set_of(self, wanted: os.stat_result, there: os.stat_result | None) -> tuple[int, int, int]:
        """Return mode, user and group of an entry of the source; `there` is the present one of the same kind."""
        declared = self._directory_mode if stat.S_ISDIR(wanted.st_mode) else self._mode
        mode = wanted.st_mode & _PERMISSIONS if declared is None else declared
        if there is None:
            new = os.geteuid() if self._uid is None else self._uid, os.getegid() if self._gid is None else self._gid
            return (mode, *new)
        if stat.S_ISDIR(wanted.st_mode) and self.keeps:
            mode |= there.st_mode & _SPECIAL
        return mode, there.st_uid if self._uid is None else self._uid, there.st_gid if self._gid is None else self._gid

    def parts(self, wanted: os.stat_result, there: os.stat_result) -> Iterator[tuple[str, str, str]]:
        """Yield which attributes of a present entry differ, each as it is and as it is wanted."""
        mode, uid, gid = self.set_of(wanted, there)
        if uid != there.st_uid:
            yield "owner", self._owners.user_name(there.st_uid), self._owners.user_name(uid)
        if gid != there.st_gid:
            yield "group", self._owners.group_name(there.st_gid), self._owners.group_name(gid)
        if mode != stat.S_IMODE(there.st_mode) and not stat.S_ISLNK(wanted.st_mode):
            yield "mode", f"{stat.S_IMODE(there.st_mode):04o}", f"{mode:04o}"


class _UnknownOwner(Attributes):
    """The same where a declared user or group is unknown: as with one file, the run says so and not the preview."""

    def __init__(self, provider: PosixFileProvider, properties: FileProperties) -> None:
        known = vars(properties).copy()
        known.update(owner=None, group=None)
        super().__init__(provider, type(properties)(known))
        self._declared = properties.owner, properties.group

    def parts(self, wanted: os.stat_result, there: os.stat_result) -> Iterator[tuple[str, str, str]]:
        owners = self._owners.names_of(there.st_uid, there.st_gid)
        for name, now, declared in zip(("owner", "group"), owners, self._declared):
            if declared not in (None, now):
                yield name, now, declared or ""


class _Comparison:
    """The comparison of a source with a directory, which is None when there is none."""

    def __init__(
        self, provider: PosixFileProvider, properties: FileProperties, wanted: TreeFiles, there: TreeFiles | None
    ) -> None:
        self._properties = properties
        self._wanted = wanted
        self._there = there
        self._ignores = _ignoring(properties.ignore) if properties.ignore else None
        try:
            self._attributes = Attributes(provider, properties)
        except HostError:
            self._attributes = _UnknownOwner(provider, properties)
        self._found = TreeDifference()
        self._hasher = sha256()

    def run(self) -> TreeDifference:
        """Compare all directories of the source, one at a time."""
        waiting = [("", self._there)]
        while waiting:
            directory, there = waiting.pop()
            lead = f"{directory}/" if directory else ""
            present = there.listing(directory) if there else _NO_FILES
            for name, wanted in sorted(self._wanted.listing(directory).items()):
                path = lead + name
                if self._ignores and self._ignores(path):
                    continue
                kind = kind_of(wanted.st_mode)
                other = present.pop(name, None) if present else None
                is_same_kind = other is not None and kind_of(other.st_mode) == kind
                self._compare(path, kind, wanted, other, is_same_kind)
                if kind == "a directory":
                    waiting.append((path, there if is_same_kind else None))
            if self._properties.purge and there:
                for name, other in present.items():
                    self._purge(there, lead + name, other)
        self._found.changes.sort(key=lambda change: change.path)
        self._found.purged.sort()
        self._found.digest = self._hasher.hexdigest()
        return self._found

    def _compare(
        self, path: str, kind: str, wanted: os.stat_result, other: os.stat_result | None, is_same_kind: bool
    ) -> None:
        key = (path, wanted.st_mode, wanted.st_mtime_ns, wanted.st_size)
        self._hasher.update(repr(key).encode("utf-8", "surrogateescape"))
        if kind not in ("a file", "a directory", "a link"):
            raise ResourceFailed(
                f"{self._wanted.root}/{path} is {kind}: a source holds files, directories and links",
                property="source",
                advice="name it in ignore, or remove it",
            )
        if other is None:
            self._found.changes.append(TreeChange(path, kind, wanted))
        elif not is_same_kind:
            there = kind_of(other.st_mode)
            is_in_the_way = kind == "a directory" or there not in ("a file", "a link")
            if is_in_the_way and not self._properties.purge:
                raise ResourceFailed(
                    f"{self._properties.name}/{path} exists as {there}; cannot replace it by {kind}",
                    property="source",
                    advice="set purge: true to remove it, with all that is in it",
                )
            self._found.changes.append(TreeChange(path, kind, wanted, replaced=there, is_in_the_way=is_in_the_way))
        else:
            parts = tuple(self._parts(path, kind, wanted, other))
            if parts:
                self._found.changes.append(TreeChange(path, kind, wanted, kept=other, parts=parts))
            else:
                self._found.unchanged += 1

    def _parts(
        self, path: str, kind: str, wanted: os.stat_result, other: os.stat_result
    ) -> Iterator[tuple[str, str, str]]:
        there = self._there
        if there and kind == "a file":
            if wanted.st_size != other.st_size or not there.has_content_of(path, self._wanted):
                yield "content", "", ""
        elif there and kind == "a link":
            now, target = there.target(path), self._wanted.target(path)
            if now != target:
                yield "target", now, target
        yield from self._attributes.parts(wanted, other)

    def _purge(self, there: TreeFiles, path: str, other: os.stat_result) -> None:
        """Note an entry to be removed: of a directory that holds ignored entries, its other entries."""
        if self._ignores is None or not stat.S_ISDIR(other.st_mode):
            if self._ignores is None or not self._ignores(path):
                self._found.purged.append(path)
            return
        self._found.purged += _without_ignored(there, path, self._ignores)


def _ignoring(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that returns whether a path in the tree is ignored.

    A pattern without `/` is for names at any depth, another one for whole paths, where `*` matches no `/`.
    """
    names = [pattern.rstrip("/") for pattern in patterns if "/" not in pattern.rstrip("/")]
    paths = [pattern.strip("/") for pattern in patterns if "/" in pattern.rstrip("/")]

    def ignores(path: str) -> bool:
        name = path.rpartition("/")[2]
        return any(matches(each, name) for each in names) or any(matches(each, path) for each in paths)

    return ignores


def _without_ignored(there: TreeFiles, top: str, ignores: Callable[[str], bool]) -> list[str]:
    """Return what can be removed of a directory that the source does not have: it, or parts of it, the highest ones."""
    if ignores(top):
        return []
    entries, kept, waiting = [top], set(), [top]
    while waiting:
        directory = waiting.pop()
        for name, found in there.listing(directory).items():
            path = f"{directory}/{name}"
            if ignores(path):
                above = directory
                while above not in kept and len(above) >= len(top):
                    kept.add(above)
                    above = above.rpartition("/")[0]
                continue
            entries.append(path)
            if stat.S_ISDIR(found.st_mode):
                waiting.append(path)
    removed: list[str] = []
    for path in sorted(entries):
        if path not in kept and (path == top or path.rpartition("/")[0] in kept):
            removed.append(path)
    return removed


def _require_apart(source: str, name: str) -> None:
    """Refuse a source in the directory that is to be like it, and the other way round. Raises ResourceFailed."""
    real, other = os.path.realpath(source), os.path.realpath(name)
    if f"{real}/".startswith(f"{other}/".replace("//", "/")) or f"{other}/".startswith(f"{real}/".replace("//", "/")):
        raise ResourceFailed(
            f"source {source} and {name} must not be the same directory, nor one of them in the other",
            property="source",
            value=source,
        )
