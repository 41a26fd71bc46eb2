# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls that are interrupted when they take too long."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from signal import ITIMER_REAL, SIGALRM, getitimer, setitimer, signal
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

# What the interrupted code catches and ignores is raised again after this time.
_REPEAT_SECONDS = 1.0


class TimeLimitReached(BaseException):
    """A call took longer than its limit; no Exception, so that code that ignores all of those is ended as well."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit what runs inside to `seconds`. Raises TimeLimitReached.

    Only the main thread can be interrupted: elsewhere nothing is limited. Where another alarm of the process comes
    earlier, such as the alarm of an outer limit, only the earlier one counts.
    """
    others, repeat = getitimer(ITIMER_REAL)
    if 0 < others <= seconds or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: object) -> None:
        raise TimeLimitReached

    start = monotonic()
    before = signal(SIGALRM, end)
    setitimer(ITIMER_REAL, seconds, _REPEAT_SECONDS)
    try:
        yield
    finally:
        setitimer(ITIMER_REAL, 0)
        signal(SIGALRM, before)
        if others:
            setitimer(ITIMER_REAL, max(others - (monotonic() - start), 0.001), repeat)
