# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for a service that is stopping (decisions.md Q93)."""

from __future__ import annotations

import time

from ...host.results import decode
from ...model.errors import ResourceFailed
from .type import DEACTIVATING, STOPPED, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from ...model.log import Log

_SHORTEST, _LONGEST = 0.05, 1.0
_SECONDS = {
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "month": 2629800.0,
    "y": 31557600.0,
}


def wait_until_stopped(machine: Machine, name: str, log: Log) -> None:
    """Wait until a unit is no longer stopping, at most its TimeoutStopSec and until the deadline of this thread.

    Raises ResourceFailed when it is still stopping after its TimeoutStopSec, HostError at the deadline.
    """
    began, pause = time.monotonic(), _SHORTEST
    while True:
        result = machine.query(["systemctl", "show", "--property=ActiveState,TimeoutStopUSec", "--", name])
        shown = dict(line.partition("=")[::2] for line in decode(result.stdout).split("\n"))
        if shown.get("ActiveState") != DEACTIVATING:
            return
        limit = span_seconds(shown.get("TimeoutStopUSec", ""))
        if pause == _SHORTEST:
            log.info("Waiting for the service, which is stopping", resource=f"{TYPE.name}#{name}")
        left = None if limit is None else began + limit - time.monotonic()
        if left is not None and left <= 0:
            reason = f"its TimeoutStopSec of {shown['TimeoutStopUSec']} has passed"
            shortfall = f"{STOPPED}: service is {DEACTIVATING}, expected {STOPPED}: {reason}"
            raise ResourceFailed(f"failed to reach desired state: {shortfall}")
        machine.pause(machine.within(int(min(pause, left or pause) * 1e9)) / 1e9)
        pause = min(2 * pause, _LONGEST)


def span_seconds(text: str) -> float | None:
    """Return the seconds of a time span as systemd writes it, like `1min 30s`; None for infinity, and for no span."""
    total = 0.0
    for word in text.split():
        unit = word.lstrip("0123456789.")
        number = word[: len(word) - len(unit)]
        if unit not in _SECONDS or not number:
            return None
        total += float(number) * _SECONDS[unit]
    return total or None
