# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading a watched manifest again, and changes of its files before they were watched."""

from __future__ import annotations

import os

from ..host.errors import HostError
from ..model.errors import CCMError

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
