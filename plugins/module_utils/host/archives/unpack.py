# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking of zips and tars into a directory, with the results of unzip and tar, completely or not at all.

All is unpacked into a hidden directory next to its place and renamed when it is complete; decisions.md Q62 defines
which entries are refused and how. Memory does not grow with the content of the archive.
"""

from __future__ import annotations

import os
from contextlib import ExitStack

from ..descriptors import write_all
from ..digests import sha256
from ..errors import HostError, SystemCallError
from ..parents import open_directory
from ..processes import umask
from .attributes import Directories
from .entry import ArchiveError, EntryRefused
from .limits import UnpackLimits
from .merging import Merge, mounts_in_the_way
from .opening import entries_of
from .staging import Staging
from .tree import OpenParents, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..owners import Owners
    from ..reading import Reader

_MOST_TOLD = 5
_CODES = {"zip": 1}
_CODES_OF_BOMBS = {"zip": 12}
_CODE = 2


def unpack(
    reader: Reader,
    kind: str,
    directory: str,
    creates: str,
    warn: Callable[[str], None],
    digest: str = "",
    *,
    owners: Owners,
) -> None:
    """Unpack the archive of a reader into `directory`, which is made if missing.

    `kind` is "zip", a key of FORMATS, or "tar" for an archive in any of these formats. The reader is closed at the end.
    With `digest`, a SHA-256 in hexadecimal, only an archive that has it is unpacked, from a copy, as the owner of the
    archive may write to it at any time. The part with the path `creates` is put in place last, and not at all when an
    entry was refused. `warn` is called for content that is unpacked differently from the archive; `owners` are the
    accounts of this machine, for names in the archive. Raises ArchiveError when an entry was refused, after the others
    were put in place, and for an archive that would replace a mount, is damaged or unpacks to too much, of which
    nothing stays; HostError for another digest; LinkNotFollowed and SystemCallError.
    """
    with reader:
        try:
            _Unpacking(reader, kind, warn, owners).run(directory, creates, digest)
        except OSError as error:
            raise SystemCallError("unpack", reader.path, error) from None
        except ValueError as error:  # names that are invalid for system calls
            raise SystemCallError("unpack", directory, error) from None


class _Unpacking:
    def __init__(self, reader: Reader, kind: str, warn: Callable[[str], None], owners: Owners) -> None:
        self._reader = reader
        self._kind = kind
        self._warn = warn
        self._refusals: list[str] = []
        self._refused_in_all = 0
        self._allowance = UnpackLimits(reader.size, _CODES_OF_BOMBS.get(kind, _CODE))
        self._owners = owners if kind != "zip" and os.geteuid() == 0 else None
        # The bits that tar does not set in modes of directories, which may exist already, when a user unpacks.
        self._kept = 0 if self._owners or kind == "zip" else 0o7000

    def run(self, directory: str, creates: str, digest: str) -> None:
        base, prefix = _base(directory, creates)
        last = _creates_paths(base, creates)
        opened = _opened(base)
        try:
            with Staging(opened, base) as staging:
                if digest:
                    _read_from_copy(self._reader, staging.spool(), base, digest)
                directories = Directories(staging.spool())
                try:
                    self._read(staging.fd, directories, prefix)
                    _finish(staging.fd, directories, self._kept)
                    if not self._refused_in_all:
                        self._reader.all_read()
                    self._put_in_place(staging, directories, last)
                finally:
                    directories.close()
        finally:
            os.close(opened)
        if self._refused_in_all:
            raise ArchiveError(self._refusal(), _CODES.get(self._kind, _CODE))

    def _read(self, root: int, directories: Directories, prefix: tuple[bytes, ...]) -> None:
        is_zip = self._kind == "zip"
        bits = 0o7777 if self._owners or is_zip else 0o777 & ~umask()
        tree = Tree(root, self._allowance, directories, owners=self._owners, bits=bits, only_new=is_zip, prefix=prefix)
        with ExitStack() as stack:
            stack.callback(tree.close)
            entries = entries_of(self._reader, self._kind, self._refuse, self._warn, self._allowance, stack)
            for entry in entries:
                self._allowance.entry = entry.name
                try:
                    tree.write(entry, entries.pieces)
                except EntryRefused as error:
                    self._refuse(error)

    def _put_in_place(self, staging: Staging, directories: Directories, last: Sequence[tuple[bytes, ...]]) -> None:
        """Move what was unpacked to its place, nothing of it if some of it would replace a mount."""
        refused = self._refused_in_all
        for error in mounts_in_the_way(staging.fd, staging.base):
            self._refuse(error)
        if self._refused_in_all > refused:
            return
        is_zip = self._kind == "zip"
        merge = Merge(last, directories, self._refuse, withheld=self._refused_in_all > 0, replaces=not is_zip)
        merge.run(staging.fd, staging.base)
        staging.remove()
        if not is_zip:
            _finish_merged(staging.base, directories, self._kept, only_root=not merge.found_existing)

    def _refuse(self, error: EntryRefused) -> None:
        self._refused_in_all += 1
        if len(self._refusals) < _MOST_TOLD:
            self._refusals.append(error.text)

    def _refusal(self) -> str:
        more = self._refused_in_all - len(self._refusals)
        return "; ".join(self._refusals) + (f"; and {more} more" if more else "")


def _read_from_copy(reader: Reader, copy: int, directory: str, digest: str) -> None:
    """Make the reader read from the new file `copy` in `directory`, with the same data, if that has the digest."""
    try:
        left = reader.size
        hasher = sha256(size=left)
        for chunk in reader.chunks():
            hasher.update(chunk)
            write_all(copy, chunk, directory)
            left -= len(chunk)
            if left < 0:  # another process writes to it, perhaps without end
                break
        found = hasher.hexdigest()
        if left or found != digest:
            text = f'{reader.path} has changed since it was checked: checksum "{found}", expected "{digest}"'
            raise HostError(text, path=reader.path)
        os.lseek(copy, 0, os.SEEK_SET)
        os.dup2(copy, reader.fd, inheritable=False)
    finally:
        os.close(copy)


def _base(directory: str, creates: str) -> tuple[str, tuple[bytes, ...]]:
    """Return the existing directory to unpack below, and the parts of the missing path below it.

    If `creates` is the directory itself, or a parent, it may not exist before it is complete.
    """
    if creates and (directory == creates or directory.startswith(creates.rstrip("/") + "/")):
        base = _nearest(directory)
        missing = os.path.relpath(directory, base)
        return base, () if missing == "." else tuple(os.fsencode(missing).split(b"/"))
    os.close(open_directory(directory, mode=0o755))
    return directory, ()


def _opened(base: str) -> int:
    try:
        return open_directory(base, os.O_RDONLY)
    except OSError as error:
        raise SystemCallError("open", base, error) from None


def _nearest(path: str) -> str:
    """Return the path itself, or its nearest existing parent."""
    while not os.path.lexists(path):
        path = os.path.dirname(path) or "."
    return path


def _creates_paths(base: str, creates: str) -> list[tuple[bytes, ...]]:
    """Return the paths of `creates` below `base`: with present links resolved, and as written."""
    found = []
    if creates:
        for at, way in ((os.path.realpath(base), os.path.realpath(creates)), (base, creates)):
            if way.startswith(at.rstrip("/") + "/"):
                found.append(tuple(os.fsencode(os.path.relpath(way, at)).split(b"/")))
    return found


def _finish(root: int, directories: Directories, kept: int) -> None:
    """Set the final attributes of the directories below `root`; replaced directories are skipped."""
    parents = OpenParents(root)
    try:
        for parts, attributes, mtime in directories:
            if parts:
                try:
                    attributes.set_on(_reached(parents, parts), mtime, kept)
                except (EntryRefused, FileNotFoundError):
                    continue
                except OSError as error:
                    raise SystemCallError("chmod", os.fsdecode(b"/".join(parts)), error) from None
    finally:
        parents.close()


def _reached(parents: OpenParents, parts: tuple[bytes, ...]) -> int:
    """Return the directory, open, also when its earlier attributes closed it to this user."""
    try:
        return parents.to(parts)
    except PermissionError:
        os.chmod(parts[-1], 0o700, dir_fd=parents.to(parts[:-1]))
        return parents.to(parts)


def _finish_merged(root: int, directories: Directories, kept: int, *, only_root: bool) -> None:
    """Repeat it if content was moved into existing directories; directories moved as a whole have them."""
    parents = OpenParents(root)
    try:
        for parts, attributes, mtime in directories:
            if only_root and parts:
                continue
            try:
                fd = parents.to(parts)
            except (EntryRefused, FileNotFoundError, PermissionError):
                continue
            try:
                attributes.set_on(fd, mtime, kept)
            except OSError as error:
                raise SystemCallError("chmod", os.fsdecode(b"/".join(parts)), error) from None
    finally:
        parents.close()
