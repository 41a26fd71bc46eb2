# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The mounts of this machine, from the kernel."""

from __future__ import annotations

import errno
import os
import select

from .errors import HostError, errno_of, reason_of
from .reading import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection, Container, Iterable, Iterator, Mapping

_TABLE = "/proc/self/mountinfo"
_OPEN_FILES = "/proc/self/fdinfo"
_MOUNT_ID = b"mnt_id:"
_SILENT = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "glusterfs", "fuse", "virtiofs", "proc", "sysfs")
)


class Mount:
    """A mount: options of it and of its file system, as one text each, the source and the kind of file system.

    `point` is where it is mounted, and `root` the path in the file system that is mounted there. `id` and `parent` are
    the kernel's numbers of the mount and of the mount that its point is in.
    """

    def __init__(self, fields: list[str], filesystem: str, source: str, filesystem_options: str) -> None:
        self.id, self.parent = fields[0], fields[1]
        self.root, self.point = _unescaped(fields[3]), _unescaped(fields[4])
        self.options = fields[5]
        self.filesystem = filesystem
        self.source = source
        self.filesystem_options = filesystem_options

    def __str__(self) -> str:
        source = f"{self.source} ({self.filesystem})"
        return source if self.root == "/" else f"{self.root} of {source}"


class MountChanges:
    """The kernel's notices of changes of its table of mounts. Raises OSError where it has none.

    `fileno` is the descriptor that can be read when there is one.
    """

    def __init__(self) -> None:
        self._table = os.open(_TABLE, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._poll = select.epoll()
            # The table itself can be read at any time.
            self._poll.register(self._table, select.EPOLLPRI)
        except OSError:
            os.close(self._table)
            raise
        self._known = self._points()

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._poll.fileno()

    def read(self) -> set[str]:
        """Return the points where something was mounted or unmounted since the last call."""
        self._poll.poll(0)
        before, self._known = self._known, self._points()
        changed = before ^ self._known
        return {os.fsdecode(point.encode("utf-8", "surrogateescape")) for point, *_others in changed}

    def close(self) -> None:
        """Close the descriptors."""
        self._poll.close()
        os.close(self._table)

    def _points(self) -> frozenset[tuple[str, ...]]:
        # The kernel uses the number of a mount that ended again.
        return frozenset((mount.point, mount.id, mount.root, mount.source) for mount in _all())


class ResolvedDirectories:
    """Where the links in directories lead to, as long as no directory may have been replaced."""

    def __init__(self) -> None:
        self._resolved: dict[str, str] = {}

    def forget(self) -> None:
        """Resolve all again: a directory may have been replaced."""
        self._resolved.clear()

    def resolved(self, path: str, *, is_directory: bool) -> str:
        """Return a path as the table has it; the links of a directory itself are resolved, too."""
        directory, name = (path.rstrip("/"), "") if is_directory else os.path.split(path)
        if directory not in self._resolved:
            try:
                self._resolved[directory] = with_resolved_parents(f"{directory}/.")[:-2]
            except RecursionError:
                self._resolved[directory] = directory  # a chain of links that the kernel does not follow
        return f"{self._resolved[directory]}/{name}"


class KnownMounts:
    """The mounts that one run knows, where the kernel refuses what outdated ones do not."""

    def __init__(self) -> None:
        self._read: tuple[object, list[Mount], set[str]] | None = None

    def on(self, paths: Collection[str], epoch: object) -> tuple[str, Mount] | None:
        """Return what `mount_on` does. The table is read once in each epoch of the machine."""
        read = self._read
        if read is None or read[0] is not epoch:
            mounts = _all()
            self._read = read = epoch, mounts, {os.path.basename(mount.point) for mount in mounts}
        return mount_on(paths, read[1]) if any(os.path.basename(path) in read[2] for path in paths) else None


class MountInTheWay(HostError):
    """A removal came to a mount, which it does not enter (decisions.md Q91)."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"cannot remove {path}: {reason}; unmount it first", path=path, errno=errno.EBUSY)


def mount_at(point: str) -> Mount | None:
    """Return the first mount at a mount point, which is compared as text; None when nothing is mounted there.

    Raises HostError when the kernel's table cannot be read.
    """
    return next((mount for mount in _mounts() if mount.point == point), None)


def mounts_below(path: str) -> list[Mount]:
    """Return the mounts at a path and below it; none when the kernel's table cannot be read.

    Links in the path are followed first, but not one at the path itself. Mounts that another mount covers are left out.
    """
    top = with_resolved_parents(path)
    below = top.rstrip("/") + "/"
    return _uncovered(lambda point: point == top or point.startswith(below))


def mount_on(paths: Collection[str], known: list[Mount] | None = None) -> tuple[str, Mount] | None:
    """Return the first of these paths that is a mount point, with its mount, else None; links as in `mounts_below`.

    `known` are all mounts, else they are read.
    """
    names = {os.path.basename(path) for path in paths}
    mounts = {mount.point: mount for mount in _uncovered(lambda point: os.path.basename(point) in names, known)}
    found = ((path, mounts.get(with_resolved_parents(path))) for path in paths if mounts)
    return next(((path, mount) for path, mount in found if mount), None)


def mounts_over(paths: Iterable[str]) -> list[tuple[Mount, list[str]]]:
    """Return the mounts at these paths and above them, each with its paths, but not the mounts of the root directory.

    Links as in `mounts_below`.
    """
    over: dict[str, list[str]] = {}
    for path in paths:
        above = with_resolved_parents(path)
        while above != "/":
            over.setdefault(above, []).append(path)
            above = os.path.dirname(above)
    return [(mount, over[mount.point]) for mount in _uncovered(over.__contains__)]


def with_resolved_parents(path: str) -> str:
    """Return a path with the links in its directories resolved, as the table has it."""
    directory, name = os.path.split(path.rstrip("/") or "/")
    return os.fsencode(os.path.join(os.path.realpath(directory), name)).decode("utf-8", "surrogateescape")


def border_of(fd: int) -> tuple[str, int]:
    """Return what two open directories have in common if no mount is between them.

    It is the kernel's number of the mount, and the device where /proc does not have it.
    """
    try:
        info = os.open(f"{_OPEN_FILES}/{fd}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            lines = os.read(info, 1024).split(b"\n")
        finally:
            os.close(info)
    except OSError:
        lines = []
    number = next((int(line[len(_MOUNT_ID) :]) for line in lines if line.startswith(_MOUNT_ID)), None)
    return ("device", os.fstat(fd).st_dev) if number is None else ("mount", number)


def silent_filesystems() -> list[tuple[str, str]]:
    """Return the mount points of file systems that do not report what other machines change, with their kinds.

    Empty when the kernel's table cannot be read.
    """
    try:
        table = _table()
    except HostError:
        return []
    found = []
    for line in table:
        before, _dash, after = line.partition(" - ")
        fields, kind = before.split(" "), _unescaped(after.split(" ")[0])
        if len(fields) > 4 and (kind in _SILENT or kind.startswith("fuse.")):
            found.append((_unescaped(fields[4]), kind))
    return found


def usage(point: str) -> int:
    """Return how much of the file system at a path is used, in percent. Raises HostError."""
    try:
        found = os.statvfs(point)
    except (OSError, ValueError) as error:
        raise HostError(reason_of(errno_of(error)), path=point, errno=errno_of(error)) from None
    return int((1 - found.f_bfree / found.f_blocks) * 100 + 0.5) if found.f_blocks else 0


def _mounts() -> Iterator[Mount]:
    for line in _table():
        before, _dash, after = line.partition(" - ")
        fields, rest = before.split(" "), after.split(" ")
        if len(fields) > 5 and len(rest) > 2:
            yield Mount(fields, _unescaped(rest[0]), _unescaped(rest[1]), rest[2])


def _all() -> list[Mount]:
    """Return all mounts; none without a table of mounts."""
    try:
        return list(_mounts())
    except HostError:
        return []


def _uncovered(is_wanted: Callable[[str], bool], known: list[Mount] | None = None) -> list[Mount]:
    """Return the mounts at wanted points except covered ones."""
    mounts = _all() if known is None else known
    wanted = [mount for mount in mounts if is_wanted(mount.point)]
    if not wanted:
        return wanted
    by_id = {mount.id: mount for mount in mounts}
    places = {(mount.parent, mount.point) for mount in mounts if mount.parent != mount.id}
    return [mount for mount in wanted if not _is_covered(mount, by_id, places)]


def _is_covered(mount: Mount, by_id: Mapping[str, Mount], places: Container[tuple[str, str]]) -> bool:
    """Return whether another mount lies on this one or on a directory on the way to it.

    `by_id` are all mounts, `places` their parents with their points.
    """
    if (mount.id, mount.point) in places:
        return True
    while True:
        above = mount.point
        while above != "/":
            above = os.path.dirname(above)
            if (mount.parent, above) in places:
                return True
        parent = by_id.get(mount.parent)
        if parent is None or parent is mount:
            return False
        mount = parent


def _table() -> list[str]:
    with Reader(_TABLE) as reader:
        table = b"".join(reader.chunks()).decode("utf-8", "surrogateescape")
    return [line for line in table.split("\n") if line]


def _unescaped(text: str) -> str:
    """Return a field of the table: blanks, line ends and backslashes in it are written as octal numbers."""
    if "\\" not in text:
        return text
    head, *parts = text.split("\\")
    return head + "".join(chr(int(part[:3], 8)) + part[3:] for part in parts)
