# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package manager's index of its repositories, refreshed before the first package of a run."""

from __future__ import annotations

import os
import time

from ...host.results import decode, in_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.machine import Machine
    from ...host.results import Result
    from ...model.log import Log

APT_LISTS = "/var/lib/apt/lists"
_SECOND = 1_000_000_000
_INDEX_SUFFIXES = ("Release", "_Packages")
_MOST_LINES = 3


class _Refreshed:
    """The highest ages, in ns, for which the index has been refreshed in a run, or noop has reported it."""

    def __init__(self) -> None:
        self._done: set[tuple[int, bool]] = set()

    def is_new(self, oldest: int, noop: bool) -> bool:
        """Return whether it was not refreshed before, and note that it is now."""
        is_new = (oldest, noop) not in self._done
        self._done.add((oldest, noop))
        return is_new


def refresh_apt(oldest: int, machine: Machine, log: Log, run: Callable[[list[str]], Result], *, noop: bool) -> None:
    """Refresh apt's index with `run`, once in a run, when it is missing or older than `oldest`, in ns.

    In noop the log reports that it would be refreshed. A failure is a warning: installed packages need no index, and an
    installation that needs it reports why it fails.
    """
    if machine.known(_Refreshed).is_new(oldest, noop) and time.time_ns() - _refreshed_at() > oldest:
        _refresh(["apt-get", "update", "-q"], machine, log, run, noop)


def refresh_dnf(oldest: int, machine: Machine, log: Log, run: Callable[[list[str]], Result], *, noop: bool) -> None:
    """Let dnf refresh, once in a run, the metadata that is older than `oldest`, in ns; it knows the age of each."""
    if not machine.known(_Refreshed).is_new(oldest, noop):
        return
    expire = f"--setopt=*.metadata_expire={max(oldest // _SECOND, 1)}"
    _refresh(
        ["dnf", "-q", "makecache", f"--setopt=metadata_expire={max(oldest // _SECOND, 1)}", expire],
        machine,
        log,
        run,
        noop,
    )


def _refresh(argv: list[str], machine: Machine, log: Log, run: Callable[[list[str]], Result], noop: bool) -> None:
    if noop:
        log.info("Would have refreshed the package index where it is too old")
        return
    log.doing("refreshing the package index")
    try:
        result = run(argv)
    finally:
        machine.record_change()
        log.doing("")
    lines = [line.strip() for line in decode(result.stderr).splitlines() if line.strip()]
    if result.exit_code or any(line.startswith("W: Failed") for line in lines):
        log.warn("The package index could not be refreshed: " + in_one_line(lines[-_MOST_LINES:]))


def _refreshed_at() -> int:
    """Return when apt's index was last refreshed, in ns since 1970; 0 when it does not exist."""
    try:
        if any(name.endswith(_INDEX_SUFFIXES) for name in os.listdir(APT_LISTS)):
            return os.stat(APT_LISTS).st_mtime_ns
    except OSError:
        pass
    return 0
