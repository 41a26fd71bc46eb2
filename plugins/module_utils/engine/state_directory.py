# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The directory of the state of a manifest, opened from its root down (docs/design/state.md).

A run in which nothing changes need not load it (between_runs.py); `state/own_files.py` reads, makes and removes files.
"""

from __future__ import annotations

import errno
import os

from ..host.errors import errno_of, reason_of
from ..host.reading import OpenPath
from ..model.errors import StoreError
from .between_runs import DIRECTORY, MANIFESTS, SAVED, is_own, name_of, stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Optional

    from ..model.log import Log

    #: Makes a directory of a name in an open one, at the path of the name in None.
    Make = Callable[[str, Optional[int]], None]

_OTHER_DIRECTORY = "name another directory with --state"


class StateDirectory:
    """The directory of the manifest of an `identity` below a `root`; a method that fails raises StoreError.

    Both are made by the first write (own_files.py). `name` is the name of the directory where the identity
    is not known. `log` is written out before a lock is waited for.
    """

    def __init__(self, root: str, identity: str, log: Log, name: str = "") -> None:
        self.root = root
        self.identity = identity
        self.name = name or name_of(identity)
        self.path = f"{root}/{MANIFESTS}/{self.name}"
        self.log = log

    def opened(self) -> OpenState | None:
        """Return the directory, open as long as the result is kept, None without one."""
        return open_below(self.root, (MANIFESTS, self.name))

    def names(self) -> list[str]:
        """Return the names of all files; none when there is no directory."""
        opened = self.opened()
        return opened.names() if opened else []


class OpenState(OpenPath):
    """The directory at a `path` of a state, open as `fd`; a method that fails raises StoreError."""

    def __init__(self, fd: int, path: str) -> None:
        super().__init__(fd)
        self.path = path

    def names(self) -> list[str]:
        """Return the names of all files."""
        try:
            return os.listdir(self.fd)
        except OSError as error:
            raise unusable(self.path, error) from None

    def stamp(self) -> str:
        """Return a text that differs whenever the file `state` was written since, "" when there is none."""
        try:
            found = os.stat(SAVED, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise unusable(f"{self.path}/{SAVED}", error) from None
        return stamp_of(found)


def open_below(root: str, names: Iterable[str]) -> OpenState | None:
    """Return the directory that these names lead to from a root, None without it. Raises StoreError; see `below`."""
    fd, path = below(root, names)
    return OpenState(fd, path) if fd >= 0 else None


def below(root: str, names: Iterable[str], make: Make | None = None) -> tuple[int, str]:
    """Return the descriptor and the path of the directory that these names lead to, each opened in the one before.

    Missing ones are made by `make`; without it the descriptor is -1. Raises StoreError for a link and for what others
    could change.
    """
    above, path = _open_level(None, root, root, make), root
    for name in names:
        if above < 0:
            break
        path = f"{path}/{name}"
        try:
            directory = _open_level(above, name, path, make)
        finally:
            os.close(above)
        above = directory
    return above, path


def _open_level(above: int | None, name: str, path: str, make: Make | None) -> int:
    """Return the descriptor of a directory, -1 when there is none and it is not made."""
    try:
        try:
            directory = os.open(name, DIRECTORY, dir_fd=above)
        except FileNotFoundError:
            if make is None:
                return -1
            make(name, above)
            directory = os.open(name, DIRECTORY, dir_fd=above)
    except (OSError, ValueError) as error:
        if errno_of(error) in (errno.ENOTDIR, errno.ELOOP) and (above is not None or os.path.lexists(path)):
            raise StoreError(f"{path} is not a directory", value=path, advice=_OTHER_DIRECTORY) from None
        raise unusable(path, error) from None
    try:
        require_own(path, os.fstat(directory), _OTHER_DIRECTORY)
    except BaseException:
        os.close(directory)
        raise
    return directory


def unusable(path: str, error: OSError | ValueError) -> StoreError:
    """Return the error for a path of a store that cannot be used."""
    number = errno_of(error)
    reason = "a symbolic link is not followed" if number == errno.ELOOP else reason_of(number)
    return StoreError(f"{path}: {reason}", value=path)


def require_own(path: str, found: os.stat_result, advice: str = "") -> None:
    """Raise StoreError where another user owns a file or directory of a state, or may change it."""
    if is_own(found):
        return
    if found.st_uid != os.geteuid():
        raise StoreError(f"{path} belongs to another user", value=path, advice=advice)
    raise StoreError(f"{path} can be changed by other users", value=path, advice="remove their permission to write")
