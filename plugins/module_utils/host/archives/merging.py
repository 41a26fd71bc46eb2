# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacked files moved to their place, the path that is waited for last (decisions.md Q62)."""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice

from ..errors import SystemCallError, reason_of
from ..mounts import mount_on, mounts_below
from ..reading import path_of
from .carrying import copy
from .entry import EntryRefused, shown
from .staging import Staging
from .tree import OPEN_DIRECTORY, OpenParents, remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence

    from ..mounts import Mount
    from .attributes import Directories

_BATCH = 1000
# Errors that prevent the move of one entry.
_IN_THE_WAY = {errno.EBUSY, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EPERM}


class _Level:
    """A directory that is in both: `source` and `target`, open, at `path`.

    `names` are the names of entries to be moved, `staying` of entries not to be moved, or not yet. `is_swept` is
    whether the files of killed processes in `target` were removed.
    """

    def __init__(self, source: int, target: int, path: tuple[bytes, ...]) -> None:
        self.source = source
        self.target = target
        self.path = path
        self.names: Iterator[bytes] = iter(())
        self.staying: set[bytes] = set()
        self.is_swept = False

    def close(self) -> None:
        """Close both."""
        os.close(self.source)
        os.close(self.target)


class Merge:
    """Moves the content of one directory into another, which may have content already.

    Directories that are in both are merged, all else is replaced at once; links there are not followed. On the paths
    `last`, as parts, each directory's part is moved after all else, and with `withheld` not at all. `refused` is called
    for an entry that cannot be moved; `directories` are the directories in the archive itself, which with `replaces`
    replace files and links. `found_existing` is whether any existed.
    """

    def __init__(
        self,
        last: Sequence[tuple[bytes, ...]],
        directories: Directories,
        refused: Callable[[EntryRefused], None],
        *,
        withheld: bool,
        replaces: bool,
    ) -> None:
        self.found_existing = False
        self._last = last
        self._directories = directories
        self._refused = refused
        self._withheld = withheld
        self._replaces = replaces

    def run(self, source: int, target: int) -> None:
        """Move the content of the open directory `source` into the open directory `target`.

        Raises SystemCallError when the machine refuses.
        """
        levels = [self._level(source, target, ())]
        try:
            while levels:
                level = levels[-1]
                name = next(level.names, None)
                if name is not None:
                    below = self._tried(level, name, self._move)
                    if below:
                        self.found_existing = True
                        levels.append(below)
                elif len(levels) > 1:
                    levels.pop().close()
                    self._tried(levels[-1], level.path[-1], _remove_empty)
                else:
                    return
        finally:
            for level in levels[1:]:
                level.close()

    def _level(self, source: int, target: int, path: tuple[bytes, ...]) -> _Level:
        level = _Level(source, target, path)
        level.names = self._names(level)
        return level

    def _names(self, level: _Level) -> Iterator[bytes]:
        """Yield the names to move out of a directory, each once, read in batches for it changes meanwhile."""
        path = level.path
        holders = [last[len(path)] for last in self._last if len(last) > len(path) and last[: len(path)] == path]
        level.staying.update(holders)
        while True:
            with os.scandir(level.source) as listing:
                names = (os.fsencode(entry.name) for entry in listing)
                batch = list(islice((name for name in names if name not in level.staying), _BATCH))
            if not batch:
                break
            for name in batch:
                yield name
                if _exists(level.source, name):
                    level.staying.add(name)
        for name in dict.fromkeys(holders):
            if not (self._withheld and not _is_in_both(level.source, level.target, name)):
                yield name

    def _tried(self, level: _Level, name: bytes, step: Callable[[_Level, bytes], _Level | None]) -> _Level | None:
        """Do a step with one name, if it exists; return the result of the step, and None when it was refused."""
        try:
            return step(level, name)
        except FileNotFoundError:
            return None
        except EntryRefused as error:
            self._refused(error)
        except OSError as error:
            where = b"/".join((*level.path, name))
            if error.errno not in _IN_THE_WAY:
                raise SystemCallError("rename", shown(where), error) from None
            found = mount_on([_path_in(level.target, name)]) if error.errno == errno.EBUSY else None
            self._refused(_under_mount(where, found[1]) if found else _not_moved(where, reason_of(error.errno)))
        return None

    def _move(self, level: _Level, name: bytes) -> _Level | None:
        """Move one name; return the level below, when it is a directory in both."""
        source, target, path = level.source, level.target, (*level.path, name)
        moved = os.lstat(name, dir_fd=source)
        is_directory = stat.S_ISDIR(moved.st_mode)
        try:
            found = os.lstat(name, dir_fd=target).st_mode
        except FileNotFoundError:
            _rename(level, name, moved)
            return None
        if is_directory and stat.S_ISDIR(found):
            below = _opened(source, name)
            try:
                return self._level(below, os.open(name, OPEN_DIRECTORY, dir_fd=target), path)
            except OSError:
                os.close(below)
                raise
        if is_directory and not self._may_replace(path):
            what = "the link" if stat.S_ISLNK(found) else "what is a file,"
            raise EntryRefused(b"/".join(path), f"it would be written through {what} {shown(name)}")
        if is_directory or stat.S_ISDIR(found):
            remove(target, name)
        _rename(level, name, moved)
        return None

    def _may_replace(self, path: tuple[bytes, ...]) -> bool:
        """Return whether a directory replaces a file or a link.

        As with tar when the archive contains it itself.
        """
        return self._replaces and any(parts == path for parts, _attributes, _mtime in self._directories)


def mounts_in_the_way(source: int, target: int) -> Iterator[EntryRefused]:
    """Yield the refusals of entries of `source` that cannot be moved to `target`: they would replace a mount.

    Directories are merged, also where something is mounted.
    """
    base = path_of(target)
    start = len(os.fsencode(base).rstrip(b"/")) + 1
    parents = OpenParents(source)
    try:
        for mount in mounts_below(base) if base else ():
            parts = tuple(mount.point.encode("utf-8", "surrogateescape")[start:].split(b"/"))
            try:
                moved = os.lstat(parts[-1] or b".", dir_fd=parents.to(parts[:-1])).st_mode
            except (EntryRefused, FileNotFoundError, PermissionError):
                continue
            if not (stat.S_ISDIR(moved) and os.path.isdir(mount.point)):
                yield _under_mount(b"/".join(parts), mount)
    finally:
        parents.close()


def _path_in(directory: int, name: bytes) -> str:
    return f"{path_of(directory)}/{os.fsdecode(name)}"


def _under_mount(where: bytes, mount: Mount) -> EntryRefused:
    return _not_moved(where, f"{mount} is mounted on {mount.point}; unmount it first")


def _not_moved(where: bytes, reason: str) -> EntryRefused:
    return EntryRefused(where, f"it cannot be put in place: {reason}")


def _is_in_both(source: int, target: int, name: bytes) -> bool:
    """Return whether both directories have a directory of that name."""
    try:
        return all(stat.S_ISDIR(os.lstat(name, dir_fd=fd).st_mode) for fd in (source, target))
    except FileNotFoundError:
        return False


def _exists(fd: int, name: bytes) -> bool:
    try:
        os.lstat(name, dir_fd=fd)
    except FileNotFoundError:
        return False
    return True


def _opened(above: int, name: bytes) -> int:
    """Return an unpacked directory, open, and with a mode that lets its owner move its content."""
    mode = stat.S_IMODE(os.lstat(name, dir_fd=above).st_mode)
    if mode & 0o700 != 0o700:
        os.chmod(name, mode | 0o700, dir_fd=above)
    return os.open(name, OPEN_DIRECTORY, dir_fd=above)


def _remove_empty(level: _Level, name: bytes) -> None:
    """Remove the directory whose content was moved, unless something stays in it."""
    try:
        os.rmdir(name, dir_fd=level.source)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise


def _rename(level: _Level, name: bytes, moved: os.stat_result) -> None:
    """Move a file in the state `moved`, and keep its owner on file systems that give it to the caller."""
    try:
        _rename_within(level.source, level.target, name, moved)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        where = os.fsdecode(b"/".join(level.path))
        with Staging(level.target, where, sweeps=not level.is_swept) as staging:
            copy(level.source, name, staging.fd)
            _rename_within(staging.fd, level.target, name, os.lstat(name, dir_fd=staging.fd))
        level.is_swept = True


def _rename_within(source: int, target: int, name: bytes, moved: os.stat_result) -> None:
    try:
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
    except PermissionError:
        if not stat.S_ISDIR(moved.st_mode):
            raise
        _rename_closed(source, target, name)
    found = os.lstat(name, dir_fd=target)
    if (found.st_uid, found.st_gid) != (moved.st_uid, moved.st_gid):
        _set_owner_again(target, name, moved)


def _set_owner_again(above: int, name: bytes, moved: os.stat_result) -> None:
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    try:
        found = os.fstat(fd)
        if (found.st_dev, found.st_ino) == (moved.st_dev, moved.st_ino):
            handle = f"/proc/self/fd/{fd}"
            os.chown(handle, moved.st_uid, moved.st_gid)
            if not stat.S_ISLNK(moved.st_mode):
                os.chmod(handle, stat.S_IMODE(moved.st_mode))
    finally:
        os.close(fd)


def _rename_closed(source: int, target: int, name: bytes) -> None:
    """Move a directory that is not writable: its owner must be allowed to write while it moves."""
    mode = stat.S_IMODE(os.lstat(name, dir_fd=source).st_mode)
    if mode & 0o200:
        raise PermissionError(errno.EACCES, "")
    fd = _opened(source, name)
    try:
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
    finally:
        os.chmod(fd, mode)
        os.close(fd)
