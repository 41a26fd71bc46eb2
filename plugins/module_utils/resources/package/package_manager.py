# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running a package manager: with the proxies of this process, and never ended (decisions.md Q98, Q99)."""

from __future__ import annotations

from ...host.proxies import proxy_variables, without_credentials_of
from ...host.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from ...model.log import Log


def change(machine: Machine, argv: Sequence[str], log: Log, environment: Sequence[str] = ()) -> Result:
    """Run a program that changes packages, to its end even when this process receives a signal to end.

    Credentials of proxies are hidden in its output. Raises CommandError when it has no exit code, and NotDoneInTime
    when a maintainer script had to be ended at the deadline of this thread.
    """

    def notice() -> None:
        log.warn(f"Interrupted, waiting for {argv[0]} to end")

    proxies = proxy_variables()
    variables = (*environment, *proxies)
    left = machine.time_left()
    if left is None:
        return _shown(machine.run(argv, environment=variables, on_interruption=notice), proxies)
    from .late_scripts import LateScripts

    scripts = LateScripts(log, left)
    result = _shown(
        machine.run(argv, environment=variables, on_interruption=notice, at_deadline=scripts.end_late), proxies
    )
    scripts.require_none(result)
    return result


def query(machine: Machine, argv: Sequence[str]) -> Result:
    """Run a program that changes nothing but may download. Raises CommandError when it has no exit code."""
    proxies = proxy_variables()
    return _shown(machine.query(argv, proxies), proxies)


def _shown(result: Result, proxies: list[str]) -> Result:
    if not any("@" in variable for variable in proxies):
        return result
    stdout, stderr = (without_credentials_of(proxies, output) for output in (result.stdout, result.stderr))
    return Result(result.exit_code, stdout, stderr)
