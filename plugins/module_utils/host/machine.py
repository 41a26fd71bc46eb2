# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of this machine in one run (design.md, Contract)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Sequence

    from .owners import Owners
    from .results import Result


class Machine:
    """This machine in one run: its owners of files, how often it may have changed, postponed steps.

    A front end makes one for each run and passes it on. Two runs share none, so neither uses the data of the other.
    `generation` grows with each change; data of a smaller one may be outdated. A `postponed` step is done before the
    next command that may change the machine, or at the end of the run.
    """

    def __init__(self) -> None:
        self.generation = 0
        self._owners: Owners | None = None
        self.postponed: Callable[[], None] | None = None

    @property
    def owners(self) -> Owners:
        """Its users and groups."""
        if self._owners is None:
            from .owners import Owners

            self._owners = Owners(self)
        return self._owners

    def record_change(self) -> None:
        """Record that the machine may have changed, so that providers read their data again."""
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
        return run(argv, cwd=cwd, environment=environment, timeout=timeout, path=path, on_interruption=on_interruption)

    def run_postponed(self) -> None:
        """Do the postponed steps."""
        action, self.postponed = self.postponed, None
        if action is not None:
            action()
