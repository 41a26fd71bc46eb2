# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Directories opened so that no other user redirects a write by a symbolic link (decisions.md Q81).

A directory is opened first and checked then. When the kernel returns exactly the requested path for it, no link was
followed. Else the path is walked. All later steps are relative to the descriptor, so changes of the path meanwhile have
no effect.
"""

from __future__ import annotations

import errno
import os
import stat

from .errors import SystemCallError
from .machine import KeptOpen
from .reading import OpenPath, path_of

_DIRECTORY = os.O_DIRECTORY | os.O_CLOEXEC


class Parent:
    """The directory that contains `path`, open within `with` as `fd`, and the `name` of `path` in it.

    With `mode` (0..0o777) missing directories are made with it, less the umask. What keeps `directory` keeps it open.
    Raises LinkNotFollowed, OSError and ValueError; SystemCallError for a directory that cannot be made.
    """

    directory: OpenPath | None

    def __init__(self, path: str, mode: int | None = None, directory: OpenPath | None = None) -> None:
        self.name = path.rpartition("/")[2] or "."
        if directory is None:
            directory = OpenPath(open_directory(os.path.dirname(path), mode=mode))
        self.directory = directory
        self.fd = directory.fd

    def __enter__(self) -> Parent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it, once, unless something else keeps it open."""
        self.directory = None
        self.fd = -1


class LastDirectory(KeptOpen):
    """The directory that was last asked for, open until `close`; several threads may ask.

    It is used again when its path still leads to it, without any link: it may have been moved, or be below a mount.
    """

    def __init__(self) -> None:
        self._kept: _Kept | None = None
        self._checked: tuple[_Kept, str] | None = None

    def checked_parent_of(self, path: str) -> Parent | None:
        """Return the parent of a clean absolute path if it is kept and still at its path; else None.

        The next call of `parent_of` with the path does not look again: what was decided of a file is done in the same
        directory.
        """
        kept, above = self._kept, _above(path)
        try:
            if kept is None or kept.path != above or not kept.is_at(above, os.stat(above)):
                return None
        except OSError:
            return None
        self._checked = kept, path
        return Parent(path, directory=kept.directory)

    def parent_of(self, path: str) -> Parent:
        """Return the parent of a clean absolute path, as `Parent` does. Raises NotADirectoryError when it is none."""
        kept = self._kept
        checked, self._checked = self._checked, None
        if checked and checked[0] is kept and checked[1] == path:
            return Parent(path, directory=checked[0].directory)
        above = _above(path)
        try:
            found = os.stat(above)
        except (OSError, ValueError):
            raise NotADirectoryError(errno.ENOTDIR, "") from None
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "")
        if kept is None or not kept.is_at(above, found):
            fd = _opened_directly(above, os.O_PATH, None)
            directory = OpenPath(_resolved(above, os.O_PATH, None) if fd < 0 else fd)
            self._kept = None if fd < 0 else _Kept(above, directory)
        else:
            directory = kept.directory
        return Parent(path, directory=directory)

    def close(self) -> None:
        """Close it as soon as no thread uses it."""
        self._kept = self._checked = None


class _Kept:
    def __init__(self, path: str, directory: OpenPath) -> None:
        self.directory = directory
        self.path = path
        self._found: os.stat_result | None = None

    def is_at(self, path: str, found: os.stat_result) -> bool:
        """Return whether it is at `path`, where `found` was found, and has no link in its path."""
        if path != self.path:
            return False
        if self._found is None:
            self._found = os.fstat(self.directory.fd)
        return os.path.samestat(found, self._found) and path_of(self.directory.fd) == path


def _above(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def open_directory(path: str, flags: int = os.O_PATH, *, mode: int | None = None) -> int:
    """Return the descriptor of the directory `path`, which may be a link.

    `flags`, `mode` and errors are the same as for `Parent`.
    """
    fd = _opened_directly(path, flags, mode)
    return _resolved(path, flags, mode) if fd < 0 else fd


def _opened_directly(path: str, flags: int, mode: int | None) -> int:
    """Return the descriptor of a directory without a link in its path; else -1, also for a directory to be made."""
    try:
        fd = os.open(path or ".", flags | _DIRECTORY)
    except (OSError, ValueError) as error:
        if mode is None:
            raise
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            raise SystemCallError("mkdir", path, error) from None
        return -1
    if path_of(fd) == path:
        return fd
    os.close(fd)
    return -1


def _resolved(path: str, flags: int, mode: int | None) -> int:
    from .path_resolution import resolve_directory

    return resolve_directory(path, flags, mode)
