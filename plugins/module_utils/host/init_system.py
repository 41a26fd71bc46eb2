# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether services run and start at boot, from systemd, or from init scripts without systemd."""

from __future__ import annotations

import glob

from .command_errors import CommandError
from .distribution import distribution
from .programs import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .machine import Machine


def is_running(machine: Machine, service: str) -> bool:
    """Return whether a service runs; one with a slash in its name does not."""
    if _has_systemd():
        return "/" not in service and _succeeds(machine, "systemctl", "-q", "is-active", service)
    return "/" not in service and _succeeds(machine, "service", service, "status")


def is_enabled(machine: Machine, service: str) -> bool:
    """Return whether a service starts at boot."""
    if _has_systemd():
        return "/" not in service and _succeeds(machine, "systemctl", "-q", "is-enabled", service)
    return bool(runlevels(service))


def runlevels(service: str) -> list[str] | None:
    """Return the names of the run levels in which an init script is started; None where there are no run levels."""
    if "/" in service or _has_systemd():
        return None
    name = glob.escape(service)
    if distribution() == "alpine":
        return [path.split("/")[3] for path in sorted(glob.glob(f"/etc/runlevels/*/{name}"))]
    paths = sorted(glob.glob(f"/etc/rc[0-9]*.d/S[0-9][0-9]{name}"))
    return [path.split("/")[2][2:-2] for path in paths]


def _has_systemd() -> bool:
    return not missing(["systemctl"])


def _succeeds(machine: Machine, *argv: str) -> bool:
    try:
        return machine.query(argv).exit_code == 0
    except CommandError:
        return False
