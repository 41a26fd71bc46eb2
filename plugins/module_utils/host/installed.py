# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The installed versions of a package, from the package manager of the machine."""

from __future__ import annotations

from .command_errors import CommandError
from .distribution import distribution
from .programs import missing
from .results import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .machine import Machine

_OF_DISTRIBUTION = {"ubuntu": "dpkg", "redhat": "rpm", "alpine": "apk", "arch": "pacman", "debian": "dpkg"}
_MANAGERS = ("dpkg", "rpm", "apk", "pacman")


def package_manager() -> str:
    """Return dpkg, rpm, apk or pacman: the distribution's package manager, else the first installed one."""
    own = _OF_DISTRIBUTION.get(distribution())
    return own or next((name for name in _MANAGERS if not missing([name])), "rpm")


def versions(machine: Machine, name: str) -> list[str]:
    """Return the installed versions of a package, none when it is not installed or cannot be queried."""
    return _QUERIES[package_manager()](machine, name)


def _lines(machine: Machine, *argv: str) -> list[str]:
    try:
        result = machine.query(argv)
    except CommandError:
        return []
    return decode(result.stdout).strip().split("\n") if result.exit_code == 0 else []


def _dpkg(machine: Machine, name: str) -> list[str]:
    lines = _lines(machine, "dpkg-query", "-f", "${Status} ${Version}\\n", "-W", name)
    return [line.split()[3] for line in lines if line.startswith(("install ok installed", "hold ok installed"))]


def _rpm(machine: Machine, name: str) -> list[str]:
    wanted = "%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n"
    return _lines(machine, "rpm", "-q", "--nosignature", "--nohdrchk", "--nodigest", "--qf", wanted, name)


def _apk(machine: Machine, name: str) -> list[str]:
    lines = [line for line in _lines(machine, "apk", "version", name) if not line.startswith(("Installed:", "WARNING"))]
    return [line.split()[0].replace(f"{name}-", "", 1) for line in lines if line.split()]


def _pacman(machine: Machine, name: str) -> list[str]:
    words = " ".join(_lines(machine, "pacman", "-Q", "--color", "never", "--noconfirm", name)).split()
    return words[1:2]


_QUERIES: dict[str, Callable[[Machine, str], list[str]]] = {"dpkg": _dpkg, "rpm": _rpm, "apk": _apk, "pacman": _pacman}
