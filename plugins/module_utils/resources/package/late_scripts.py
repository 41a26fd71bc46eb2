# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Maintainer scripts that hang: at the deadline they are ended, and the package manager above them ends by itself.

The package manager is never ended (decisions.md Q99). Scripts are found among the processes below it: dpkg runs
`/var/lib/dpkg/info/NAME.postinst` and the like, rpm a file `rpm-tmp.…`.
"""

from __future__ import annotations

import os
import re
import signal
import time

from ...host.process_tree import Process, ProcessTree
from ...host.results import decode
from ...model.meta import NotDoneInTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ...host.results import Result
    from ...model.log import Log

_MANAGERS = frozenset(("apt", "apt-get", "dpkg", "dnf", "dnf-3", "dnf5", "microdnf", "rpm", "yum"))
_SCRIPT = re.compile(r"(?:^|[/.])(?:preinst|postinst|prerm|postrm)$|^rpm-tmp\.")
# rpm's words for a script that a signal ended: `%post(NAME-VERSION-RELEASE.ARCH) scriptlet failed, signal 15`.
_ENDED_OF_RPM = re.compile(r"(%\w+\([^()\s]+\)) scriptlet failed, signal \d+")
_UNPACKED = "/tmp.ci"
# A script that began late may take this long, or the whole time of the command when this is shorter.
_PATIENCE_NS = 10_000_000_000
_GRACE_NS = 2_000_000_000
_PAUSE_NS = 200_000_000


class LateScripts:
    """Ends the scripts of a package manager whose time, `limit` ns, is over."""

    def __init__(self, log: Log, limit: int) -> None:
        self._log = log
        self._patience = min(limit, _PATIENCE_NS)
        self._names: list[str] = []
        # When each process was asked to end.
        self._asked: dict[Process, int] = {}

    def end_late(self, manager: int) -> int:
        """End the scripts that have run long enough below a process; return after how many ns to look again."""
        now = time.monotonic_ns()
        for process, since in self._asked.items():
            if now - since >= _GRACE_NS:
                process.send(signal.SIGKILL)
        tree = ProcessTree()
        for name, script, processes in _scripts(tree, manager):
            if script in self._asked or tree.age(script) < self._patience:
                continue
            self._log.warn("The time is over, ending a maintainer script", script=name)
            self._names.append(name)
            for process in processes:
                process.send(signal.SIGTERM)
                self._asked[process] = now
        return _PAUSE_NS

    def require_none(self, result: Result) -> None:
        """Raise NotDoneInTime, naming the scripts, when any was ended; `result` is the package manager's."""
        if not self._names:
            return
        of_rpm = _ENDED_OF_RPM.findall(decode(result.stdout + result.stderr))
        names = list(dict.fromkeys(of_rpm or self._names))
        word = "script" if len(names) == 1 else "scripts"
        advice = "rpm takes a package whose %post was ended for installed: dnf reinstall completes it"
        raise NotDoneInTime(
            f"the maintainer {word} {', '.join(names)} did not end in time, and had to be ended",
            advice=advice if any(name.startswith("%post") for name in of_rpm) else "",
        )


def _scripts(tree: ProcessTree, manager: int) -> Iterator[tuple[str, Process, list[Process]]]:
    """Yield the name of each script that a package manager waits for, its process, and what it started, itself first.

    A script that waits for another package manager with a script waits for that one.
    """
    for child in tree.children(manager):
        if child.name in _MANAGERS:
            yield from _scripts(tree, child.pid)
            continue
        below = list(_below(tree, child))
        inner = [found for each in below if each.name in _MANAGERS for found in _scripts(tree, each.pid)]
        if inner:
            yield from inner
            continue
        name = _name_of(child)
        if name:
            yield name, child, [child, *(each for each in below if each.name not in _MANAGERS)]


def _below(tree: ProcessTree, process: Process) -> Iterator[Process]:
    """Yield what a process started, directly or not, down to package managers."""
    for child in tree.children(process.pid):
        yield child
        if child.name not in _MANAGERS:
            yield from _below(tree, child)


def _name_of(process: Process) -> str:
    """Return the name of the maintainer script that a process runs, "" for none.

    The script of a package that is being unpacked has no package in its name.
    """
    for word in process.arguments():
        directory, slash, name = word.rpartition("/")
        if slash and _SCRIPT.search(name):
            return f"{_unpacked(directory)}.{name}" if directory.endswith(_UNPACKED) else name
    return ""


def _unpacked(directory: str) -> str:
    try:
        with open(os.path.join(directory, "control"), "rb") as file:
            fields = [line.partition(": ")[::2] for line in decode(file.read()).splitlines()]
    except OSError:
        fields = []
    return next((value for field, value in fields if field == "Package"), "a package")
