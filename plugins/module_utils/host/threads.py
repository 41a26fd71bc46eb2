# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The threads of a run, and what only one of them may do at once."""

from __future__ import annotations

import errno
import threading
from contextlib import ExitStack, contextmanager

from .errors import HostError, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator


def start_thread(work: Callable[[], None]) -> threading.Thread:
    """Do some work in a thread that ends with the process, and return it. Raises HostError when none can be made."""
    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise HostError(f"could not start a thread: {reason_of(errno.EAGAIN)}", errno=errno.EAGAIN) from None
    return thread


class Threads:
    """The threads of a run, which exclude each other by names."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, threading.RLock] = {}

    @contextmanager
    def exclusive(self, names: Iterable[str]) -> Iterator[None]:
        """Let no other thread be within `with` of one of these names."""
        with self._lock:
            locks = [self._locks.setdefault(name, threading.RLock()) for name in sorted(names)]
        with ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            yield
