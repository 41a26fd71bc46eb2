# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The hidden directory that something is unpacked into before it is put in place."""

from __future__ import annotations

import os

from ..descriptors import try_lock
from ..errors import HostError
from ..system_errors import SystemCallError
from ..trees import remove_tree
from .carrying import HIDDEN
from .tree import OPEN_DIRECTORY

_ATTEMPTS = 100


class Staging:
    """A new hidden directory in `path`, within `with`; what is left in it is removed.

    It is locked as long as it is used. Those that nobody has locked are what killed processes left, and are removed
    first. `fd` is the directory, open, `base` the one that it is in. Raises SystemCallError.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self.base = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise SystemCallError("open", path, error) from None
        self.fd = -1
        self._hidden = ""

    def __enter__(self) -> Staging:
        try:
            self._sweep()
            for _attempt in range(_ATTEMPTS):
                if self._made():
                    return self
            raise SystemCallError("mkdir", self._path, FileExistsError(17, ""))
        except OSError as error:
            os.close(self.base)
            raise SystemCallError("mkdir", self._path, error) from None
        except BaseException:
            os.close(self.base)
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self.remove()
        except HostError:
            pass  # the next one tries again
        finally:
            os.close(self.fd)
            os.close(self.base)

    def remove(self) -> None:
        """Remove it with all that is in it. Raises SystemCallError."""
        remove_tree(os.path.join(self._path, self._hidden), opened=True)

    def spool(self) -> int:
        """A new file that has no name."""
        name = "spool"
        fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=self.fd)
        os.unlink(name, dir_fd=self.fd)
        return fd

    def _made(self) -> bool:
        """Make and lock one; False when somebody took it for a left one in between."""
        hidden = os.fsdecode(HIDDEN) + os.urandom(5).hex()
        os.mkdir(hidden, 0o700, dir_fd=self.base)
        try:
            fd = os.open(hidden, OPEN_DIRECTORY, dir_fd=self.base)
        except FileNotFoundError:
            return False
        if try_lock(fd) and os.fstat(fd).st_nlink:
            self.fd, self._hidden = fd, hidden
            return True
        os.close(fd)
        return False

    def _sweep(self) -> None:
        with os.scandir(self.base) as listing:
            names = [entry.name for entry in listing if entry.name.startswith(os.fsdecode(HIDDEN))]
        for name in names:
            try:
                fd = os.open(name, OPEN_DIRECTORY, dir_fd=self.base)
            except OSError:
                continue
            try:
                if os.fstat(fd).st_uid == os.geteuid() and try_lock(fd):
                    remove_tree(os.path.join(self._path, name), opened=True)
            except HostError:
                continue
            finally:
                os.close(fd)


def make_directories(path: str) -> None:
    """Make a directory and those above it, where they lack, 0755 less the umask. Raises SystemCallError."""
    base = nearest(path)
    missing = os.path.relpath(path, base)
    for part in missing.split("/") if missing != "." else ():
        base = os.path.join(base, part)
        try:
            os.mkdir(base, 0o755)
        except OSError as error:
            if not os.path.isdir(base):
                raise SystemCallError("mkdir", base, error) from None


def nearest(path: str) -> str:
    """The path itself, or the nearest above it that is there."""
    while not os.path.lexists(path):
        path = os.path.dirname(path) or "."
    return path
