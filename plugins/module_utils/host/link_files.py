# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Symbolic links of this machine: read, written and given to an owner, without what they lead to (behaviour.md 7.2).

A link is made beside its place and renamed, so no program finds the place empty. All steps are relative to the open
directory above.
"""

from __future__ import annotations

import errno
import os
import stat

from .errors import SystemCallError
from .hidden_files import LINK_END, HiddenFile
from .parents import Parent
from .reading import irregular
from .replaceable import NotRegular
from .trees import remove_tree_in

_ENTRY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class FoundEntry:
    """A file of any kind at a path itself: its state `found`, and whether it `is_link`; `target` is "" for others."""

    def __init__(self, found: os.stat_result, target: str) -> None:
        self.found = found
        self.is_link = stat.S_ISLNK(found.st_mode)
        self.target = target


def entry_at(path: str) -> FoundEntry | None:
    """Return the file at a path itself, None for nothing. Raises LinkNotFollowed, and SystemCallError."""
    try:
        with Parent(path) as parent:
            found = os.lstat(parent.name, dir_fd=parent.fd)
            target = os.readlink(parent.name, dir_fd=parent.fd) if stat.S_ISLNK(found.st_mode) else ""
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SystemCallError("lstat", path, error) from None
    return FoundEntry(found, target)


def write_link(path: str, target: str, *, uid: int, gid: int, removes_directory: bool = False) -> None:
    """Put a link to `target`, of this user and group, in the place of `path`; the target need not exist.

    A file or another link is replaced, a directory only with `removes_directory`: it is removed with all below it,
    which a mount in it prevents, when the link is complete. Raises LinkNotFollowed, NotRegular, MountInTheWay, and
    SystemCallError; `path` is then unchanged, unless its directory could be removed only in part.
    """
    try:
        with Parent(path) as parent:
            write_link_in(parent, path, target, uid=uid, gid=gid, removes_directory=removes_directory)
    except (OSError, ValueError) as error:
        raise SystemCallError("symlink", path, error) from None


def write_link_in(
    parent: Parent, path: str, target: str, *, uid: int, gid: int, removes_directory: bool = False
) -> None:
    """Put a link in its place in an open directory, as `write_link` does; `path` is its place in messages."""
    try:
        directory = parent.directory or parent.fd
        with HiddenFile(directory, parent.name) as file, _HiddenLink(parent.fd, file.name + LINK_END, target) as link:
            give_link_in(link.name, parent.fd, uid, gid)
            if removes_directory and stat.S_ISDIR(_mode(parent)):
                remove_tree_in(parent.fd, parent.name, path)
            kind = irregular(_mode(parent))
            if kind:
                text = f"{path} exists as {kind}; cannot replace it by a link"
                raise NotRegular(text, path=path, errno=errno.EINVAL)
            link.put_in_place(parent.name)
    except (OSError, ValueError) as error:
        raise SystemCallError("symlink", path, error) from None


def set_link_owner(path: str, *, uid: int, gid: int) -> None:
    """Set user and group of the link at `path`. Raises LinkNotFollowed, and SystemCallError, also for another file."""
    try:
        with Parent(path) as parent:
            give_link_in(parent.name, parent.fd, uid, gid)
    except (OSError, ValueError) as error:
        raise SystemCallError("lchown", path, error) from None


class _HiddenLink:
    """A new link `name` to `target` in an open directory, within `with`; unless put in place it is removed.

    A link that a killed process left with this name is removed: the caller has locked the hidden file of this name.
    """

    def __init__(self, directory: int, name: str, target: str) -> None:
        self._directory = directory
        self.name = name
        try:
            os.symlink(target, name, dir_fd=directory)
        except FileExistsError:
            os.unlink(name, dir_fd=directory)
            os.symlink(target, name, dir_fd=directory)

    def __enter__(self) -> _HiddenLink:
        return self

    def __exit__(self, *_: object) -> None:
        if self.name:
            try:
                os.unlink(self.name, dir_fd=self._directory)
            except OSError:
                return

    def put_in_place(self, name: str) -> None:
        """Rename it to its place, and replace a file or a link there. Raises OSError."""
        os.rename(self.name, name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self.name = ""


def give_link_in(name: str, directory: int, uid: int, gid: int) -> None:
    """Set user and group of a link in an open directory, but of no other file that another user puts in its place."""
    fd = os.open(name, _ENTRY, dir_fd=directory)
    try:
        found = os.fstat(fd)
        if not stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ESTALE, "")
        if (found.st_uid, found.st_gid) == (uid, gid):
            return
        # The path in /proc is the link itself, which is open.
        handle = f"/proc/self/fd/{fd}"
        if os.path.lexists(handle):
            os.chown(handle, uid, gid)
        else:
            os.chown(name, uid, gid, dir_fd=directory, follow_symlinks=False)
    finally:
        os.close(fd)


def _mode(parent: Parent) -> int:
    """Return the mode of the file at the place, 0 for nothing."""
    try:
        return os.lstat(parent.name, dir_fd=parent.fd).st_mode
    except FileNotFoundError:
        return 0
