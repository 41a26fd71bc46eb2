# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How much an archive may unpack to (decisions.md Q62)."""

from __future__ import annotations

from .entry import ArchiveError, shown

#: The most files and directories of an archive.
MOST_ENTRIES = 250_000
#: The bytes that every archive may unpack to, and how many times its size a larger one may.
ALWAYS = 64 * 1024 * 1024
TIMES = 100


class UnpackLimits:
    """What remains for an archive of `size` bytes. `entry` is the name that is being unpacked, for messages."""

    def __init__(self, size: int, code: int) -> None:
        self.entry = b""
        self._bytes = ALWAYS + TIMES * size
        self._entries = MOST_ENTRIES
        self._code = code

    def take(self, size: int) -> None:
        """Subtract `size` bytes. Raises ArchiveError when they are too many."""
        self._bytes -= size
        if self._bytes < 0:
            reason = f"the archive unpacks to more than {TIMES} times its size"
            raise ArchiveError(f"{shown(self.entry)}: {reason}" if self.entry else reason, self._code)

    def count(self) -> None:
        """Subtract one file or directory. Raises ArchiveError when they are too many."""
        self._entries -= 1
        if self._entries < 0:
            raise ArchiveError(
                f"{shown(self.entry)}: the archive holds more than {MOST_ENTRIES} files and directories", self._code
            )
