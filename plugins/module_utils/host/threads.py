# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The threads of a run, and what only one of them may do at once."""

from __future__ import annotations

import _thread
import errno
import sys

from .errors import HostError, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread
    from typing import Callable, Collection, Generator, Sequence

# How long, in seconds, a thread waits for the interpreter before it asks for it: without calls of types, and with them.
_SWITCH_INTERVAL, _SHORT_INTERVAL = 0.1, 0.005
_CALLS = f"{__name__.rpartition('.')[0]}.call_threads"


def start_thread(work: Callable[[], None]) -> Thread:
    """Do some work in a thread that ends with the process, and return it. Raises HostError when none can be made."""
    # It takes long to import, and most runs never start a thread. The thread that imports it first is its main thread.
    import threading

    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise HostError(f"could not start a thread: {reason_of(errno.EAGAIN)}", errno=errno.EAGAIN) from None
    return thread


def use_short_turns() -> None:
    """Let threads wait no longer for the interpreter than Python lets them: calls of types wait twice for it."""
    sys.setswitchinterval(min(sys.getswitchinterval(), _SHORT_INTERVAL))


class Threads:
    """The threads of a run, which exclude each other by names."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._locks: dict[str, _thread.RLock] = {}
        self._runs = 0
        self._interval = 0.0

    def begin(self) -> None:
        """Begin a run with threads, until `end`; it may be within another one.

        Only one thread at once executes Python, and each that waits for its turn looks every 5 ms whether it is to ask
        for it: sixteen that do so on a busy machine take its time from the working thread. They look less often, unless
        types of other packages are used: each of their calls waits for its turn, and a call that was given up may never
        wait.
        """
        with self._lock:
            self._runs += 1
            if self._runs == 1:
                self._interval = sys.getswitchinterval()
                if _CALLS not in sys.modules:
                    sys.setswitchinterval(max(self._interval, _SWITCH_INTERVAL))

    def end(self) -> None:
        """End a run with threads."""
        with self._lock:
            self._runs -= 1
            if not self._runs:
                sys.setswitchinterval(self._interval)

    def exclusive(self, names: Collection[str]) -> _Exclusive:
        """Let no other thread be within `with` of one of these names."""
        with self._lock:
            return _Exclusive([self._locks.setdefault(name, _thread.RLock()) for name in sorted(names)])


class _Exclusive:
    def __init__(self, locks: Sequence[_thread.RLock]) -> None:
        self._held = _hold(locks)

    def __enter__(self) -> None:
        try:
            next(self._held)
        except BaseException:
            self._held.close()
            raise

    def __exit__(self, *_error: object) -> None:
        self._held.close()


def _hold(locks: Sequence[_thread.RLock]) -> Generator[None, None, None]:
    """Hold locks until it is closed; `with` releases them, whenever a signal interrupts it."""
    if locks:
        with locks[0]:
            yield from _hold(locks[1:])
    else:
        yield
