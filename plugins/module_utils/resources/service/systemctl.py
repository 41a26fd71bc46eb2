# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of systemctl that change units, and when systemd reads its units again (decisions.md Q21-Q23)."""

from __future__ import annotations

import os

from ...host.errors import HostError
from ...host.results import decode, output_lines
from .unitfiles import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from ...host.results import Result
    from .units import Unit

_CHANGING_LINKS = ("enable", "disable", "reenable")
_CREATED, _REMOVED = "Created symlink ", "Removed "
_MULTI_USER_WANTS = "/etc/systemd/system/multi-user.target.wants/"


class Systemctl:
    """`systemctl` of a machine, and what its output says."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def act(self, verb: str, name: str, more_follow: bool, options: Sequence[str] = ()) -> Result:
        """Run `systemctl` with a verb for a unit; with `more_follow` more services of the run may come after it."""
        with self._machine.lock:
            waiting, self._machine.postponed = self._machine.postponed, None
        try:
            if verb not in _CHANGING_LINKS:
                return self._machine.run(["systemctl", verb, "--system", *options, "--", name])
            if not more_follow:
                result = self._machine.run(["systemctl", verb, "--system", *options, "--", name])
                waiting = waiting if result.exit_code else None
                return result
            result = self._machine.run(["systemctl", verb, "--system", "--no-reload", *options, "--", name])
            waiting = self._reload_late
            if not _changes_only_multi_user(result):
                self.reload_units()
                waiting = None
            return result
        finally:
            if waiting is not None:
                self._machine.postponed = waiting

    def reload_units(self) -> None:
        """Make systemd read all its units again; this is then no longer postponed."""
        self._machine.postponed = None
        self._machine.run(["systemctl", "daemon-reload"])

    def _reload_late(self) -> None:
        try:
            self.reload_units()
        except HostError:
            return  # systemctl is missing; the next command of the run must not fail for it

    def is_enabled_at_runtime(self, name: str) -> bool:
        """Return whether a unit is enabled only until the next boot."""
        result = self._machine.query(["systemctl", "is-enabled", "--system", "--", name])
        return decode(result.stdout).strip() == "enabled-runtime"

    @staticmethod
    def is_linked(unit: Unit) -> bool:
        """Return whether the file of a unit is elsewhere: `systemctl disable` makes systemd forget such a unit."""
        return os.path.islink(unit.fragment) or os.path.dirname(unit.fragment) not in FOLDERS

    @staticmethod
    def links_gone(result: Result) -> list[str]:
        """Return the links that a command removed, and did not make again."""
        lines = output_lines(result.stderr)
        removed = [_link_in(line) for line in lines if line.startswith(_REMOVED)]
        made = {_link_in(line) for line in lines if line.startswith(_CREATED)}
        return [link for link in removed if link not in made]


def _changes_only_multi_user(result: Result) -> bool:
    """Return whether all changed links are in multi-user.target.wants; these matter at boot only: a reload can wait."""
    lines = output_lines(result.stderr)
    return bool(lines) and all(_link_in(line).startswith(_MULTI_USER_WANTS) for line in lines)


def _link_in(line: str) -> str:
    """Return the path of the link in a line of systemctl; versions differ in quotes and in the full stop."""
    for beginning in (_CREATED, _REMOVED):
        if line.startswith(beginning):
            return line[len(beginning) :].split(" ")[0].strip("\"'.")
    return ""
