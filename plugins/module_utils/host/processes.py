# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The programs that run on this machine."""

from __future__ import annotations

import os

from .errors import HostError
from .reading import Reader
from .results import decode


def running() -> set[str]:
    """Return the names of the processes; the kernel keeps at most 15 characters of each."""
    names = set()
    for entry in os.listdir("/proc"):
        stat = stat_of(entry) if entry.isdecimal() else None
        if stat is not None:
            names.add(stat[0])
    return names


def stat_of(pid: int | str) -> tuple[str, list[str]] | None:
    """Return the name that the kernel keeps of a process, and the fields of its `stat` after that; None when it ended.

    The name may hold blanks and parentheses.
    """
    try:
        with Reader(f"/proc/{pid}/stat") as reader:
            line = decode(reader.read())
    except HostError:
        return None
    name, _close, rest = line.partition("(")[2].rpartition(")")
    return name, rest.split()


_UIDS = b"Uid:"


def of_user(uid: int) -> list[tuple[int, str]]:
    """Return the ids and names of the processes of a user, with the same root directory, as shadow does."""
    number, own = str(uid).encode(), os.stat("/")
    found = []
    for pid in sorted(map(int, filter(str.isdecimal, os.listdir("/proc")))):
        try:
            with open(f"/proc/{pid}/status", "rb") as file:
                uids = next((line.split()[1:4] for line in file if line.startswith(_UIDS)), [])
        except OSError:
            continue
        if number in uids and _has_root(pid, own):
            stat = stat_of(pid)
            if stat is not None:
                found.append((pid, stat[0]))
    return found


def _has_root(pid: int, root: os.stat_result) -> bool:
    try:
        found = os.stat(f"/proc/{pid}/root")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return (found.st_dev, found.st_ino) == (root.st_dev, root.st_ino)


_UMASK = b"Umask:"
#: For kernels before 4.7, which do not report it: new files are then only for their owner.
_CLOSED_UMASK = 0o077


def umask() -> int:
    """Return the bits that modes of new files do not get; read, as setting it would change it for other threads."""
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(_UMASK):
                    return int(line[len(_UMASK) :], 8)
    except (OSError, ValueError):
        pass
    return _CLOSED_UMASK
