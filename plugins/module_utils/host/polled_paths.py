# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths that are looked at now and then, where the kernel does not report what happens to them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


class PolledPaths:
    """Paths and trees, each looked at for keys; the keys are numbers."""

    def __init__(self) -> None:
        # By key, what was seen of its paths and trees.
        self._seen: dict[int, dict[tuple[str, bool], object]] = {}

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._seen)

    def __contains__(self, key: int) -> bool:
        """Return whether paths are looked at for a key."""
        return key in self._seen

    def add(self, path: str, key: int, *, is_tree: bool = False) -> None:
        """Look at a path for a key, with `is_tree` at all below it too."""
        seen = self._seen.setdefault(key, {})
        if (path, is_tree) not in seen:
            seen[path, is_tree] = _signature(path, is_tree)

    def remove(self, keys: Iterable[int]) -> None:
        """Look at nothing for these keys any more."""
        for key in keys:
            self._seen.pop(key, None)

    def renew(self, key: int) -> bool:
        """Note how the paths of a key are now; return whether anything changed since the last look."""
        before = self._seen[key]
        self._seen[key] = {(path, is_tree): _signature(path, is_tree) for path, is_tree in before}
        return self._seen[key] != before

    def look(self) -> list[tuple[int, bool]]:
        """Return all keys in order, each with whether anything changed since the last look."""
        return [(key, self.renew(key)) for key in sorted(self._seen)]


def _signature(path: str, is_tree: bool) -> object:
    """Return a value that differs after a change of a path, of its link's target, or of a file below it."""
    own = (_seen(path, follow=False), _seen(path, follow=True))
    if not is_tree:
        return own
    below = [
        (directory, name, _seen(os.path.join(directory, name), follow=False))
        for directory, directories, files in os.walk(path)
        for name in (*directories, *files)
    ]
    return own, hash(tuple(sorted(below, key=lambda each: each[:2])))


def _seen(path: str, *, follow: bool) -> tuple[int | None, ...]:
    try:
        stat = os.stat(path, follow_symlinks=follow)
    except OSError as error:
        return (error.errno,)
    return (
        stat.st_dev,
        stat.st_ino,
        stat.st_mode,
        stat.st_uid,
        stat.st_gid,
        stat.st_size,
        stat.st_mtime_ns,
        stat.st_ctime_ns,
    )
