# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading a watched manifest again, and changes of its files before they were watched."""

from __future__ import annotations

import os

from ..host.errors import HostError
from ..model.errors import CCMError

_SECOND = 1_000_000_000
#: How long to wait for more changes of a manifest, which editors write in several steps, and how long at most, in ns.
_SETTLE, _LONGEST_SETTLE = _SECOND // 20, _SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from ..engine.watching.step import Sources
    from .watch_run import WatchedManifest


class Reading:
    """The result of reading the manifest again: the `manifest`, None when it is not used because of an `error`."""

    def __init__(self, manifest: WatchedManifest | None, error: CCMError | HostError | None) -> None:
        self.manifest = manifest
        self.error = error


def read(load: Callable[[], WatchedManifest]) -> Reading:
    """Return the result of reading the manifest again."""
    try:
        return Reading(load(), None)
    except (CCMError, HostError) as error:
        return Reading(None, error)


class ReadingTime:
    """When the manifest is read again: `at` a time in ns of the clock that is never set back, None for never."""

    def __init__(self) -> None:
        self.at: int | None = None
        self._changed_at: int | None = None

    def change(self, now: int) -> None:
        """Note a change of a file of the manifest: others may follow, but not for ever."""
        if self._changed_at is None:
            self._changed_at = now
        if self.at != 0:
            self.at = min(now + _SETTLE, self._changed_at + _LONGEST_SETTLE)

    def ask(self) -> None:
        """Have it read as soon as possible."""
        self.at = 0

    def end(self) -> None:
        """Note that it is read now."""
        self.at = self._changed_at = None


class LateChanges:
    """Finds changes of the files of a manifest that came after it was read and before the files were watched."""

    def __init__(self) -> None:
        self._found: dict[str, int] = {}

    def are_new(self, sources: Sources, begun: int) -> bool:
        """Return whether a file changed since a reading, which began at `begun` by the kernel's clock of files.

        Each change is found once: a file of another machine has the times of that machine.
        """
        before, self._found = self._found, dict(_changes(sources, begun)) if begun else {}
        return any(before.get(path) != when for path, when in self._found.items())


def _changes(sources: Sources, begun: int) -> Iterator[tuple[str, int]]:
    for path in _paths_of(sources):
        try:
            when = os.lstat(path).st_ctime_ns
        except (OSError, ValueError):
            continue
        if when >= begun:
            yield path, when


def _paths_of(sources: Sources) -> Iterator[str]:
    yield from sources.paths
    for tree in sources.trees:
        for directory, _directories, files in os.walk(tree):
            yield directory
            yield from (os.path.join(directory, name) for name in files)
