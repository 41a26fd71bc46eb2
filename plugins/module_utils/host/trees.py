# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Removal of a directory with its content, at any depth and with any links in it, but never through a mount.

First the kernel's table of mounts is read: with a mount in the tree nothing is removed. Then each directory that is
entered must be in the mount of the one above it (decisions.md Q91).
"""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice

from .errors import SystemCallError
from .mounts import MountInTheWay, border_of, mount_on, mounts_below
from .parents import Parent
from .reading import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_ATTEMPTS = 100
# Entries of a directory that are kept at a time: there may be very many.
_BATCH = 10_000
_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CLOSED_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: str, *, opened: bool = False) -> bool:
    """Remove a file, a link or a directory with its contents; return whether anything was removed.

    Symbolic links are removed and never followed, also a link that replaces a directory meanwhile: every step is
    relative to an open directory. Two directories are open at a time and nothing recurses, so depth does not matter.
    With `opened` directories are first made accessible to their owner, who may have no access. What another process
    removes first is no error. Raises LinkNotFollowed, MountInTheWay, and SystemCallError naming the entry that stays;
    what was removed before it is gone. MountInTheWay comes before anything is removed, unless the mount was made
    meanwhile.
    """
    try:
        parent = Parent(path.rstrip("/"))
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise SystemCallError("unlinkat", path, error) from None
    with parent:
        return remove_tree_in(parent.fd, parent.name, path, opened=opened)


def remove_tree_in(directory: int, name: str, path: str, *, opened: bool = False) -> bool:
    """Return the same for `name` in an open directory; `path` is its name in messages."""
    if name in (".", ".."):
        raise SystemCallError("unlinkat", path, OSError(errno.EINVAL, ""))
    try:
        os.lstat(name, dir_fd=directory)
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise SystemCallError("unlinkat", path, error) from None
    above = path_of(directory)
    mounts = mounts_below(f"{above}/{name}") if above else ()
    if mounts:
        raise MountInTheWay(path, f"{mounts[0]} is mounted on {mounts[0].point}")
    attempts = _ATTEMPTS
    while not _removed(path, directory, name, opened and os.geteuid() != 0):
        attempts -= 1
        if not attempts:
            raise SystemCallError("unlinkat", path, OSError(errno.EBUSY, ""))
    return True


def _removed(path: str, directory: int, name: str, opened: bool) -> bool:
    """Walk the tree once; False when the way back was lost, because the current directory was moved or removed."""
    removal = _Removal(os.dup(directory), path, name, opened)
    try:
        removal.run()
    except _Lost:
        return False
    except OSError as error:
        where = removal.where()
        found = mount_on([where]) if error.errno == errno.EBUSY else None
        if found:
            raise MountInTheWay(path, f"{found[1]} is mounted on {where}") from None
        raise SystemCallError("unlinkat", where, error) from None
    finally:
        os.close(removal.fd)
    return True


class _Lost(Exception):
    """The directory above is another one than the directory we came from."""


class _Removal:
    """The state of a removal: `fd` is the current directory, `pending` the names in it to remove, last first.

    `trail` has an entry for each directory above: its identity, and its own pending names. `file` is the name that is
    being removed from the directory that `pending` ends with.
    """

    def __init__(self, fd: int, path: str, name: str, opened: bool) -> None:
        self._path = path
        self._opened = opened
        self._border = border_of(fd)
        self.fd = fd
        self.pending = [name]
        self.file = ""
        self.trail: list[tuple[tuple[int, int], list[str]]] = []

    def where(self) -> str:
        """Return the path of the current entry, for messages."""
        names = [pending[-1] for _directory, pending in self.trail] + self.pending[-1:]
        return os.path.join(os.path.dirname(self._path.rstrip("/")), *names, self.file).rstrip("/")

    def run(self) -> None:
        """Walk the tree, deepest first."""
        while True:
            if self.pending:
                self._step()
            elif self.trail:
                self._up()
            else:
                return

    def _step(self) -> None:
        """Remove the current entry, or enter it when it has directories."""
        name = self.pending[-1]
        if self._opened:
            self._open_to_owner(name)
        try:
            child = os.open(name, _OPEN_DIRECTORY, dir_fd=self.fd)
        except OSError as error:
            self._remove_closed(name, error)
            self.pending.pop()
            return
        try:
            self._require_same_mount(child)
            below = self._remove_files(child)
            if below:
                self.trail.append((_identity(self.fd), self.pending))
                self.pending = below
                child, self.fd = self.fd, child
        finally:
            os.close(child)
        if not below:
            self._remove_directory()

    def _open_to_owner(self, name: str) -> None:
        try:
            mode = os.lstat(name, dir_fd=self.fd).st_mode
            if not stat.S_ISDIR(mode) or mode & 0o700 == 0o700:
                return
            closed = os.open(name, _CLOSED_DIRECTORY, dir_fd=self.fd)
        except OSError:
            return  # the removal reports why
        try:
            self._require_same_mount(closed)
            os.chmod(name, 0o700, dir_fd=self.fd)
        except OSError:
            return
        finally:
            os.close(closed)

    def _require_same_mount(self, fd: int) -> None:
        """Raise MountInTheWay when something is mounted on the current entry, a directory that is open as `fd`."""
        if border_of(fd) != self._border:
            raise MountInTheWay(self._path, f"something is mounted on {self.where()}")

    def _remove_closed(self, name: str, error: OSError) -> None:
        """Remove an entry that does not open as a directory: no directory, gone, or closed and perhaps empty."""
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            _ignoring_missing(os.unlink, name, self.fd)
        elif error.errno == errno.EACCES:
            try:
                os.rmdir(name, dir_fd=self.fd)
            except OSError:
                raise error from None
        elif error.errno != errno.ENOENT:
            raise error

    def _remove_directory(self) -> None:
        _ignoring_missing(os.rmdir, self.pending[-1], self.fd)
        self.pending.pop()

    def _up(self) -> None:
        """Return to the directory above, but only if it is the one we came from, and remove the one left."""
        try:
            above = os.open("..", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.fd)
        except FileNotFoundError:
            raise _Lost from None
        os.close(self.fd)
        self.fd = above
        identity, self.pending = self.trail.pop()
        if _identity(above) != identity:
            raise _Lost
        self._remove_directory()

    def _remove_files(self, fd: int) -> list[str]:
        """Remove all but the directories from an open directory; return the names of these."""
        directories: dict[str, None] = {}
        while True:
            with os.scandir(fd) as listing:  # reading on while removing may skip entries
                entries = list(islice((entry for entry in listing if entry.name not in directories), _BATCH))
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    directories[entry.name] = None
                    continue
                self.file = entry.name
                try:
                    _ignoring_missing(os.unlink, entry.name, fd)
                except IsADirectoryError:
                    directories[entry.name] = None
            self.file = ""
            if len(entries) < _BATCH:
                return list(directories)


def _identity(fd: int) -> tuple[int, int]:
    found = os.fstat(fd)
    return found.st_dev, found.st_ino


def _ignoring_missing(remove: Callable[..., None], name: str, fd: int) -> None:
    try:
        remove(name, dir_fd=fd)
    except FileNotFoundError:
        return
