# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of this machine in one run (design.md, Contract)."""

from __future__ import annotations

import _thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Sequence

    from .owners import Owners
    from .results import Result
    from .threads import Threads


class Machine:
    """This machine in one run: its owners of files, how often it may have changed, postponed steps.

    A front end makes one for each run and passes it on. Two runs share none, so neither uses the data of the other; the
    threads of one run share it. `generation` grows with each change; data of a smaller one may be outdated. A
    `postponed` step is done before the next command that may change the machine, or at the end of the run; `lock`
    guards it. `threads` is for front ends that manage several resources at once.
    """

    def __init__(self) -> None:
        self.generation = 0
        self._owners: Owners | None = None
        self.postponed: Callable[[], None] | None = None
        self.lock = _thread.RLock()
        self.threads: Threads | None = None

    @property
    def owners(self) -> Owners:
        """Its users and groups."""
        if self._owners is None:
            from .owners import Owners

            self._owners = Owners(self)
        return self._owners

    def record_change(self) -> None:
        """Record that the machine may have changed, so that providers read their data again."""
        with self.lock:
            self.generation += 1

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/",
        environment: Iterable[str] = (),
        timeout: int | None = None,
        path: str = "",
        on_interruption: Callable[[], None] | None = None,
    ) -> Result:
        """Run a command that may change the machine, after the postponed steps; see `commands.run`."""
        from .commands import run

        self.run_postponed()
        self.record_change()
        return run(
            argv,
            cwd=cwd,
            environment=environment,
            timeout=timeout,
            path=path,
            on_interruption=on_interruption,
            threads=self.threads,
        )

    def run_postponed(self) -> None:
        """Do the postponed steps."""
        with self.lock:
            action, self.postponed = self.postponed, None
            if action is not None:
                action()
