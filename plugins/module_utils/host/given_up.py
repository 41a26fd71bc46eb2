# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls in threads of their own, for all who make none.

Where `call_threads.py` was never imported there are no calls, and nothing here imports it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Call(Protocol):
        """A call in a thread of its own: `call_threads.Call`, which Ansible would send if this named it."""

        fault: str

        @property
        def goes_on(self) -> bool: ...

        @property
        def semaphores(self) -> set[str]: ...

        @property
        def references(self) -> set[str]: ...

        def cut(self) -> None: ...


_CALLS = f"{__name__.rpartition('.')[0]}.call_threads"


def current_calls() -> list[Call]:
    """Return the calls that are being made in this process, also calls that were given up and go on."""
    found: list[Call] = sys.modules[_CALLS].current_calls() if _CALLS in sys.modules else []
    return found


def calls_that_go_on() -> list[Call]:
    """Return the calls of this process that were given up, and go on."""
    return [call for call in current_calls() if call.goes_on]


def cut_calls() -> None:
    """Have all calls given up that are made now."""
    for call in current_calls():
        call.cut()


def waits_for_call() -> bool:
    """Return whether this thread waits for a call; a handler of signals may call this."""
    return _CALLS in sys.modules and bool(sys.modules[_CALLS].OF_CALLER.waits)
