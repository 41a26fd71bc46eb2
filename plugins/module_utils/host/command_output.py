# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The output of a command, read until a deadline."""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

#: Bytes that are kept of stdout, and as many of stderr, so that an endless command does not take all memory.
MOST_PRINTED = 64 << 20
_CHUNK = 64 * 1024
_LONGEST_POLL_MS = 24 * 60 * 60 * 1000


class Deadline:
    """The end of a command's time, `timeout` ns from now; None, 0 and less are no limit.

    `late` is for a command that must not be killed then: it is called with its `pid`, and gives more time, in ns.
    """

    def __init__(self, timeout: int | None, late: Callable[[int], int] | None = None) -> None:
        self._at = time.monotonic_ns() + timeout if timeout and timeout > 0 else None
        self._late = late
        self.pid = 0

    def left(self) -> int | None:
        """Return the ns that are left, 0 or less when the command is to be killed, None without a limit."""
        if self._at is None:
            return None
        left = self._at - time.monotonic_ns()
        if left <= 0 and self._late:
            left = self._late(self.pid)
            self._at = time.monotonic_ns() + left
        return left

    def left_ms(self) -> int | None:
        """Return the ms that are left, for `poll`; 0 when the command is to be killed, None without a limit."""
        left = self.left()
        return None if left is None else min(-(-max(left, 0) // 1_000_000), _LONGEST_POLL_MS)

    def earlier(self, duration: int) -> Deadline:
        """Return the end of a duration in ns that begins now, or this one where it comes before; without `late`."""
        found, end = Deadline(None), time.monotonic_ns() + duration
        found._at = end if self._at is None else min(end, self._at)
        return found

    def rest(self, duration: int) -> Deadline:
        """Return the end of a duration in ns that begins now, which leaves at least half of the time."""
        if self._at is None:
            return self.earlier(duration)
        return self.earlier(min(duration, max(self._at - time.monotonic_ns(), 0) // 2))


def is_readable(descriptor: int, deadline: Deadline) -> bool:
    """Wait until a descriptor can be read; False when the time was over first."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    while True:
        poll_ms = deadline.left_ms()
        if poller.poll(poll_ms):
            return True
        if poll_ms == 0:
            return False


class Output:
    """What a command writes, the first MOST_PRINTED of each descriptor."""

    def __init__(self, readers: Iterable[int]) -> None:
        self._chunks: dict[int, list[bytes]] = {reader: [] for reader in readers}
        self._room = dict.fromkeys(self._chunks, MOST_PRINTED)
        self._unfinished = len(self._chunks)
        self._poller = select.poll()
        for reader in self._chunks:
            self._poller.register(reader, select.POLLIN)

    def read_from(self, reader: int) -> bytes:
        """Return what was read of one descriptor."""
        return b"".join(self._chunks[reader])

    def read(self, deadline: Deadline, exit_descriptor: int = -1) -> bool:
        """Read until every descriptor is closed at its other end.

        False when the time was over first, or `exit_descriptor` can be read.
        """
        if exit_descriptor < 0:
            return self._read(deadline, exit_descriptor)
        self._poller.register(exit_descriptor, select.POLLIN)
        try:
            return self._read(deadline, exit_descriptor)
        finally:
            self._poller.unregister(exit_descriptor)

    def _read(self, deadline: Deadline, exit_descriptor: int) -> bool:
        while self._unfinished:
            poll_ms = deadline.left_ms()
            if poll_ms == 0:
                return False
            has_exited = False
            for reader, _event in self._poller.poll(poll_ms):
                if reader == exit_descriptor:
                    has_exited = True
                    continue
                chunk = os.read(reader, _CHUNK)
                room = self._room[reader]
                if not chunk:
                    self._poller.unregister(reader)
                    self._unfinished -= 1
                elif room:
                    self._chunks[reader].append(chunk[:room])
                    self._room[reader] -= len(self._chunks[reader][-1])
            if has_exited:
                return not self._unfinished
        return True
