# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A command that goes on running, and whose lines of output mean something."""

from __future__ import annotations

import os
import signal
import subprocess

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

    def end(self) -> None:
        """End it and the processes that it started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(_FAREWELL)
            except (OSError, subprocess.TimeoutExpired):
                continue
            break
        if self._process.stdout:
            self._process.stdout.close()
