# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is done to services, and when systemd reads its units again.

`systemctl enable` and `disable` make systemd read all its units, which takes longer than all the rest. Where they only
change what multi-user.target wants, which starts at boot, that may wait until the services of the run are done: it is
owed, and is done before any other command and at the end of the run.
"""

from __future__ import annotations

from ...host import postponed
from ...host.commands import run
from ...host.errors import HostError
from ...host.results import output_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.results import Result

_INSTALLING = ("enable", "disable")
_AT_BOOT = "/etc/systemd/system/multi-user.target.wants/"


def act(verb: str, name: str, is_followed: bool) -> Result:
    """Run `systemctl` with a verb for a unit; `is_followed` when more services of the run come after it."""
    owed = postponed.waive()
    try:
        if verb not in _INSTALLING:
            return run(["systemctl", verb, "--system", "--", name])
        if not is_followed:
            result = run(["systemctl", verb, "--system", "--", name])
            owed = owed and result.exit_code != 0
            return result
        result = run(["systemctl", verb, "--system", "--no-reload", "--", name])
        owed = True
        if not _is_for_boot(result):
            reload_units()
            owed = False
        return result
    finally:
        if owed:
            postponed.owe(_pay)


def reload_units() -> None:
    """Make systemd read all its units again, which is then owed no more."""
    postponed.waive()
    run(["systemctl", "daemon-reload"])


def _pay() -> None:
    try:
        reload_units()
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
