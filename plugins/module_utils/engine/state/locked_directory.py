# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The directory of the state of a manifest, locked and written (docs/design/state.md)."""

from __future__ import annotations

import errno
import fcntl
import os
import time

from ...host.descriptors import write_bytes
from ...host.hidden_files import replace_whole, without_unlocked
from ...model.errors import StoreError
from ..state_directory import unusable
from .own_files import LOCK_NAME, OPEN_OWN, made, remove, require_own_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.log import Log
    from ..state_directory import OpenState, StateDirectory

#: How long a lock of another run is waited for, and how often it is tried, in seconds.
LOCK_TIMEOUT = 5.0
_LOCK_PAUSE = 0.01
#: Of the file `lock`, whose text is the stamp of the journal and its size.
_LONGEST_LOCK = 100

_APPEND = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class LockedDirectory:
    """A state directory locked within `with`, where it is `opened`; what fails raises StoreError."""

    opened: OpenState

    def __init__(self, directory: StateDirectory) -> None:
        self._directory = directory
        self._path = directory.path
        self._lock = -1

    def __enter__(self) -> LockedDirectory:
        end = time.monotonic() + LOCK_TIMEOUT
        while not self._is_entered(end):
            pass
        return self

    def _is_entered(self, end: float) -> bool:
        """Lock the directory; return False when another process removed it meanwhile."""
        self.opened = made(self._directory)
        path = f"{self._path}/{LOCK_NAME}"
        try:
            self._lock = os.open(LOCK_NAME, OPEN_OWN, 0o600, dir_fd=self.fd)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise unusable(path, error) from None
        is_locked = False
        try:
            require_own_file(self._lock, path)
            is_locked = _is_locked(self._lock, self._path, end, self._directory.log)
        finally:
            if not is_locked:
                self.__exit__()
        return is_locked

    def __exit__(self, *_: object) -> None:
        lock, self._lock = self._lock, -1
        del self.opened
        os.close(lock)

    @property
    def fd(self) -> int:
        """The descriptor of the directory."""
        return self.opened.fd

    @property
    def noted(self) -> bytes:
        """The text that was last written into the file that is locked."""
        try:
            return os.pread(self._lock, _LONGEST_LOCK, 0)
        except OSError as error:
            raise unusable(f"{self._path}/{LOCK_NAME}", error) from None

    def note(self, text: bytes) -> None:
        """Write a text of at most 100 bytes into the file that is locked."""
        try:
            os.pwrite(self._lock, text.ljust(_LONGEST_LOCK), 0)
        except OSError as error:
            raise unusable(f"{self._path}/{LOCK_NAME}", error) from None

    def open_to_append(self, name: str, *, makes: bool) -> AppendedFile | None:
        """Return a file within `with`, None when it is missing and not made."""
        path = f"{self._path}/{name}"
        try:
            fd = os.open(name, _APPEND | (os.O_CREAT if makes else 0), 0o600, dir_fd=self.fd)
            return AppendedFile(fd, path, self.fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unusable(path, error) from None

    def replace(self, name: str, pieces: Sequence[bytes]) -> None:
        """Write a whole file: readers see the old or the new content, also after a power failure."""
        try:
            replace_whole(self.fd, name, pieces)
        except (OSError, ValueError) as error:
            raise unusable(f"{self._path}/{name}", error) from None

    def touch(self, name: str) -> None:
        """Set the time when a file was last written to now; a missing file is no error."""
        try:
            os.utime(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unusable(f"{self._path}/{name}", error) from None

    def remove_if_older(self, name: str, end: float) -> None:
        """Remove a file that was last written before `end`, in seconds since 1970."""
        try:
            is_older = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mtime < end
        except FileNotFoundError:
            return
        except OSError as error:
            raise unusable(f"{self._path}/{name}", error) from None
        if is_older:
            remove(self.opened, name)

    def without_unfinished(self) -> list[str]:
        """Remove the hidden files of killed processes; return the names of the other files."""
        try:
            return without_unlocked(self.fd)
        except OSError as error:
            raise unusable(self._path, error) from None

    def put_aside(self, name: str, content: bytes) -> str:
        """Keep the content of a damaged file under another name; return the path."""
        now = time.time_ns()
        aside = f"{name}.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now // 10**9))}.{now % 10**9:09d}Z"
        self.replace(aside, [content])
        return f"{self._path}/{aside}"

    def remove_itself(self) -> None:
        """Remove the directory, which has only the file that is locked; it stays when another run writes in it."""
        remove(self.opened, LOCK_NAME)
        try:
            os.rmdir(self._path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                raise unusable(self._path, error) from None


class AppendedFile:
    """A file at `path` that is open to append to within `with`: its `size` before, and its first bytes."""

    def __init__(self, fd: int, path: str, directory: int) -> None:
        self._fd = fd
        self._path = path
        self._directory = directory
        try:
            self.size = require_own_file(fd, path).st_size
        except BaseException:
            os.close(fd)
            raise

    def __enter__(self) -> AppendedFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def head(self, size: int) -> bytes:
        """Return its first bytes, at most `size`."""
        try:
            return os.pread(self._fd, size, 0)
        except OSError as error:
            raise unusable(self._path, error) from None

    def append(self, data: bytes, *, synced: bool) -> None:
        """Add `data` to its end; with `synced` a power failure after this returns does not lose it."""
        try:
            write_bytes(self._fd, data)
            if synced:
                os.fdatasync(self._fd)
                if not self.size:
                    os.fsync(self._directory)
        except OSError as error:
            raise unusable(self._path, error) from None


def _is_locked(lock: int, directory: str, end: float, log: Log) -> bool:
    """Wait for a lock until `end`; return whether its file is still in the directory.

    Raises StoreError when another process holds it all the time.
    """
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return os.fstat(lock).st_nlink > 0
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                raise unusable(directory, error) from None
        if time.monotonic() >= end:
            raise StoreError(f"{directory} is locked by another process for {LOCK_TIMEOUT:g} s", value=directory)
        log.before_waiting()
        # flock has no time limit, and an alarm would end it only in the main thread.
        time.sleep(_LOCK_PAUSE)
