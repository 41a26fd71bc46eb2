# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries written below a directory, which none of them can leave (decisions.md Q62).

Every step is relative to an open directory and follows no link, so neither names nor links lead out.
"""

from __future__ import annotations

import errno
import os
import stat

from ..descriptors import write_bytes
from ..errors import SystemCallError, reason_of
from .attributes import ArchiveOwners, Attributes, set_time
from .entry import DIRECTORY, FILE, LINK, Entry, EntryRefused, Paths, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from ..owners import Owners
    from .attributes import Directories
    from .entry import Access
    from .limits import UnpackLimits

OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_ATTRIBUTES = 500
# Errors of one entry, not of the machine.
_OF_THE_ENTRY = {
    errno.EEXIST, errno.EFBIG, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.EMLINK,
    errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EOVERFLOW, errno.EPERM,
}  # fmt: skip


class OpenParents:
    """The open directories from `root` down to the directory that is written to."""

    def __init__(self, root: int, made: Callable[[], None] | None = None) -> None:
        self._made = made
        self._root = root
        self._trail: list[tuple[bytes, int]] = []

    def to(self, parts: tuple[bytes, ...], name: bytes = b"") -> int:
        """Open the directory below the root, making missing ones where permitted; `name` is the entry, for errors.

        Raises EntryRefused where a link or a file is among the parents, FileNotFoundError.
        """
        kept = 0
        for (known, _fd), part in zip(self._trail, parts):
            if known != part:
                break
            kept += 1
        self._cut(kept)
        for part in parts[kept:]:
            self._trail.append((part, self._enter(self.fd, part, name)))
        return self.fd

    @property
    def fd(self) -> int:
        """The directory that was opened last."""
        return self._trail[-1][1] if self._trail else self._root

    def close(self) -> None:
        """Close all but the root."""
        self._cut(0)

    def _cut(self, kept: int) -> None:
        while len(self._trail) > kept:
            os.close(self._trail.pop()[1])

    def _enter(self, above: int, part: bytes, name: bytes) -> int:
        try:
            return os.open(part, OPEN_DIRECTORY, dir_fd=above)
        except FileNotFoundError:
            if self._made is None:
                raise
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
            is_link = stat.S_ISLNK(os.lstat(part, dir_fd=above).st_mode)
            what = "the link" if is_link else "what is a file,"
            raise EntryRefused(name, f"it would be written through {what} {shown(part)}") from None
        self._made()
        os.mkdir(part, dir_fd=above)
        return os.open(part, OPEN_DIRECTORY, dir_fd=above)


class Tree:
    """The directory `root`, open, that entries are written to.

    `owners` are the accounts of this machine, None where owners are not set; `bits` are the bits of modes that are set.
    `prefix` comes before the parts of every entry. The final attributes of directories are left to `directories`: until
    then they are writable. Without it they stay so. With `only_new` a directory of an earlier entry keeps its
    attributes.
    """

    def __init__(
        self,
        root: int,
        allowance: UnpackLimits,
        directories: Directories | None,
        *,
        owners: Owners | None,
        bits: int,
        only_new: bool,
        prefix: tuple[bytes, ...] = (),
    ) -> None:
        self._allowance = allowance
        self._directories = directories
        self._only_new = only_new
        self._prefix = prefix
        self._owners = ArchiveOwners(owners) if owners else None
        self._parents = OpenParents(root, allowance.count)
        self._bits = bits
        self._user = os.geteuid()
        self._attributes: dict[Access, Attributes] = {}
        # The directory of the last entry, and the attributes that new files in it have at once.
        self._above: tuple[bytes, ...] | None = None
        self._given: set[Attributes] = set()
        # The directory of the last target of a hard link.
        self._targets = OpenParents(root)
        self._target_paths = Paths()

    def close(self) -> None:
        """Close the open directories."""
        self._parents.close()
        self._targets.close()

    def write(self, entry: Entry, pieces: Callable[[], Iterable[memoryview]]) -> None:
        """Write an entry; `pieces` gives a file's data.

        Raises EntryRefused when only this entry cannot be written, SystemCallError when the machine refuses.
        """
        try:
            self._write(entry, pieces)
        except OSError as error:
            if error.errno in _OF_THE_ENTRY:
                raise EntryRefused(entry.name, reason_of(error.errno or 0)) from None
            raise SystemCallError("unpack", shown(entry.name), error) from None

    def _write(self, entry: Entry, pieces: Callable[[], Iterable[memoryview]]) -> None:
        attributes = self._attributes.get(entry.access) or self._attributes_of(entry.access)
        leaf = entry.leaf
        if not leaf and entry.kind != DIRECTORY:
            raise EntryRefused(entry.name, "it would take the place of the directory itself")
        above = self._directory(entry)
        if not leaf:
            self._leave(self._prefix, attributes, entry.mtime)
            return
        self._allowance.count()
        if entry.kind == FILE:
            self._store(entry, above, attributes, pieces)
        elif entry.kind == DIRECTORY:
            if self._made_directory(above, leaf) or not self._only_new:
                self._leave((*self._prefix, *entry.above, leaf), attributes, entry.mtime)
        elif entry.kind == LINK:
            try:
                os.symlink(entry.target, leaf, dir_fd=above)
            except FileExistsError:
                self._remove(above, leaf)
                os.symlink(entry.target, leaf, dir_fd=above)
            attributes.set_on_link(leaf, above, entry.mtime)
        else:
            self._link(entry, above)

    def _directory(self, entry: Entry) -> int:
        """Return the directory of an entry, open."""
        if entry.above is not self._above:
            self._above = None
            self._parents.to(self._prefix + entry.above, entry.name)
            self._above = entry.above
            self._given.clear()
        return self._parents.fd

    def _leave(self, parts: tuple[bytes, ...], attributes: Attributes, mtime: int | None) -> None:
        if self._directories is not None:
            self._directories.add(parts, attributes, mtime)

    def _attributes_of(self, access: Access) -> Attributes:
        """Return the attributes, and keep them for the next entry with the same."""
        uid = gid = None
        if self._owners is not None and access.uid is not None and access.gid is not None:
            uid = self._owners.user(access.user, access.uid)
            gid = self._owners.group(access.group, access.gid)
        if len(self._attributes) >= _MOST_ATTRIBUTES:
            self._attributes.clear()
            self._given.clear()
        attributes = Attributes(None if access.mode is None else access.mode & self._bits, uid, gid)
        self._attributes[access] = attributes
        return attributes

    def _made_directory(self, above: int, name: bytes) -> bool:
        try:
            os.mkdir(name, 0o700, dir_fd=above)
        except FileExistsError:
            if stat.S_ISDIR(os.lstat(name, dir_fd=above).st_mode):
                return False
            os.unlink(name, dir_fd=above)
            os.mkdir(name, 0o700, dir_fd=above)
        return True

    def _remove(self, above: int, name: bytes) -> None:
        """Remove an earlier entry, unless it is a directory with content."""
        self._targets.close()  # it may be one of these directories
        remove(above, name)

    def _link(self, entry: Entry, above: int) -> None:
        target, name = self._target_paths.split(entry.target), entry.leaf
        if not target[1] or b".." in (*target[0], target[1]):
            raise EntryRefused(
                entry.name, f"it is a hard link to {shown(entry.target)}, which leads out of the archive"
            )
        try:
            beside = self._targets.to(self._prefix + target[0], entry.name)
            try:
                os.link(target[1], name, src_dir_fd=beside, dst_dir_fd=above, follow_symlinks=False)
            except FileExistsError:
                if not _are_same(beside, target[1], above, name):
                    remove(above, name)
                    os.link(target[1], name, src_dir_fd=beside, dst_dir_fd=above, follow_symlinks=False)
        except FileNotFoundError:
            text = f"it is a hard link to {shown(entry.target)}, which did not come before it"
            raise EntryRefused(entry.name, text) from None

    def _store(
        self, entry: Entry, above: int, attributes: Attributes, pieces: Callable[[], Iterable[memoryview]]
    ) -> None:
        name, mode = entry.leaf, attributes.first_mode
        try:
            fd = os.open(name, _CREATE, mode, dir_fd=above)
        except FileExistsError:
            self._remove(above, name)
            fd = os.open(name, _CREATE, mode, dir_fd=above)
        try:
            if entry.extents is None:
                for piece in pieces():
                    written = os.write(fd, piece)
                    if written < len(piece):
                        write_bytes(fd, piece[written:])
            else:
                _write_extents(fd, entry, pieces())
            self._complete(fd, attributes, entry.mtime)
        except BaseException:
            os.unlink(name, dir_fd=above)
            raise
        finally:
            os.close(fd)

    def _complete(self, fd: int, attributes: Attributes, mtime: int | None) -> None:
        """Set the attributes of a new file, but not attributes that an earlier file got when it was made."""
        if attributes not in self._given:
            if not attributes.are_on(fd, self._user):
                attributes.set_on(fd, mtime)
                return
            self._given.add(attributes)
        if mtime is not None:
            set_time(fd, mtime)


def remove(above: int, name: bytes) -> None:
    """Remove an empty directory, or anything but a directory. Raises OSError."""
    if stat.S_ISDIR(os.lstat(name, dir_fd=above).st_mode):
        os.rmdir(name, dir_fd=above)
    else:
        os.unlink(name, dir_fd=above)


def _are_same(beside: int, target: bytes, above: int, name: bytes) -> bool:
    """Return whether two names are of the same file."""
    found, other = os.lstat(target, dir_fd=beside), os.lstat(name, dir_fd=above)
    return (found.st_dev, found.st_ino) == (other.st_dev, other.st_ino)


def _write_extents(fd: int, entry: Entry, pieces: Iterable[memoryview]) -> None:
    """Write the data of a sparse file to its places, and set its length."""
    extents = iter(entry.extents or ())
    left, end = 0, 0
    for piece in pieces:
        while piece:
            while not left:
                offset, left = next(extents, (-1, 0))
                if offset < 0:
                    raise EntryRefused(entry.name, "it holds more than its map lists")
                os.lseek(fd, offset, os.SEEK_SET)
            part = piece[:left]
            write_bytes(fd, part)
            piece = piece[len(part) :]
            left -= len(part)
    for offset, size in entry.extents or ():
        end = max(end, offset + size)
    os.ftruncate(fd, end)
