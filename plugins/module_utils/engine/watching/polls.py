# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths that are looked at now and then, because nothing reports their changes; each at its own interval."""

from __future__ import annotations

from functools import partial

from ...host.polled_paths import PolledPaths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from ...host.event_loop import EventLoop


class Polls:
    """Looks at paths, which have numbers, and calls `looked_at` with each and whether it has changed."""

    def __init__(self, loop: EventLoop, looked_at: Callable[[int, bool], None]) -> None:
        self._loop = loop
        self._looked_at = looked_at
        # By interval in seconds; there is a timer for each.
        self._paths: dict[float, PolledPaths] = {}
        self._seconds: dict[int, float] = {}

    def __contains__(self, number: int) -> bool:
        """Return whether a path is looked at."""
        return number in self._seconds

    def add(self, path: str, number: int, seconds: float, *, is_tree: bool) -> None:
        """Look at a path every so many seconds, with `is_tree` at all below it too."""
        self._seconds[number] = seconds
        if seconds not in self._paths:
            self._paths[seconds] = PolledPaths()
            self._loop.call_after(seconds, partial(self._look, seconds))
        self._paths[seconds].add(path, number, is_tree=is_tree)

    def remove(self, numbers: Iterable[int]) -> None:
        """Look at these paths no more."""
        for number in numbers:
            seconds = self._seconds.pop(number, None)
            if seconds is not None:
                self._paths[seconds].remove([number])

    def renew(self, number: int) -> bool:
        """Note how a path is now; return whether it has changed since the last look."""
        return self._paths[self._seconds[number]].renew(number)

    def _look(self, seconds: float) -> None:
        paths = self._paths[seconds]
        for number, has_changed in paths.look():
            self._looked_at(number, has_changed)
        if paths:
            self._loop.call_after(seconds, partial(self._look, seconds))
        else:
            del self._paths[seconds]
