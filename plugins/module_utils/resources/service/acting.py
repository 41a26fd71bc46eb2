# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is done to services, and when systemd reads its units again.

`systemctl enable` and `disable` make systemd read all its units, which takes longer than all the rest. Where they only
change what multi-user.target wants, which starts at boot, that is postponed until the services of the run are done.
"""

from __future__ import annotations

from functools import partial

from ...host.errors import HostError
from ...host.results import output_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from ...host.results import Result

_INSTALLING = ("enable", "disable")
_AT_BOOT = "/etc/systemd/system/multi-user.target.wants/"


def act(machine: Machine, verb: str, name: str, is_followed: bool) -> Result:
    """Run `systemctl` with a verb for a unit; `is_followed` when more services of the run come after it."""
    waiting, machine.postponed = machine.postponed, None
    try:
        if verb not in _INSTALLING:
            return machine.run(["systemctl", verb, "--system", "--", name])
        if not is_followed:
            result = machine.run(["systemctl", verb, "--system", "--", name])
            waiting = waiting if result.exit_code else None
            return result
        result = machine.run(["systemctl", verb, "--system", "--no-reload", "--", name])
        waiting = partial(_reload_late, machine)
        if not _is_for_boot(result):
            reload_units(machine)
            waiting = None
        return result
    finally:
        machine.postponed = waiting


def reload_units(machine: Machine) -> None:
    """Make systemd read all its units again; this is then not postponed any more."""
    machine.postponed = None
    machine.run(["systemctl", "daemon-reload"])


def _reload_late(machine: Machine) -> None:
    try:
        reload_units(machine)
    except HostError:
        return  # systemctl is gone, and whoever runs the next command is not the one to be told


def _is_for_boot(result: Result) -> bool:
    """Whether all that was linked or unlinked is what multi-user.target wants."""
    lines = output_lines(result.stderr)
    return bool(lines) and all(_link_in(line).startswith(_AT_BOOT) for line in lines)


def _link_in(line: str) -> str:
    for beginning in ("Created symlink ", "Removed "):
        if line.startswith(beginning):
            return line[len(beginning) :].lstrip("\"'")
    return ""
