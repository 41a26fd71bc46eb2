# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while resources run in threads."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator


@contextmanager
def on_interruption(call: Callable[[], None]) -> Iterator[None]:
    """Call `call` at each Ctrl-C within `with`; it must not use files, whose writing it may have interrupted.

    Only the main thread of a process receives signals: in others this does nothing, and neither in a process that was
    started to ignore Ctrl-C.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: call())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
