# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The hidden directory for unpacking before the files are put in place."""

from __future__ import annotations

import errno
import os
import stat

from .. import signals
from ..descriptors import lock_new, try_lock
from ..errors import HostError, SystemCallError
from ..trees import remove_tree_in
from .tree import OPEN_DIRECTORY

_HIDDEN = ".ccm-unpacking-"
_ATTEMPTS = 100


class Staging:
    """A new hidden directory in the open directory `base`, at `path`, within `with`; it is removed with its content.

    It is locked while it is used, and the unpacked files are in a directory inside, open as `fd`. Staging directories
    without a lock are of killed processes. With `sweeps` they are removed first if they belong to this user, are closed
    to others and have an inner directory of the same name, because a user may give such a name to a tree of root. A
    signal that ends the process takes effect after the removal. Raises SystemCallError.
    """

    def __init__(self, base: int, path: str, *, sweeps: bool = True) -> None:
        self.base = base
        self._path = path
        self._sweeps = sweeps
        self.fd = -1
        self._outside = -1
        self._hidden = ""
        self._held: set[int] = set()

    def __enter__(self) -> Staging:
        self._held = signals.current()
        try:
            if self._sweeps:
                self._sweep()
            for _attempt in range(_ATTEMPTS):
                if self._made():
                    return self
            raise FileExistsError(errno.EEXIST, "")
        except OSError as error:
            self.__exit__()
            raise SystemCallError("mkdir", self._path, error) from None
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            signals.hold()
        finally:  # also when a signal came just before
            try:
                self.remove()
            except HostError:
                pass  # the next one tries again
            finally:
                self._close()
                signals.release(self._held)

    def _close(self) -> None:
        for fd in (self.fd, self._outside):
            if fd >= 0:
                os.close(fd)
        self.fd = self._outside = -1
        self._hidden = ""

    def remove(self) -> None:
        """Remove it with its content. Raises SystemCallError."""
        if self._hidden:
            _remove(self.base, self._hidden, self._outside, self._path)

    def spool(self) -> int:
        """Return a new file that has no name."""
        name = "spool"
        fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=self.fd)
        os.unlink(name, dir_fd=self.fd)
        return fd

    def _made(self) -> bool:
        """Make and lock one; False when another one has its name meanwhile."""
        hidden = self._hidden = _HIDDEN + os.urandom(5).hex()
        os.mkdir(hidden, 0o700, dir_fd=self.base)
        try:
            self._outside = os.open(hidden, OPEN_DIRECTORY, dir_fd=self.base)
            is_ours = lock_new(self._outside) and not os.listdir(self._outside)
        except (FileNotFoundError, NotADirectoryError):
            is_ours = False
        if not is_ours:
            self._close()
            return False
        os.mkdir(_inside(hidden), 0o700, dir_fd=self._outside)
        self.fd = os.open(_inside(hidden), OPEN_DIRECTORY, dir_fd=self._outside)
        return True

    def _sweep(self) -> None:
        with os.scandir(self.base) as listing:
            names = [entry.name for entry in listing if entry.name.startswith(_HIDDEN)]
        for name in names:
            try:
                fd = os.open(name, OPEN_DIRECTORY, dir_fd=self.base)
            except OSError:
                continue
            try:
                if _is_ours(fd) and try_lock(fd) and os.listdir(fd) in ([], [_inside(name)]):
                    _remove(self.base, name, fd, self._path)
            except (HostError, OSError):
                continue
            finally:
                os.close(fd)


def _inside(hidden: str) -> str:
    return "unpacking-" + hidden[len(_HIDDEN) :]


def _is_ours(fd: int) -> bool:
    """Return whether an open directory belongs to this user and no other user can write to it."""
    found = os.fstat(fd)
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _remove(base: int, hidden: str, outside: int, path: str) -> None:
    """Remove the content of the directory `outside`, if it is open, then its former name, but nothing else."""
    if outside >= 0:
        inside = _inside(hidden)
        remove_tree_in(outside, inside, os.path.join(path, hidden, inside), opened=True)
    try:
        os.rmdir(hidden, dir_fd=base)
    except FileNotFoundError:
        return
    except OSError as error:
        raise SystemCallError("unlinkat", os.path.join(path, hidden), error) from None
