# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What was unpacked put into its place, what it is waited for last (decisions.md Q62)."""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice

from ..system_errors import SystemCallError, reason_of
from .entry import EntryRefused, shown
from .tree import OPEN_DIRECTORY, remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from .attributes import Directories

_BATCH = 1000
# What stands in the way of one entry.
_IN_THE_WAY = {errno.EBUSY, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EPERM}


class Merge:
    """Moves what lies in one directory into another, where much may be already.

    Directories that are in both are merged, all else is replaced at once; links there are not followed. On the ways
    `last`, as parts, each directory's part is moved after all else, and with `withheld` not at all. `refused` is told
    of what cannot be moved; `directories` are those that the archive itself holds, which with `replaces` take the
    place of files and links. `met` tells whether any was there.
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
        self.met = False
        self._last = last
        self._directories = directories
        self._refused = refused
        self._withheld = withheld
        self._replaces = replaces

    def run(self, source: int, target: int, path: tuple[bytes, ...] = ()) -> None:
        """Move what the open directory `source`, at `path`, holds into the open directory `target`.

        Raises SystemCallError when the machine refuses.
        """
        holders = [last[len(path)] for last in self._last if len(last) > len(path) and last[: len(path)] == path]
        done = set(holders)
        while True:
            with os.scandir(source) as listing:
                names = list(
                    islice(
                        (name for name in (os.fsencode(entry.name) for entry in listing) if name not in done), _BATCH
                    )
                )
            if not names:
                break
            for name in names:
                if not self._moved(source, target, name, path):
                    done.add(name)
        for name in dict.fromkeys(holders):
            if not (self._withheld and not _is_in_both(source, target, name)):
                self._moved(source, target, name, path)

    def _moved(self, source: int, target: int, name: bytes, path: tuple[bytes, ...]) -> bool:
        """Move one name, if it is there; whether it is gone from `source`."""
        try:
            self._move(source, target, name, path)
        except FileNotFoundError:
            return True
        except EntryRefused as error:
            self._refused(error)
        except OSError as error:
            where = b"/".join((*path, name))
            if error.errno not in _IN_THE_WAY:
                raise SystemCallError("rename", shown(where), error) from None
            self._refused(EntryRefused(where, f"it cannot be put in place: {reason_of(error.errno)}"))
        return not _exists(source, name)

    def _move(self, source: int, target: int, name: bytes, path: tuple[bytes, ...]) -> None:
        is_directory = stat.S_ISDIR(os.lstat(name, dir_fd=source).st_mode)
        try:
            found = os.lstat(name, dir_fd=target).st_mode
        except FileNotFoundError:
            _rename(source, target, name, is_directory)
            return
        if is_directory and stat.S_ISDIR(found):
            self._merge(source, target, name, (*path, name))
            return
        if is_directory and not self._may_replace((*path, name)):
            what = "the link" if stat.S_ISLNK(found) else "what is a file,"
            raise EntryRefused(b"/".join((*path, name)), f"it would be written through {what} {shown(name)}")
        if is_directory or stat.S_ISDIR(found):
            remove(target, name)
        _rename(source, target, name, is_directory)

    def _merge(self, source: int, target: int, name: bytes, path: tuple[bytes, ...]) -> None:
        self.met = True
        below = os.open(name, OPEN_DIRECTORY, dir_fd=source)
        try:
            into = os.open(name, OPEN_DIRECTORY, dir_fd=target)
            try:
                _let_write(below)
                self.run(below, into, path)
            finally:
                os.close(into)
        finally:
            os.close(below)
        try:
            os.rmdir(name, dir_fd=source)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise

    def _may_replace(self, path: tuple[bytes, ...]) -> bool:
        """Whether a directory takes the place of a file or a link: as with tar when the archive holds it itself."""
        return self._replaces and any(parts == path for parts, _attributes in self._directories)


def _is_in_both(source: int, target: int, name: bytes) -> bool:
    """Whether both directories have a directory of that name."""
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


def _let_write(fd: int) -> None:
    """Whoever is not root must be allowed to take out of a directory what lies in it."""
    mode = stat.S_IMODE(os.fstat(fd).st_mode)
    if mode & 0o300 != 0o300:
        os.chmod(fd, mode | 0o300)


def _rename(source: int, target: int, name: bytes, is_directory: bool) -> None:
    try:
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
    except PermissionError:
        if not is_directory:
            raise
        _rename_closed(source, target, name)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        from .carrying import carry

        carry(source, target, name)


def _rename_closed(source: int, target: int, name: bytes) -> None:
    """Move a directory that may not be written to: its owner has to be allowed to while it moves."""
    fd = os.open(name, OPEN_DIRECTORY, dir_fd=source)
    try:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        if mode & 0o200:
            raise PermissionError(errno.EACCES, "")
        os.chmod(fd, mode | 0o200)
        try:
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
        finally:
            os.chmod(fd, mode)
    finally:
        os.close(fd)
