# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of packages with apt-get, and the preparations (behaviour.md 8.1)."""

from __future__ import annotations

import os

from ...host.results import decode
from ...lang.go.quoting import quote
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_provided import require_only_one
from .apt_snapshot import ADMIN
from .apt_tools import details, last_lines, lines_of
from .locks import LockWaiter
from .removals import REMOVING, log_removed, removed_by_apt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.results import Result
    from ...model.provider import ProviderContext

# Otherwise apt runs dpkg in a terminal, and a maintainer script that reads from it waits for ever (decisions.md Q99).
_NO_TERMINAL = ("-o", "Dpkg::Use-Pty=0")
INSTALL = ("apt-get", "install", "-y", "-q", "-o", "DPkg::Options::=--force-confold", *_NO_TERMINAL)
REMOVE = ("apt-get", "-q", "-y", *_NO_TERMINAL, "remove")
_ARCHIVES_LOCK = "/var/cache/apt/archives/lock"
_LOST_RACE = "Could not get lock"
_PAUSE_AFTER_RACE = 0.1
_MARK = "E:"
_REINSTALL = b" reinstreq "


class AptGet:
    """apt-get, run when no other process holds its locks; each call waits for them at most `lock_timeout`."""

    def __init__(self, context: ProviderContext) -> None:
        self._machine = context.machine
        self._log = context.user_log
        self._lock_timeout = context.options.lock_timeout

    def install(self, name: str, wanted: Sequence[str], *options: str) -> None:
        """Install `wanted` (`name` or `name=version` each) for the resource `name`. Raises ResourceFailed."""
        result = self.run([*INSTALL, *options, *wanted])
        self._log_removed(result, name, [each.partition("=")[0] for each in wanted])
        if result.exit_code:
            require_only_one(name, result.stdout)
            reason = f"failed to install package {quote(name)}, apt-get exited {result.exit_code}"
            raise ResourceFailed(reason + failure_words(result, name))

    def uninstall(self, name: str, unwanted: Sequence[str], *options: str) -> None:
        """Remove packages, but their configuration only with the option `--purge`. Raises ResourceFailed."""
        result = self.run([*REMOVE, *options, *unwanted])
        self._log_removed(result, name, [each.partition(":")[0] for each in unwanted])
        if result.exit_code:
            raise ResourceFailed(f"failed to uninstall {name}" + failure_words(result, name))

    def run(self, argv: list[str]) -> Result:
        """Run apt-get to its end, after dpkg has completed what was interrupted.

        Raises ResourceFailed when another process holds its locks for too long.
        """
        waiter = LockWaiter(_locks(), self._machine, self._machine.within(self._lock_timeout), self._log)
        while True:
            waiter.wait()
            self._finish_interrupted()
            self._reinstall_broken()
            result = apt_tools.act(self._machine, argv, self._log)
            if not result.exit_code or _LOST_RACE not in decode(result.stderr) or waiter.is_over:
                return result
            self._machine.pause(_PAUSE_AFTER_RACE)

    def _log_removed(self, result: Result, name: str, own: Sequence[str]) -> None:
        """Log which packages were removed beside the resource's own, also by a command that failed."""
        if REMOVING in result.stdout:
            log_removed(self._log, removed_by_apt(result.stdout), own, name)

    def _finish_interrupted(self) -> None:
        """Let dpkg complete what was interrupted: until then apt-get refuses to run."""
        if not _is_interrupted():
            return
        self._log.warn("dpkg was interrupted, running dpkg --configure -a")
        result = apt_tools.act(self._machine, ["dpkg", "--force-confold", "--configure", "-a"], self._log)
        if result.exit_code:
            words = last_lines(details(result.stderr) or lines_of(result.stderr))
            raise ResourceFailed(f"dpkg was interrupted, and dpkg --configure -a exited {result.exit_code}: {words}")

    def _reinstall_broken(self) -> None:
        """Reinstall packages whose installation was killed: apt-get takes them for installed but they are broken."""
        broken = _broken()
        if broken:
            self._log.warn("packages are half-installed, reinstalling", packages=" ".join(broken))
            apt_tools.act(self._machine, [*INSTALL, "--reinstall", *broken], self._log)


def _locks() -> list[str]:
    return [f"{ADMIN}/lock-frontend", f"{ADMIN}/lock", _ARCHIVES_LOCK]


def _is_interrupted() -> bool:
    """Return whether dpkg left entries in its journal, whose names are numbers."""
    try:
        return any(name.isdecimal() for name in os.listdir(f"{ADMIN}/updates"))
    except OSError:
        return False


def _broken() -> list[str]:
    """Return the packages, as `name:arch`, that dpkg requires to be installed again."""
    try:
        with open(f"{ADMIN}/status", "rb") as file:
            text = file.read()
    except OSError:
        return []
    names = []
    for entry in text.split(b"\n\n") if _REINSTALL in text else ():
        if _REINSTALL in entry:
            fields = dict(line.partition(": ")[::2] for line in decode(entry).splitlines())
            names.append(f"{fields.get('Package')}:{fields.get('Architecture')}")
    return names


def failure_words(result: Result, name: str) -> str:
    """Return the last lines of apt-get, to follow the reason (decisions.md Q43).

    Of its errors, the one for the package itself, or else all in an order that does not depend on dpkg's.
    """
    errors = [line for line in lines_of(result.stderr) if line.startswith(_MARK) and not _is_heading(line)]
    found = details(result.stdout + b"\n" + result.stderr)
    own = [line for line in found if name in line.split() or f"/{name}_" in line]
    words = last_lines([*(own or sorted(found)), *errors] if errors else lines_of(result.stderr))
    return f": {words}" if words else ""


def _is_heading(line: str) -> bool:
    """Return whether a line only introduces the next ones; apt 3 ends lines about an address with a colon too."""
    return line.endswith(":") and "://" not in line
