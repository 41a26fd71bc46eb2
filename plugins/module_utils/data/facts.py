# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The facts of a run, gathered at their first use."""

from __future__ import annotations

import _thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.log import Log
    from ..model.values import Data


def facts_of_machine(log: Log, given: Data | None = None) -> Callable[[], Data]:
    """Return a function that returns the facts of this host, overridden by facts of files, then by `given` facts.

    Nothing is imported or read before it is called; every call returns the same facts.
    """
    found: list[Data] = []
    lock = _thread.allocate_lock()

    def facts() -> Data:
        with lock:
            if not found:
                from .factfiles import gather

                found.append(gather(given, log=log))
            return found[0]

    return facts
