# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a service reports of itself to systemd (sd_notify), without a library."""

from __future__ import annotations

import socket
from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

READY, STOPPING, WATCHDOG = "READY=1", "STOPPING=1", "WATCHDOG=1"
_MICROSECOND = 1000


class ServiceManager:
    """The manager of this process, when it was started by one; else nothing is sent."""

    def __init__(self, environ: Mapping[str, str], pid: int) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        for_this = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
        digits = environ.get("WATCHDOG_USEC", "")
        self._period = int(digits) / 1_000_000 if self._address and for_this and digits.isdecimal() else 0.0

    @property
    def ping_seconds(self) -> float:
        """How often it expects a sign of life, 0 for never: twice as often as it must come."""
        return self._period / 2

    def report(self, *lines: str) -> None:
        """Report what changed; a manager that does not answer is no error."""
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as manager:
                manager.setblocking(False)
                manager.sendto("\n".join(lines).encode(), self._address)
        except (OSError, ValueError):
            return

    def reloading(self) -> None:
        """Report that the configuration is read again; READY ends that."""
        self.report("RELOADING=1", f"MONOTONIC_USEC={monotonic_ns() // _MICROSECOND}")
