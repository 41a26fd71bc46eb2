# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How files that notify are (`meta.watch_files`): a command runs only when one changed, not when one may have."""

from __future__ import annotations

from ...host.polled_paths import PolledPaths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable


class NotifyingFiles:
    """Remembers how files and directories, which have numbers, were when they rested.

    What changed is looked at when `later` calls back: a directory may be large, and change again and again. Until then
    it may have changed, as notices of changes after that may be lost.
    """

    def __init__(self, later: Callable[[], None]) -> None:
        self._later = later
        self._paths: dict[int, str] = {}
        self._seen = PolledPaths()
        # The numbers of files that were not looked at since they changed, and that changed since the last look began.
        self._unseen: set[int] = set()
        self._noted: set[int] = set()

    def add(self, path: str, number: int) -> None:
        """Remember a file or directory."""
        self._paths[number] = path
        self.note(number)

    def remove(self, numbers: Iterable[int]) -> None:
        """Forget files."""
        for number in numbers:
            self._paths.pop(number, None)
            self._unseen.discard(number)
            self._seen.remove([number])

    def note(self, number: int) -> None:
        """Note that a file changed."""
        if not self._unseen:
            self._later()
        self._unseen.add(number)
        self._noted.add(number)
        self._seen.remove([number])

    def has_changed(self, number: int) -> bool:
        """Return whether a file may have changed since it was looked at last."""
        if number in self._unseen:
            self._noted.add(number)
            return True
        return self._seen.renew(number)

    def look(self, read: Callable[[], None]) -> None:
        """Look at the files that changed; `read` notes which of them changed meanwhile."""
        self._noted.clear()
        for number in self._unseen:
            self._seen.add(self._paths[number], number, is_tree=True)
        read()
        self._seen.remove(self._noted)
        self._unseen.intersection_update(self._noted)
        if self._unseen:
            self._later()
