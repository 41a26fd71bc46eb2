# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How to run the programs of apt and dpkg (behaviour.md 8.1)."""

from __future__ import annotations

from ...host.results import decode, in_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from ...host.results import Result
    from ...model.log import Log

_ENVIRONMENT = ("DEBIAN_FRONTEND=noninteractive", "APT_LISTBUGS_FRONTEND=none", "APT_LISTCHANGES_FRONTEND=none")


def query(machine: Machine, argv: Sequence[str]) -> Result:
    """Run a program that changes nothing. Raises CommandError when it has no exit code."""
    return machine.query(argv, _ENVIRONMENT)


def act(machine: Machine, argv: Sequence[str], log: Log) -> Result:
    """Run a program that changes packages; see `package_manager.change`."""
    from .package_manager import change

    return change(machine, argv, log, _ENVIRONMENT)


_MOST = 3
_UNMET = "unmet dependencies:"
_DPKG = "dpkg: error processing "


def lines_of(output: bytes) -> list[str]:
    """Return the lines of a program's output, without surrounding blanks and without empty lines."""
    return [line.strip() for line in decode(output).splitlines() if line.strip()]


def last_lines(lines: Sequence[str]) -> str:
    """Return the last lines, at most three, as one."""
    return in_one_line(lines[-_MOST:])


def details(output: bytes) -> list[str]:
    """Return the lines with causes: dependencies that cannot be met, and why dpkg could not process a package.

    dpkg ends a line after a colon and continues its sentence in the next line.
    """
    found: list[str] = []
    before = ""
    is_unmet = False
    for line in decode(output).splitlines():
        text = " ".join(line.split())
        if is_unmet and line.startswith(" "):
            found.append(text)
        elif before.startswith(_DPKG) and line.startswith(" "):
            found.append(f"{before} {text}")
        is_unmet = text.endswith(_UNMET) or (is_unmet and line.startswith(" "))
        before = text
    return found
