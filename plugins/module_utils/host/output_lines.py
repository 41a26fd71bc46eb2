# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A command that goes on running, and whose lines of output mean something."""

from __future__ import annotations

import os
import signal
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

_BLOCK = 64 * 1024
#: How long it may take to end before it is killed, in seconds.
_FAREWELL = 1.0


class RunningCommand:
    """A command in a process group of its own; `fd` can be read when it wrote something. Raises OSError."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        self._asked_at: float | None = None
        output = self._process.stdout
        self.fd = output.fileno() if output else -1
        os.set_blocking(self.fd, False)

    def read(self) -> int | None:
        """Return the number of lines that it wrote since the last call; None when it has ended."""
        try:
            data = os.read(self.fd, _BLOCK)
        except BlockingIOError:
            return 0
        return data.count(b"\n") if data else None

    def ask_to_end(self) -> None:
        """Send it and the processes that it started SIGTERM, once."""
        if self._asked_at is None:
            self._asked_at = time.monotonic()
            self._signal(signal.SIGTERM)

    def end(self) -> None:
        """End it and the processes that it started; a second after it was asked to end they are killed."""
        self.ask_to_end()
        left = (self._asked_at or 0) + _FAREWELL - time.monotonic()
        if not self._has_ended(max(left, 0)):
            self._signal(signal.SIGKILL)
            self._has_ended(_FAREWELL)
        if self._process.stdout:
            self._process.stdout.close()

    def _has_ended(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._process.pid, number)
        except OSError:
            return  # it has ended
