# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What Linux says of this process."""

from __future__ import annotations

_UMASK = b"Umask:"
#: For kernels before 4.7, which do not say: what is made is then its owner's alone.
_CLOSED_UMASK = 0o077


def umask() -> int:
    """The bits that modes of new files do not get; read, as setting it would change it for other threads."""
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(_UMASK):
                    return int(line[len(_UMASK) :], 8)
    except (OSError, ValueError):
        pass
    return _CLOSED_UMASK
