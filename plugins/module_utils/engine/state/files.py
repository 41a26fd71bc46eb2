# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a store: read without locks, written under short ones, replaced as a whole (docs/design/state.md)."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from ...host.descriptors import write_bytes
from ...host.errors import errno_of, reason_of
from ...model.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.log import Log

#: Size in bytes of the largest file that is read: a foreign file must not fill the memory.
LARGEST_FILE = 256 << 20
#: How long a lock of another run is waited for, and how often it is tried, in seconds.
LOCK_TIMEOUT = 5.0
_LOCK_PAUSE = 0.01
_OTHER_DIRECTORY = "name another directory with --state"

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: The file in each directory that is locked.
LOCK_NAME = "lock"


class StateFiles:
    """The files in one `directory` of a store; a method that fails raises StoreError.

    The directory, and the `root` of the store that it is in, are made by the first write. `log` is written out before a
    lock is waited for.
    """

    def __init__(self, root: str, directory: str, log: Log) -> None:
        self._log = log
        self.root = root
        self.directory = directory

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, None when there is none."""
        for directory in (self.root, os.path.dirname(self.directory), self.directory):
            if not is_own_directory(directory):
                return None
        path = f"{self.directory}/{name}"
        try:
            fd = os.open(path, _READ)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise unusable(path, error) from None
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise StoreError(f"{path} is not a file", value=path)
            _require_own(path, found)
            if found.st_size > LARGEST_FILE:
                raise StoreError(f"{path} is larger than {LARGEST_FILE >> 20} MiB", value=path)
            with open(fd, "rb", closefd=False) as file:
                return file.read()
        except OSError as error:
            raise unusable(path, error) from None
        finally:
            os.close(fd)

    def add_to(self, name: str, data: bytes, *, first: bytes, synced: bool) -> None:
        """Add `data` to the end of a file; `first` is the first line of a new one.

        With `synced` a power failure after this returns does not lose it.
        """
        with self.locked() as directory:
            try:
                fd = os.open(name, _APPEND, 0o600, dir_fd=directory)
                try:
                    is_new = not os.fstat(fd).st_size
                    write_bytes(fd, first + data if is_new else data)
                    if synced:
                        os.fdatasync(fd)
                finally:
                    os.close(fd)
                if synced and is_new:
                    os.fsync(directory)
            except OSError as error:
                raise unusable(f"{self.directory}/{name}", error) from None

    def replace(self, name: str, data: bytes, directory: int, *, synced: bool) -> None:
        """Write a whole file: readers see the old or the new content; `directory` is the descriptor of `locked`.

        With `synced` the same holds after a power failure.
        """
        from ...host.hidden_files import replace_whole

        try:
            replace_whole(directory, name, data, synced=synced)
        except (OSError, ValueError) as error:
            raise unusable(f"{self.directory}/{name}", error) from None

    def remove(self, name: str, directory: int) -> None:
        """Remove a file; a missing file is no error. `directory` is the descriptor of `locked`."""
        try:
            os.unlink(name, dir_fd=directory)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unusable(f"{self.directory}/{name}", error) from None

    def put_aside(self, name: str) -> str:
        """Rename a damaged file, and return its new path."""
        aside = f"{name}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
        try:
            os.rename(f"{self.directory}/{name}", f"{self.directory}/{aside}")
        except OSError as error:
            raise unusable(f"{self.directory}/{name}", error) from None
        return f"{self.directory}/{aside}"

    def locked(self) -> LockedDirectory:
        """Return the directory within `with`, as its descriptor: made if it is missing, and locked."""
        return LockedDirectory(self, self._log)

    def open(self) -> tuple[int, int]:
        """Return descriptors of the directory and its lock, each -1 when another process removed it meanwhile."""
        directory, path = -1, self.directory
        try:
            directory = os.open(path, _DIRECTORY)
            path = f"{path}/{LOCK_NAME}"
            return directory, os.open(LOCK_NAME, _LOCK, 0o600, dir_fd=directory)
        except FileNotFoundError:
            return directory, -1
        except OSError as error:
            if directory >= 0:
                os.close(directory)
            raise unusable(path, error) from None


class LockedDirectory:
    """The directory of `files`, locked within `with`, which gives its descriptor. Raises StoreError."""

    def __init__(self, files: StateFiles, log: Log) -> None:
        self._files = files
        self._log = log
        self._open: tuple[int, int] = (-1, -1)

    def __enter__(self) -> int:
        files, end = self._files, time.monotonic() + LOCK_TIMEOUT
        while True:
            for path in (files.root, os.path.dirname(files.directory), files.directory):
                _make(path)
            self._open = directory, lock = files.open()
            is_locked = False
            try:
                is_locked = lock >= 0 and _is_locked(lock, files.directory, end, self._log)
            finally:
                if not is_locked:
                    self.__exit__()
            if is_locked:
                return directory

    def __exit__(self, *_: object) -> None:
        for fd in reversed(self._open):
            if fd >= 0:
                os.close(fd)
        self._open = (-1, -1)


def is_own_directory(path: str) -> bool:
    """Return whether a directory exists. Raises StoreError for anything else, and when others could change it."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{path} is not a directory", value=path, advice=_OTHER_DIRECTORY)
    _require_own(path, found, _OTHER_DIRECTORY)
    return True


def unusable(path: str, error: OSError | ValueError) -> StoreError:
    """Return the error for a path of a store that cannot be used."""
    return StoreError(f"{path}: {reason_of(errno_of(error))}", value=path)


def _make(path: str) -> None:
    """Make a directory for this user alone, and its parents. Raises StoreError when others could change it."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        is_own_directory(path)
    except FileNotFoundError:
        _make_with_parents(path)
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None


def _make_with_parents(path: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.mkdir(path, 0o700)
    except FileExistsError:
        is_own_directory(path)
    except OSError as error:
        raise unusable(path, error) from None


def _require_own(path: str, found: os.stat_result, advice: str = "") -> None:
    if found.st_uid != os.geteuid():
        raise StoreError(f"{path} belongs to another user", value=path, advice=advice)
    if found.st_mode & 0o022:
        raise StoreError(f"{path} can be changed by other users", value=path, advice="remove their permission to write")


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
        time.sleep(_LOCK_PAUSE)
