# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hidden files whose content is completed before they are renamed to their place.

Each is locked by the process that makes it, which distinguishes the files of killed processes from those in use. For
NAME it is `.NAME.ccm-new`, so that the next process that writes NAME finds it without a search. Only when another
process writes NAME at the same time, random digits end its name. A link cannot be locked: it has the name of a locked
file with `-link` at its end.
"""

from __future__ import annotations

import errno
import os
import stat

from . import signals
from .descriptors import is_locked, lock_new, try_lock, write_bytes
from .extended_attributes import copy_attributes, names_of_both
from .hidden_names import FIRST, MARK, stem_for
from .reading import OpenPath
from .replaceable import require_replaceable
from .targets import open_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

_RANDOM_BYTES = 5
#: The end of the name of a hidden link.
LINK_END = "-link"
_ATTEMPTS = 100

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class HiddenFile:
    """A new empty file for `name` in an open directory, 0600: `fd` is open for reading and writing.

    Within `with`; unless it was put in place it is removed, also when a signal ends the run just after it was made.
    `found` is its first state; `mask` are the permissions of the group of a file whose access control list it got by
    `carry_over`. Files of killed processes are removed. Raises OSError and ValueError, and so do the methods.
    """

    fd = -1
    name = ""
    mask = 0

    def __init__(self, directory: int | OpenPath, name: str) -> None:
        self._place = name
        held = signals.hold()
        try:
            # A signal may interrupt the caller that opened both, and close the directory first: this keeps it open.
            self._kept = OpenPath(os.dup(directory)) if isinstance(directory, int) else directory
            self._directory = self._kept.fd
            try:
                self.fd, self.name, self.found = _create(self._directory, name)
            finally:
                if self.fd < 0:
                    del self._kept
        finally:
            signals.release(held)

    def __enter__(self) -> HiddenFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close_written(self) -> None:
        """Close it, which shows whether all could be written. It stays locked; so does a later `fd`."""
        written, self.fd = self.fd, os.dup(self.fd)
        os.close(written)

    def carry_over(self, path: str, attributes_of: int | None = None) -> list[str]:
        """Give it the attributes that a file at its place has, before its mode is set (decisions.md Q95).

        With the descriptor `attributes_of`, the attributes of this file. `path` is its place in messages. Returns the
        sorted names of the attributes that it does not get. Raises NotRegular, and SystemCallError.
        """
        if attributes_of is not None:
            return copy_attributes(attributes_of, self.fd, path)[0]
        try:
            replaced = os.open(self._place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._directory)
        except FileNotFoundError:
            return []
        opened = -1
        try:
            old: int | str = f"/proc/self/fd/{replaced}"
            names = names_of_both(old, self.fd)
            if names == ([], []):
                return []
            mode = os.fstat(replaced).st_mode
            require_replaceable(mode, path)
            if not stat.S_ISREG(mode):
                return []
            if names is None and not os.path.exists(old):
                old = opened = open_reached(replaced, self._place, self._directory)
            dropped, has_list = copy_attributes(old, self.fd, path, names)
            if has_list:
                self.mask = mode & stat.S_IRWXG
            return dropped
        finally:
            for fd in (replaced, opened):
                if fd >= 0:
                    os.close(fd)

    def path_beside(self, path: str) -> str:
        """Return its own path; `path` is its place."""
        return os.path.join(os.path.dirname(path), self.name)

    def has_attributes(self) -> bool:
        """Return whether the directory gave it extended attributes, also when they cannot be listed."""
        try:
            return bool(os.listxattr(self.fd))
        except OSError:
            return True

    def replace_file(self, path: str, *, is_first: bool = False, bare: os.stat_result | None = None) -> bool:
        """Rename it to its place, `path` in messages, unless no file may replace the file that is there.

        With `is_first` it replaces none: False when there is a file; with `bare` only a file that is still in this
        state, else False. Raises NotRegular, also when that came after `carry_over` (decisions.md Q87).
        """
        try:
            found = os.lstat(self._place, dir_fd=self._directory)
        except FileNotFoundError:
            pass
        else:
            require_replaceable(found.st_mode, path)
            if is_first or not (bare is None or _is_unchanged(found, bare)):
                return False
        self.put_in_place()
        return True

    def put_in_place(self, name: str = "") -> None:
        """Rename it to its place, which `name` may change, and replace any file: for the files of ccm itself."""
        self._place = name or self._place
        os.rename(self.name, self._place, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self.name = ""

    def remove(self) -> None:
        """Remove it; its content can be read as long as it is open."""
        if self.name:
            _remove_own(self._directory, self.name, self.fd)
            self.name = ""

    def keep_owner(self, uid: int, gid: int) -> None:
        """Set its owner again after the rename, if the file system lost it, as file systems of containers may."""
        fd = os.open(self._place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._directory)
        try:
            found = os.fstat(fd)
            if (found.st_uid, found.st_gid) != (uid, gid) and os.path.samestat(found, os.fstat(self.fd)):
                os.chown(f"/proc/self/fd/{fd}", uid, gid)
        finally:
            os.close(fd)

    def close(self) -> None:
        """Close it, and remove it unless it is in its place. Raises nothing: what remains is hidden."""
        if self.fd < 0:
            return
        self.remove()
        fd, self.fd = self.fd, -1
        del self._kept
        try:
            os.close(fd)
        except OSError:
            return


def _is_unchanged(found: os.stat_result, before: os.stat_result) -> bool:
    return found.st_ctime_ns == before.st_ctime_ns and os.path.samestat(found, before)


def replace_whole(directory: int, name: str, pieces: Sequence[bytes]) -> None:
    """Write a whole file in an open directory. Raises OSError and ValueError.

    Readers see the old or the new content, also after a power failure.
    """
    with HiddenFile(directory, name) as file:
        for piece in pieces:
            write_bytes(file.fd, piece)
        os.fsync(file.fd)
        file.put_in_place()
    os.fsync(directory)


def without_unlocked(directory: int) -> list[str]:
    """Remove the hidden files of an open directory that no process holds; return the names of its other files."""
    names = []
    for name in os.listdir(directory):
        if is_hidden(name):
            remove_unlocked(directory, name)
        else:
            names.append(name)
    return names


def is_hidden(name: str) -> bool:
    """Return whether a file with this name is one of these."""
    stem, _mark, end = _locked_name(name).rpartition(MARK)
    return stem.startswith(".") and (end == FIRST or len(end) == 2 * _RANDOM_BYTES)


def is_in_use(directory: int, name: str) -> bool:
    """Return whether a process holds the hidden file or link `name` of an open directory."""
    try:
        fd = os.open(_locked_name(name), _READ, dir_fd=directory)
    except OSError:
        return False
    try:
        return is_locked(fd)
    finally:
        os.close(fd)


def remove_unlocked(directory: int, name: str) -> bool:
    """Remove the hidden file `name` of an open directory unless a process holds it; return whether it was removed.

    The hidden link of its process is removed too; `name` may be the name of the link.
    """
    file = _locked_name(name)
    try:
        fd = os.open(file, _READ, dir_fd=directory)
    except FileNotFoundError:
        return name != file and _remove_link(directory, name)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or not try_lock(fd):
            return False
        _remove_link(directory, file + LINK_END)
        return _remove_own(directory, file, fd)
    finally:
        os.close(fd)


def _locked_name(name: str) -> str:
    """Return the name of the hidden file that is locked for a hidden file or link."""
    return name[: -len(LINK_END)] if name.endswith(LINK_END) else name


def _remove_link(directory: int, name: str) -> bool:
    try:
        if not stat.S_ISLNK(os.lstat(name, dir_fd=directory).st_mode):
            return False
        os.unlink(name, dir_fd=directory)
    except OSError:
        return False
    return True


def _create(directory: int, name: str) -> tuple[int, str, os.stat_result]:
    stem = stem_for(name)
    hidden = stem + FIRST
    for _trial in range(_ATTEMPTS):
        try:
            fd = os.open(hidden, _CREATE, 0o600, dir_fd=directory)
        except FileExistsError:
            if not remove_unlocked(directory, hidden):
                hidden = stem + os.urandom(_RANDOM_BYTES).hex()
            continue
        try:
            found = lock_new(fd)
            if found:
                return fd, hidden, found
        except BaseException:
            _remove_own(directory, hidden, fd)
            os.close(fd)
            raise
        os.close(fd)
    raise FileExistsError(errno.EEXIST, "")


def _remove_own(directory: int, name: str, fd: int) -> bool:
    """Remove the file that is locked as `fd`, if it still has that name; return whether it was removed."""
    try:
        is_ours = os.path.samestat(os.fstat(fd), os.lstat(name, dir_fd=directory))
        if is_ours:
            os.unlink(name, dir_fd=directory)
    except OSError:
        return False
    return is_ours
