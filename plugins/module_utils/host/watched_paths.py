# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths that are watched for changes, whether they exist or not.

A path is watched through its directory, which also shows renames and removals, and through all directories above it:
each may be renamed, removed and made again, and be a link, whose target is watched in the same way. What changes beside
a path in a directory is filtered by name. In a tree all names count but hidden files of this program.
"""

from __future__ import annotations

import errno
import os

from . import inotify
from .errors import errno_of, reason_of
from .hidden_files import is_hidden
from .links import MOST_LINKS, target_of
from .reading import NOTHING, FileInfo
from .watched_directory import WatchedDirectory, with_aliases, with_leading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from .inotify import Inotify, Notice

_ENTRIES = (
    inotify.STRUCTURE
    | inotify.ATTRIB
    | inotify.MODIFY
    | inotify.CLOSE_WRITE
    | inotify.ONLY_LINKED
    | inotify.ADD_TO_MASK
)
_MASK_OF_ANCESTOR = inotify.STRUCTURE | inotify.ADD_TO_MASK
#: In trees no deeper directories are watched, and no link to a deeper one is followed.
_DEEPEST = 200
#: There is no such directory yet.
_MISSING = (errno.ENOENT, errno.ENOTDIR)


#: What happened to a path. Its entry in its directory may be another one. Its content is written in place; that ended.
#: A directory above was replaced or removed. What happened was lost. A directory above was made. Its entry was removed.
ENTRY, WRITTEN, CLOSED, ABOVE, LOST, MADE, REMOVED = 1, 2, 4, 8, 16, 32, 64


class WatchedPaths:
    """Paths and trees, each watched for keys; the keys are numbers.

    `unwatched` are the keys of what the kernel can give no watch for, with the reason; `too_deep` are the keys of trees
    with directories that are too deep to be watched.
    """

    def __init__(self, kernel: Inotify) -> None:
        self._kernel = kernel
        self._root = WatchedDirectory("/")
        self._by_watch: dict[int, list[WatchedDirectory]] = {}
        self.unwatched: dict[int, str] = {}
        self.too_deep: set[int] = set()
        self._was_refused = False
        # The directories to which a link did lead.
        self._left: list[WatchedDirectory] = []
        # The directories that are to be watched, the last one first, each with whether its link was followed.
        self._pending: list[tuple[WatchedDirectory, bool]] = []
        self._arm([self._root])

    def __len__(self) -> int:
        """Return the number of watches of the kernel."""
        return len(self._by_watch)

    def add(self, path: str, key: int, *, is_tree: bool = False) -> None:
        """Watch an absolute path for a key, with `is_tree` all below it too. It is watched when this returns."""
        parts = _parts(path)
        if not parts:
            return
        directory = self._root
        for part in parts[:-1]:
            directory = self._below(directory, part)
        had_any = bool(directory.keys)
        directory.keys.setdefault(parts[-1], set()).add(key)
        if directory.watch >= 0 and not had_any:
            self._try_watch(directory)
        last = directory
        if is_tree:
            last = self._below(directory, parts[-1])
            if key not in last.tree:
                for each in last.all():
                    each.tree |= {key}
                if (last, False) not in self._pending:
                    self._pending.append((last, False))
        self._arm([])
        refused = last.refusal() if self._was_refused else ""
        if refused:
            self.unwatched[key] = refused

    def renew(self) -> None:
        """Ask the kernel again for the watches that it did not give."""
        refused, pending = [], [self._root]
        while pending:
            each = pending.pop()
            if each.refused:
                refused.append(each)
            else:
                pending.extend(each.below.values())
        self._arm(refused)

    def remove(self, keys: Iterable[int]) -> None:
        """Watch nothing for these keys any more."""
        gone = frozenset(keys)
        if gone:
            for key in gone:
                self.unwatched.pop(key, None)
            self.too_deep -= gone
            for each in reversed(list(self._root.all())):
                self._forget(each, gone)
            self._prune()

    def read(self) -> dict[int, int]:
        """Return what `changed` does for the notices of the kernel."""
        return self.changed(self._kernel.read())

    def changed(self, notices: Iterable[Notice]) -> dict[int, int]:
        """Return the keys of those whose paths changed, each with what happened, after the watches followed it."""
        found: dict[int, int] = {}
        for watch, mask, name in notices:
            if mask & inotify.OVERFLOW:
                # The end of a watch is a notice, too: directories that are still there keep their watches.
                self._arm([self._root])
                _note(found, self._root.all_keys(), LOST)
            for directory in list(self._by_watch.get(watch, ())):
                if mask & (inotify.IGNORED | inotify.UNMOUNT):
                    if directory.watch == watch:
                        self._replaced([directory], ABOVE, found)
                elif name:
                    self._entry_changed(directory, mask, name, found)
        return found

    def _entry_changed(self, directory: WatchedDirectory, mask: int, name: str, found: dict[int, int]) -> None:
        what = WRITTEN if mask & inotify.MODIFY else CLOSED if mask & inotify.CLOSE_WRITE else ENTRY
        if mask & (inotify.DELETE | inotify.MOVED_FROM):
            what |= REMOVED
        _note(found, directory.keys.get(name, ()), what)
        if directory.tree and not is_hidden(name):
            _note(found, directory.tree, what)
        if not mask & inotify.STRUCTURE:
            return
        is_made = mask & inotify.CREATE and mask & inotify.IS_DIRECTORY
        below = directory.below.get(name)
        if below is None and mask & inotify.IS_DIRECTORY and directory.tree and not what & REMOVED:
            if directory.path.count("/") > _DEEPEST:
                self.too_deep |= directory.tree
            else:
                below = directory.make_below(name)
        if below is not None:
            self._replaced([below], MADE if is_made else ABOVE, found)

    def mounted(self, points: Iterable[str]) -> dict[int, int]:
        """Return what `changed` does, after something was mounted or unmounted at these points."""
        found: dict[int, int] = {}
        for point in points:
            *above, name = _parts(point) or [""]
            reached = with_aliases([self._root])
            for part in above:
                reached = with_aliases(each.below[part] for each in reached if part in each.below)
            for each in reached:
                _note(found, each.keys.get(name, ()), ABOVE)
                _note(found, each.tree, ABOVE)
            self._replaced([each.below[name] for each in reached if name in each.below], ABOVE, found)
        return found

    def _replaced(self, directories: Iterable[WatchedDirectory], what: int, found: dict[int, int]) -> None:
        """Note that directories were made, removed or replaced, which what leads to or below them has to follow."""
        following = with_leading(directories)
        for each in following:
            _note(found, each.all_keys(), what)
        self._arm(following)

    def _below(self, directory: WatchedDirectory, name: str, hops: int = 0) -> WatchedDirectory:
        found = directory.below.get(name)
        if found is None:
            found = directory.make_below(name, hops)
            if directory.watch >= 0:
                self._pending.append((found, False))
        found.hops = min(found.hops, hops)
        return found

    def _follow(self, directory: WatchedDirectory) -> str:
        """Watch where a link leads to; return why that is not possible, "" when it is, and for no link."""
        target, refused = directory, ""
        try:
            parts = _parts(target_of(directory.path))
        except OSError:
            parts = []
        if parts and directory.hops >= MOST_LINKS:
            refused = reason_of(errno.ELOOP)
        elif len(parts) > _DEEPEST:
            refused = reason_of(errno.ENAMETOOLONG)
        elif parts:
            target = self._root
            for part in parts:
                target = self._below(target, part, directory.hops + 1)
        if target is directory:
            self._leave(directory)
        elif target is not directory.leads_to:
            self._leave(directory)
            directory.leads_to = target
            target.links = (*target.links, directory)
        return refused

    def _leave(self, directory: WatchedDirectory) -> None:
        """Follow a link no more."""
        target, directory.leads_to = directory.leads_to, None
        if target:
            target.links = tuple(each for each in target.links if each is not directory)
            self._left.append(target)

    def _prune(self) -> None:
        """Forget the directories to which no link leads any more."""
        while self._left:
            each = self._left.pop()
            while each.above and each.is_needless:
                above = each.above
                self._drop(each)
                each = above

    def _arm(self, directories: Iterable[WatchedDirectory]) -> None:
        """Watch directories, and then the directories below them, as they are now; a missing one is not watched.

        Where a link leads to is watched before the link: the kernel follows it then, and reports no changes before.
        """
        self._pending.extend((each, False) for each in directories)
        refused: dict[str, list[WatchedDirectory]] = {}
        while self._pending:
            directory, is_followed = self._pending.pop()
            if directory.above is None and directory is not self._root:
                continue
            if is_followed:
                self._watch_all(directory)
                if directory.refused:
                    refused.setdefault(directory.refused, []).append(directory)
            else:
                self._pending.append((directory, True))
                directory.refused = self._follow(directory)
        self._was_refused = self._was_refused or bool(refused)
        for reason, those in refused.items():
            for directory in with_leading(those):
                self.unwatched.update(dict.fromkeys(directory.all_keys(), reason))
        self._prune()

    def _watch_all(self, directory: WatchedDirectory) -> None:
        error = self._try_watch(directory)
        if error is None:
            if directory.tree:
                self._find_below(directory)
            self._pending.extend((each, False) for each in directory.below.values())
        else:
            self._unwatch(directory)
            for each in directory.below.values():
                self._disarm(each)
            if error.errno in _MISSING:
                for each in reversed(list(directory.all())):
                    if each.is_found_again:
                        self._drop(each)
            else:
                directory.refused = reason_of(errno_of(error))

    def _try_watch(self, directory: WatchedDirectory) -> OSError | None:
        """Have the kernel watch a directory; return its error."""
        try:
            watch = self._kernel.add(directory.path, _mask_of(directory))
        except OSError as error:
            return error
        if watch != directory.watch:
            self._unwatch(directory)
            directory.watch = watch
            self._by_watch.setdefault(watch, []).append(directory)
        return None

    def _unwatch(self, directory: WatchedDirectory) -> None:
        watch, directory.watch = directory.watch, -1
        if watch >= 0:
            others = self._by_watch[watch]
            others.remove(directory)
            if not others:
                del self._by_watch[watch]
                self._kernel.remove(watch)

    def _find_below(self, directory: WatchedDirectory) -> None:
        try:
            with os.scandir(directory.path) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return
        if names and directory.path.count("/") > _DEEPEST:
            self.too_deep |= directory.tree
            return
        for name in names:
            if name not in directory.below:
                directory.make_below(name)

    def _disarm(self, directory: WatchedDirectory) -> None:
        """End the watches of a directory and of those below it."""
        for each in directory.all():
            self._leave(each)
            self._unwatch(each)

    def _drop(self, directory: WatchedDirectory) -> None:
        self._disarm(directory)
        directory.detach()

    def _forget(self, directory: WatchedDirectory, gone: frozenset[int]) -> None:
        before = _mask_of(directory)
        for name in [name for name, keys in directory.keys.items() if not keys.isdisjoint(gone)]:
            directory.keys[name] -= gone
            if not directory.keys[name]:
                del directory.keys[name]
        if directory.tree:
            directory.tree -= gone
        if directory.is_needless and directory.above:
            self._drop(directory)
        elif directory.watch >= 0 and _mask_of(directory) != before:
            self._lessen_mask(directory)

    def _lessen_mask(self, directory: WatchedDirectory) -> None:
        """Ask for no more than the directories with the same watch need."""
        mask = 0
        for other in self._by_watch[directory.watch]:
            mask |= _mask_of(other)
        try:
            self._kernel.add(directory.path, mask & ~inotify.ADD_TO_MASK)
        except OSError:
            return  # it was removed, which the kernel reports next


def _mask_of(directory: WatchedDirectory) -> int:
    return _ENTRIES if directory.keys or directory.tree else _MASK_OF_ANCESTOR


def _note(found: dict[int, int], keys: Iterable[int], what: int) -> None:
    for key in keys:
        found[key] = found.get(key, 0) | what


def entry_at(path: str) -> int | None:
    """Return the `entry` of a FileInfo of a path itself, NOTHING where nothing is, None when that is not known."""
    try:
        return FileInfo(os.lstat(path), False).entry
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except (OSError, ValueError):
        return None


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]
