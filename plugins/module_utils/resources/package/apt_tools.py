# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How apt's and dpkg's programs are run (behaviour.md 8.1)."""

from __future__ import annotations

from ...host import asking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from ...host.results import Result
    from ...model.log import Log

_ENVIRONMENT = ("DEBIAN_FRONTEND=noninteractive", "APT_LISTBUGS_FRONTEND=none", "APT_LISTCHANGES_FRONTEND=none")


def ask(argv: Sequence[str]) -> Result:
    """Run a program that changes nothing. Raises CommandError when it has no exit code."""
    return asking.ask(argv, _ENVIRONMENT)


def act(machine: Machine, argv: Sequence[str], log: Log) -> Result:
    """Run a program that changes packages, to its end even when this process is told to end.

    Raises CommandError when it has no exit code.
    """
    from .unbroken import notice

    return machine.run(argv, environment=_ENVIRONMENT, on_interruption=notice(argv[0], log))
