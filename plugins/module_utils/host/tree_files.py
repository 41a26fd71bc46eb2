# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Trees of files, directories and links: compared entry by entry, and written, without ever leaving them.

No link in a tree is followed. Contents are compared and copied piece by piece, so memory does not grow with them.
"""

from __future__ import annotations

import errno
import os
import stat

from . import files
from .confined import ConfinedDirectory, is_being_written
from .errors import SystemCallError
from .link_files import give_link_in, write_link_in
from .parents import Parent
from .reading import irregular
from .trees import remove_tree_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

_CHUNK = 256 * 1024
# Do not wait for a process at the other end of a FIFO; do not take over a terminal.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SPECIAL = 0o7000
_OWNER = 0o700


class TreeFiles(ConfinedDirectory):
    """A tree below the directory `root`, as ConfinedDirectory, with the entries of its directories."""

    def listing(self, path: str) -> dict[str, os.stat_result]:
        """Return the names in a directory, each with its own state, but hidden files that a process is writing.

        Empty for a missing directory. An entry that is removed meanwhile is left out. Raises ParentIsLink and
        SystemCallError.
        """
        found: dict[str, os.stat_result] = {}
        fd = self._enter(path)
        if fd < 0:
            return found
        try:
            with os.scandir(fd) as listing:
                for entry in listing:
                    if ".ccm-" in entry.name and is_being_written(fd, entry.name):
                        continue
                    try:
                        found[entry.name] = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
        except OSError as error:
            raise self._error("read", path, error) from None
        return found

    def state(self, path: str) -> os.stat_result | None:
        """Return the state of an entry itself, None for nothing. Raises ParentIsLink and SystemCallError."""
        parent, name = self._placed(path)
        try:
            return os.lstat(name, dir_fd=parent) if parent >= 0 else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise self._error("lstat", path, error) from None

    def target(self, path: str) -> str:
        """Return the target of a link. Raises ParentIsLink and SystemCallError."""
        parent, name = self._placed(path)
        try:
            return os.readlink(name, dir_fd=parent)
        except (OSError, ValueError) as error:
            raise self._error("readlink", path, error) from None

    def opened(self, path: str) -> int:
        """Return a descriptor to read a regular file. Raises ParentIsLink, SystemCallError also for another kind."""
        parent, name = self._placed(path)
        try:
            if parent < 0:
                raise FileNotFoundError(errno.ENOENT, "")
            fd = os.open(name, _READ, dir_fd=parent)
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                os.close(fd)
                raise OSError(errno.EINVAL, "")
            return fd
        except (OSError, ValueError) as error:
            raise self._error("open", path, error) from None

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the content of a regular file, piece by piece. Raises as `opened` does."""
        fd = self.opened(path)
        try:
            while True:
                try:
                    chunk = os.read(fd, _CHUNK)
                except OSError as error:
                    raise self._error("read", path, error) from None
                if not chunk:
                    return
                yield chunk
        finally:
            os.close(fd)

    def has_content_of(self, path: str, source: TreeFiles) -> bool:
        """Return whether a regular file has the content of the one at the same path of another tree.

        Both have the same size. Raises as `opened` does, but where this file was removed or replaced meanwhile.
        """
        wanted = source.opened(path)
        try:
            try:
                there = self.opened(path)
            except SystemCallError as error:
                if error.errno in (errno.ENOENT, errno.ELOOP, errno.EINVAL):
                    return False
                raise
            try:
                return _is_same(wanted, there)
            except OSError as error:
                raise self._error("read", path, error) from None
            finally:
                os.close(there)
        finally:
            os.close(wanted)

    def put_file(
        self,
        path: str,
        source: TreeFiles,
        *,
        mode: int,
        uid: int,
        gid: int,
        dropped: Callable[[list[str]], None] | None = None,
    ) -> None:
        """Write the file of the same path of another tree, as `files.write_file` does.

        Raises as that does, ParentIsLink, and MountInTheWay in a mount below the directory of the tree.
        """
        with self._parent(path) as parent:
            chunks = source.chunks(path)
            files.write_in(parent, self._full(path), chunks, mode=mode, uid=uid, gid=gid, dropped=dropped)

    def put_link(self, path: str, target: str, *, uid: int, gid: int) -> None:
        """Write a link as `link_files.write_link` does. Raises as that does, and as `put_file`."""
        with self._parent(path) as parent:
            write_link_in(parent, self._full(path), target, uid=uid, gid=gid)

    def put_directory(self, path: str) -> None:
        """Make a missing directory that only its owner can use until its attributes are set. Raises as `put_file`."""
        with self._parent(path) as parent:
            try:
                os.mkdir(parent.name, _OWNER, dir_fd=parent.fd)
            except FileExistsError:
                self._enter(path)
            except (OSError, ValueError) as error:
                raise self._error("mkdir", path, error) from None

    def give(self, path: str, *, mode: int, uid: int, gid: int, keeps_special_bits: bool = False) -> None:
        """Set the attributes of a file or a directory, as `files.set_attributes` does. Raises as `put_file`."""
        with self._parent(path) as parent:
            kept = _SPECIAL if keeps_special_bits else 0
            files.set_attributes_in(parent, self._full(path), mode, uid, gid, kept)

    def give_link(self, path: str, *, uid: int, gid: int) -> None:
        """Set user and group of a link itself. Raises as `put_file`."""
        with self._parent(path) as parent:
            try:
                give_link_in(parent.name, parent.fd, uid, gid)
            except (OSError, ValueError) as error:
                raise self._error("lchown", path, error) from None

    def remove_all(self, path: str) -> None:
        """Remove a file, a link, or a directory with all below it, as `remove_tree` does. Raises as `put_file`."""
        found = self.state(path)
        if found is None or not stat.S_ISDIR(found.st_mode):
            self.remove(path)
            return
        if self._at == path or self._at.startswith(f"{path}/"):
            self._leave()
        with self._parent(path) as parent:
            remove_tree_in(parent.fd, parent.name, self._full(path))

    def _parent(self, path: str) -> Parent:
        """Return the directory of an entry, open. Raises as `put_file` does."""
        parent, name = self._placed(path)
        if parent < 0:
            raise self._error("open", path, OSError(errno.ENOENT, ""))
        self._require_same_mount(parent, path)
        return Parent(f"/{name}", directory=self._kept(parent))


def _is_same(wanted: int, there: int) -> bool:
    while True:
        chunk = os.read(wanted, _CHUNK)
        if not chunk:
            return not os.read(there, 1)
        # A file system may return less than is asked for.
        at = 0
        while at < len(chunk):
            part = os.read(there, len(chunk) - at)
            if not part or not chunk.startswith(part, at):
                return False
            at += len(part)


def kind_of(mode: int) -> str:
    """Return "a file", "a link", "a directory", "a device", "a named pipe" or "a socket", by a mode."""
    return irregular(mode) or ("a link" if stat.S_ISLNK(mode) else "a file")
