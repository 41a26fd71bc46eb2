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
        if not entry.isdigit():
            continue
        try:
            with Reader(f"/proc/{entry}/stat") as reader:
                line = decode(reader.read())
        except HostError:
            continue  # it has ended meanwhile
        names.add(line.partition("(")[2].partition(")")[0])
    return names


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
