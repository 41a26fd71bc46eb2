# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The mounts of this machine, from the kernel."""

from __future__ import annotations

import os

from .errors import HostError, errno_of, reason_of
from .reading import Reader
from .results import decode

_TABLE = "/proc/self/mountinfo"
_SILENT = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "glusterfs", "fuse", "virtiofs", "proc", "sysfs")
)


class Mount:
    """A mount: options of it and of its file system, as one text each, the source and the kind of file system."""

    def __init__(self, options: str, filesystem: str, source: str, filesystem_options: str) -> None:
        self.options = options
        self.filesystem = filesystem
        self.source = source
        self.filesystem_options = filesystem_options


def mount_at(point: str) -> Mount | None:
    """Return the first mount at a mount point, which is compared as text; None when nothing is mounted there.

    Raises HostError when the kernel's table cannot be read.
    """
    for line in _table():
        before, _dash, after = line.partition(" - ")
        fields, rest = before.split(" "), after.split(" ")
        if len(fields) > 5 and len(rest) > 2 and _unescaped(fields[4]) == point:
            return Mount(fields[5], _unescaped(rest[0]), _unescaped(rest[1]), rest[2])
    return None


def first_mount_below(path: str) -> str | None:
    """Return the first mount point that is a path or below it; None when nothing is mounted there.

    Raises HostError when the kernel's table cannot be read.
    """
    points = (_unescaped(line.split(" ", 5)[4]) for line in _table())
    return next((point for point in points if point == path or point.startswith(path + "/")), None)


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


def _table() -> list[str]:
    with Reader(_TABLE) as reader:
        table = decode(b"".join(reader.chunks()))
    return [line for line in table.split("\n") if line]


def _unescaped(text: str) -> str:
    """Return a field of the table: blanks, line ends and backslashes in it are written as octal numbers."""
    if "\\" not in text:
        return text
    head, *parts = text.split("\\")
    return head + "".join(chr(int(part[:3], 8)) + part[3:] for part in parts)
