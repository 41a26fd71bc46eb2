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
from .inotify import Inotify
from .reading import NOTHING, FileInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from .inotify import Notice

_ENTRIES = inotify.STRUCTURE | inotify.ATTRIB | inotify.MODIFY | inotify.CLOSE_WRITE
_MASK_OF_ANCESTOR = inotify.STRUCTURE
#: In trees no deeper directories are watched.
_DEEPEST = 200
#: There is no such directory yet.
_MISSING = (errno.ENOENT, errno.ENOTDIR)


#: What happened to a path. Its entry in its directory may be another one. Its content is written in place; that ended.
#: A directory above was replaced or removed. What happened was lost.
ENTRY, WRITTEN, CLOSED, ABOVE, LOST = 1, 2, 4, 8, 16


class _Directory:
    """A directory that exists or not: the names wanted in it, and the number of its watch, -1 when it has none.

    `refused` is why the kernel gave no watch for an existing directory. Where it is a link, `leads_to` is its target;
    `links` are the links that lead to this directory.
    """

    __slots__ = ("below", "keys", "leads_to", "links", "path", "refused", "tree", "watch")

    def __init__(self, path: str, tree: frozenset[int]) -> None:
        self.path = path
        self.watch = -1
        self.refused = ""
        # By name, the keys that watch it; by name, the directories below; the keys that watch everything.
        self.keys: dict[str, set[int]] = {}
        self.below: dict[str, _Directory] = {}
        self.tree = tree
        self.leads_to: _Directory | None = None
        self.links: tuple[_Directory, ...] = ()

    @property
    def is_needless(self) -> bool:
        """Whether nothing is watched in it, nor by way of it."""
        return not (self.keys or self.below or self.tree or self.links)

    def all_links(self) -> Iterator[_Directory]:
        """Yield the links that lead to it, or to a directory below it."""
        yield from self.links
        for directory in self.below.values():
            yield from directory.all_links()

    def all_keys(self) -> Iterator[int]:
        yield from self.tree
        for keys in self.keys.values():
            yield from keys
        for directory in self.below.values():
            yield from directory.all_keys()


class WatchedPaths:
    """Paths and trees, each watched for keys; the keys are numbers.

    `unwatched` are the keys of what the kernel can give no watch for, with the reason; `too_deep` are the keys of trees
    with directories that are too deep to be watched.
    """

    def __init__(self, kernel: Inotify) -> None:
        self._kernel = kernel
        self._root = _Directory("/", frozenset())
        self._by_watch: dict[int, list[_Directory]] = {}
        self.unwatched: dict[int, str] = {}
        self.too_deep: set[int] = set()
        # The paths of directories to which a link did lead.
        self._left: list[str] = []
        self._arm(self._root)

    def __len__(self) -> int:
        """Return the number of watches of the kernel."""
        return len(self._by_watch)

    def add(self, path: str, key: int, *, is_tree: bool = False) -> bool:
        """Watch an absolute path for a key, with `is_tree` all below it too; return whether it was not watched before.

        It is watched when this returns.
        """
        parts = _parts(path)
        if not parts:
            return False
        directory, refused = self._root, self._root.refused
        for part in parts[:-1]:
            directory = self._below(directory, part)
            refused = refused or directory.refused
        had_any = bool(directory.keys)
        keys = directory.keys.setdefault(parts[-1], set())
        is_new = key not in keys
        keys.add(key)
        if directory.watch >= 0 and not had_any:
            self._renew_mask(directory)
        if is_tree:
            tree = self._below(directory, parts[-1])
            if key not in tree.tree:
                is_new = True
                self._spread(tree, key)
                self._arm(tree)
                refused = refused or tree.refused
        if refused:
            self.unwatched[key] = refused
        return is_new

    def renew(self) -> None:
        """Ask the kernel again for the watches that it did not give."""
        self._renew(self._root)

    def _renew(self, directory: _Directory) -> None:
        if directory.refused:
            self._arm(directory)
        else:
            for below in list(directory.below.values()):
                self._renew(below)

    def remove(self, keys: Iterable[int]) -> None:
        """Watch nothing for these keys any more."""
        gone = frozenset(keys)
        if gone:
            for key in gone:
                self.unwatched.pop(key, None)
            self.too_deep -= gone
            self._forget(self._root, gone)
            self._prune()

    def read(self) -> dict[int, int]:
        """Return what `changed` does for the notices of the kernel."""
        return self.changed(self._kernel.read())

    def changed(self, notices: Iterable[Notice]) -> dict[int, int]:
        """Return the keys of those whose paths changed, each with what happened, after the watches followed it."""
        found: dict[int, int] = {}
        for watch, mask, name in notices:
            if mask & inotify.OVERFLOW:
                self._disarm(self._root)
                self._arm(self._root)
                _note(found, self._root.all_keys(), LOST)
                self._prune()
            for directory in list(self._by_watch.get(watch, ())):
                if mask & (inotify.IGNORED | inotify.UNMOUNT):
                    self._lost(directory, watch, found)
                elif name:
                    self._entry_changed(directory, mask, name, found)
        return found

    def _entry_changed(self, directory: _Directory, mask: int, name: str, found: dict[int, int]) -> None:
        what = WRITTEN if mask & inotify.MODIFY else CLOSED if mask & inotify.CLOSE_WRITE else ENTRY
        _note(found, directory.keys.get(name, ()), what)
        if directory.tree and not is_hidden(name):
            _note(found, directory.tree, what)
        is_structure = mask & inotify.STRUCTURE
        below = directory.below.get(name)
        is_new = below is None and is_structure and mask & inotify.IS_DIRECTORY and directory.tree
        if is_new and directory.path.count("/") <= _DEEPEST:
            below = directory.below[name] = _Directory(_joined(directory.path, name), directory.tree)
        if below is not None and is_structure:
            is_made = mask & inotify.CREATE and mask & inotify.IS_DIRECTORY
            self._replaced(below, ENTRY if is_made else ABOVE, found)
            self._drop_if_needless(directory, name)

    def _drop_if_needless(self, above: _Directory, name: str) -> None:
        """Forget a directory of a tree that is not there any more."""
        below = above.below.get(name)
        if below is None:
            return
        is_own = bool(below.keys or below.below or below.links)
        if below.watch < 0 and above.tree and below.tree == above.tree and not is_own:
            del above.below[name]

    def _lost(self, directory: _Directory, watch: int, found: dict[int, int]) -> None:
        """Note that the kernel ended a watch: the directory was removed, or is not mounted any more."""
        if directory.watch == watch:
            self._replaced(directory, ABOVE, found)

    def mounted(self, points: Iterable[str]) -> dict[int, int]:
        """Return what `changed` does, after something was mounted or unmounted at these points."""
        found: dict[int, int] = {}
        for point in points:
            directory: _Directory | None = self._root
            *above, name = _parts(point) or [""]
            for part in above:
                directory = directory.below.get(part) if directory else None
            if directory:
                _note(found, directory.keys.get(name, ()), ABOVE)
                _note(found, directory.tree, ABOVE)
                if name in directory.below:
                    self._replaced(directory.below[name], ABOVE, found)
        return found

    def _replaced(self, directory: _Directory, what: int, found: dict[int, int]) -> None:
        """Note that a directory was made, removed or replaced, which what leads to it, or below it, has to follow."""
        following, seen = [directory], set()
        while following:
            each = following.pop()
            if id(each) not in seen:
                seen.add(id(each))
                _note(found, each.all_keys(), what)
                following.extend(each.all_links())
                self._disarm(each)
                self._arm(each)
        self._prune()

    def _below(self, directory: _Directory, name: str) -> _Directory:
        found = directory.below.get(name)
        if found is None:
            found = directory.below[name] = _Directory(_joined(directory.path, name), directory.tree)
            if directory.watch >= 0:
                self._renew_mask(directory)
                self._arm(found)
        return found

    def _follow(self, directory: _Directory) -> None:
        """Watch where a link leads to."""
        if directory.leads_to:
            return
        try:
            target = os.readlink(directory.path)
        except OSError:
            return
        above = os.path.realpath(os.path.dirname(directory.path))
        found = self._root
        for part in _parts(os.path.normpath(os.path.join(above, target))):
            found = self._below(found, part)
        if found not in (directory, self._root):
            directory.leads_to = found
            found.links = (*found.links, directory)

    def _prune(self) -> None:
        """Forget the directories to which no link leads any more."""
        while self._left:
            way = [self._root]
            for part in _parts(self._left.pop()):
                if part in way[-1].below:
                    way.append(way[-1].below[part])
            while len(way) > 1 and way[-1].is_needless:
                gone = way.pop()
                self._disarm(gone)
                del way[-1].below[os.path.basename(gone.path)]

    def _arm(self, directory: _Directory) -> None:
        """Watch a directory, and then those below it that exist."""
        self._follow(directory)
        try:
            watch = self._kernel.add(directory.path, self._mask_of(directory))
        except OSError as error:
            directory.refused = "" if error.errno in _MISSING else reason_of(errno_of(error))
            if directory.refused:
                self.unwatched.update(dict.fromkeys(directory.all_keys(), directory.refused))
            return
        directory.watch, directory.refused = watch, ""
        others = self._by_watch.setdefault(watch, [])
        if directory not in others:
            others.append(directory)
        if len(others) > 1:
            self._renew_mask(directory)
        if directory.tree:
            self._find_below(directory)
        for below in list(directory.below.values()):
            self._arm(below)

    def _find_below(self, directory: _Directory) -> None:
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
                directory.below[name] = _Directory(_joined(directory.path, name), directory.tree)

    def _disarm(self, directory: _Directory) -> None:
        """End the watches of a directory and of those below it."""
        target, directory.leads_to = directory.leads_to, None
        if target:
            target.links = tuple(each for each in target.links if each is not directory)
            self._left.append(target.path)
        watch, directory.watch = directory.watch, -1
        if watch >= 0:
            others = self._by_watch.get(watch, [])
            if directory in others:
                others.remove(directory)
            if not others:
                self._by_watch.pop(watch, None)
                self._kernel.remove(watch)
        for below in directory.below.values():
            self._disarm(below)

    def _mask_of(self, directory: _Directory) -> int:
        return _ENTRIES if directory.keys or directory.tree else _MASK_OF_ANCESTOR

    def _renew_mask(self, directory: _Directory) -> None:
        """Ask for all that the directories with the same watch need."""
        mask = 0
        for other in self._by_watch.get(directory.watch, ()):
            mask |= self._mask_of(other)
        try:
            self._kernel.add(directory.path, mask)
        except OSError:
            return  # it was removed, which the kernel reports next

    def _spread(self, directory: _Directory, key: int) -> None:
        directory.tree = directory.tree | {key}
        for below in directory.below.values():
            self._spread(below, key)

    def _forget(self, directory: _Directory, gone: frozenset[int]) -> None:
        for name in [name for name, keys in directory.keys.items() if not keys.isdisjoint(gone)]:
            directory.keys[name] -= gone
            if not directory.keys[name]:
                del directory.keys[name]
        directory.tree -= gone
        for name, below in list(directory.below.items()):
            self._forget(below, gone)
            if below.is_needless:
                self._disarm(below)
                del directory.below[name]
        if directory.watch >= 0:
            self._renew_mask(directory)


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


def _joined(directory: str, name: str) -> str:
    return f"/{name}" if directory == "/" else f"{directory}/{name}"
