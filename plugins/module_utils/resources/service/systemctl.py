# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of systemctl that change units, and when systemd reads its units again (decisions.md Q21-Q23)."""

from __future__ import annotations

from functools import partial

from ...host.errors import HostError
from ...host.results import output_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from ...host.results import Result

_CHANGING_LINKS = ("enable", "disable")
_MULTI_USER_WANTS = "/etc/systemd/system/multi-user.target.wants/"


def act(machine: Machine, verb: str, name: str, more_follow: bool) -> Result:
    """Run `systemctl` with a verb for a unit; with `more_follow` more services of the run may come after it."""
    with machine.lock:
        waiting, machine.postponed = machine.postponed, None
    try:
        if verb not in _CHANGING_LINKS:
            return machine.run(["systemctl", verb, "--system", "--", name])
        if not more_follow:
            result = machine.run(["systemctl", verb, "--system", "--", name])
            waiting = waiting if result.exit_code else None
            return result
        result = machine.run(["systemctl", verb, "--system", "--no-reload", "--", name])
        waiting = partial(_reload_late, machine)
        if not _changes_only_multi_user(result):
            reload_units(machine)
            waiting = None
        return result
    finally:
        if waiting is not None:
            machine.postponed = waiting


def reload_units(machine: Machine) -> None:
    """Make systemd read all its units again; this is then no longer postponed."""
    machine.postponed = None
    machine.run(["systemctl", "daemon-reload"])


def _reload_late(machine: Machine) -> None:
    try:
        reload_units(machine)
    except HostError:
        return  # systemctl is missing; the next command of the run must not fail for it


def _changes_only_multi_user(result: Result) -> bool:
    """Return whether all changed links are in multi-user.target.wants; these matter at boot only: a reload can wait."""
    lines = output_lines(result.stderr)
    return bool(lines) and all(_link_in(line).startswith(_MULTI_USER_WANTS) for line in lines)


def _link_in(line: str) -> str:
    for beginning in ("Created symlink ", "Removed "):
        if line.startswith(beginning):
            return line[len(beginning) :].lstrip("\"'")
    return ""
