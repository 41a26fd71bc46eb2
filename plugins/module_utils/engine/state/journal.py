# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The journal of the state of a manifest: records are added to it, and saved as one file (docs/design/state.md)."""

from __future__ import annotations

import os
import time

from ...model.errors import StoreError
from ..between_runs import JOURNAL, SAVED, STABLE
from .lines import first_words, lines_of, version_of
from .locked_directory import LockedDirectory
from .own_files import CONTENT_FILES, HEAD, MARKS, SENT_FILES, VOID_MARKS, content_of, digest_of_key, mark, remove
from .records import JournalBeginning
from .stored_files import StoredFiles, is_short, stored_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Mapping, Sequence

    from ..state_directory import StateDirectory
    from .records import Record, Saved

_DAY = 24 * 60 * 60
_PIECE = 64 << 10


class Journal:
    """The state in a `directory`, as runs with changes read and write it; its log has warnings about damaged files."""

    def __init__(self, directory: StateDirectory) -> None:
        self.directory = directory
        # The stamp of the journal that records were added to last.
        self._stamp = ""

    def read(self, found: StoredFiles | None = None, *, mends: bool = False) -> Saved:
        """Return what earlier runs left, with the journal; warn of damage. Raises StoreError.

        The files are read now, unless they were `found` before. With `mends` damaged files are put aside, and the rest
        is saved.
        """
        found = found or stored_files(self.directory)
        if found.is_damaged and mends:
            return self.save(unchanged)
        for name, message, about in found.faults(is_put_aside=False):
            self.directory.log.warn(message, file=f"{self.directory.path}/{name}", **about)
        return found.saved

    def note(
        self, records: Sequence[Record], contents: Mapping[str, bytes] | None = None, unneeded: Sequence[str] = ()
    ) -> None:
        """Add records to the journal, after files with the `contents` that they name. Raises StoreError.

        Records that must be on disk before a change are when this returns. Files with contents that are `unneeded` now
        stay for a day: another run that read their records may need them still.
        """
        with LockedDirectory(self.directory) as locked:
            for name, content in (contents or {}).items():
                locked.replace(name, [content])
            for name in unneeded:
                locked.touch(name)
            if not self._append(locked, records):
                self._save(locked, unchanged)
                self._append(locked, records)

    def mark_stable(self, digest: str) -> bool:
        """Leave an empty file that says that a run with a digest of the saved state changed nothing.

        None is left when another run saved or noted something meanwhile. Return False when it cannot be made.
        """
        try:
            with LockedDirectory(self.directory) as locked:
                if digest in StoredFiles(locked.opened).digests:
                    self._remove_stable_marks(locked)
                    mark(locked.opened, f"{STABLE}{digest}-{locked.opened.stamp()}")
        except StoreError as error:
            self.directory.log.debug("The next run reads all of the state", reason=error.message)
            return False
        return True

    def _remove_stable_marks(self, locked: LockedDirectory) -> None:
        """Remove what says that the saved state is as the last run found it, before anything is written."""
        for name in locked.opened.names():
            if name.startswith(STABLE):
                remove(locked.opened, name)

    def _append(self, locked: LockedDirectory, records: Sequence[Record]) -> bool:
        """Add records to the journal; return False, and add nothing, when it is to be saved first.

        That is so when its format is another one, when its end is missing, and when `state` has its content already.
        """
        journal = locked.open_to_append(JOURNAL, makes=False)
        if journal is None:
            saved = content_of(locked.opened, SAVED, HEAD)
            self._warn_of_removal(saved)
            version_of(saved or b"", f"{self.directory.path}/{SAVED}")
            journal = locked.open_to_append(JOURNAL, makes=True)
        if journal is None:
            return False
        with journal as file:
            head = file.head(HEAD)
            lines = [record.line() for record in records]
            if head:
                stamp = self._stamp_of(head, locked)
                if not stamp or is_short(locked.noted, stamp, file.size):
                    return False
                # The empty line ends a line that a power failure cut off.
                data = b"\n" + b"".join(lines_of(lines, file.size + 1))
            else:
                self._remove_stable_marks(locked)
                stamp = self._stamp = os.urandom(8).hex()
                data = b"".join(lines_of([JournalBeginning(stamp, self.directory.identity).line(), *lines], 0))
            file.append(data, synced=any(record.is_synced for record in records))
            locked.note(_noted(stamp, file.size + len(data)))
        return True

    def _stamp_of(self, journal: bytes, locked: LockedDirectory) -> str:
        """Return the stamp of a journal by its first bytes; "" when it has none, or `state` has its content already."""
        path = self.directory.path
        words = first_words(journal, f"{path}/{JOURNAL}")
        if len(words) == 3 and words[1] != self._stamp:
            saved = first_words(content_of(locked.opened, SAVED, HEAD) or b"", f"{path}/{SAVED}")
            self._stamp = "" if len(saved) == 5 and saved[4] == words[1] else words[1]
        return self._stamp if len(words) == 3 else ""

    def save(self, change: Callable[[Saved], None]) -> Saved:
        """Save the saved state and the journal again, with a `change` applied; return it. Raises StoreError."""
        with LockedDirectory(self.directory) as locked:
            saved, is_first = self._save(locked, change)
        if is_first:
            from .manifests import drop_unused

            drop_unused(self.directory.root, self.directory.log)
        return saved

    def _save(self, locked: LockedDirectory, change: Callable[[Saved], None]) -> tuple[Saved, bool]:
        found = StoredFiles(locked.opened)
        for name, message, about in found.faults(is_put_aside=True):
            path = locked.put_aside(name, found.texts.get(name) or b"")
            self.directory.log.warn(message, file=path, **about)
        if found.texts[JOURNAL] is None:
            self._warn_of_removal(found.texts[SAVED])
        saved = found.saved
        saved.identity = self.directory.identity
        change(saved)
        saved.journal = saved.noted or saved.journal
        self._remove_stable_marks(locked)
        locked.replace(SAVED, _pieces(lines_of(saved.lines(), 0)))
        locked.note(b"")
        remove(locked.opened, JOURNAL)
        self._stamp = ""
        self._remove_unneeded(saved, locked)
        return saved, found.texts.get(SAVED) is None

    def _warn_of_removal(self, saved: bytes | None) -> None:
        """Warn when both files are missing although this run noted something; `saved` is the content of `state`."""
        if self._stamp and saved is None:
            self.directory.log.warn(
                "The state was removed: what this run noted before is lost", file=self.directory.path
            )
        self._stamp = ""

    def _remove_unneeded(self, saved: Saved, locked: LockedDirectory) -> None:
        """Remove contents that no undo record needs, sent values of removed resources, and hidden files of killed runs.

        Another run may just have written new files, so files of the last day stay. A hidden file of a running run is
        locked.
        """
        names = locked.without_unfinished()
        needed = {name for change in saved.kept.values() for name in change.contents()}
        # The names of files of resources with the same key differ after the second dash.
        digests = {name.split("-")[1] for name in names if name.startswith((SENT_FILES, VOID_MARKS))}
        found = map(digest_of_key, saved.resources if digests else ())
        used = digests.intersection(found)
        end = time.time() - _DAY
        for name in names:
            is_unneeded = name.startswith(CONTENT_FILES) and name not in needed
            if is_unneeded or (name.startswith((SENT_FILES, VOID_MARKS)) and name.split("-")[1] not in used):
                locked.remove_if_older(name, end)
            elif name.startswith(MARKS) and name[len(MARKS) :] in saved.noted_marks:
                remove(locked.opened, name)


def unchanged(saved: Saved) -> None:
    """Change nothing of what earlier runs left."""
    saved.digest = saved.settled = ""


def _pieces(lines: Iterable[bytes]) -> list[bytes]:
    """Return lines, many of them in each piece."""
    pieces: list[bytes] = []
    waiting, size = [], 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= _PIECE:
            pieces.append(b"".join(waiting))
            waiting, size = [], 0
    return [*pieces, b"".join(waiting)]


def _noted(stamp: str, size: int) -> bytes:
    """Return the text about a journal for the file that is locked."""
    return f"{stamp} {size}".encode()
