# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a state, read and checked: what earlier runs left, and what is damaged (docs/design/state.md)."""

from __future__ import annotations

from ...model.errors import StoreError
from ..between_runs import JOURNAL, SAVED, STABLE
from .former_format import former_lines
from .lines import MARK, START, VERSION, Damaged, body_of, first_words, version_of, words_of
from .own_files import HEAD, LARGEST_FILE, LOCK_NAME, MARKS, content_of
from .records import Saved, record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..state_directory import OpenState, StateDirectory

#: So often files are read again when another run writes meanwhile.
_MOST_READINGS = 5


class CheckedLines:
    """The lines of a file: `records` that are as they were written, in their order.

    `unreadable` is the number of other lines; `are_missing` when lines between them are missing.
    """

    def __init__(self, text: bytes) -> None:
        self.records: list[bytes] = []
        self.unreadable = 0
        self.are_missing = False
        start, is_in_place = 0, True
        for line in text.split(b"\n"):
            if line:
                body = body_of(line, start)
                if body is None:
                    self.unreadable += 1
                else:
                    is_in_place = is_in_place and body.startswith(b"%d\t" % start)
                    self.records.append(body)
            start += len(line) + 1
        if not is_in_place:
            self._sort()

    def _sort(self) -> None:
        placed = {int(body.partition(b"\t")[0]): body for body in self.records}
        self.records = [placed[place] for place in sorted(placed)]
        end = 0
        for place in sorted(placed):
            # An empty line may be between two lines.
            self.are_missing = self.are_missing or place not in (end, end + 1)
            end = place + START + len(placed[place]) + 1 + (0 if place else len(MARK))

    def words(self) -> Iterator[list[str]]:
        """Yield the words of each line."""
        for body in self.records:
            yield words_of(body.decode("utf-8", "surrogatepass"))[1:]


class StoredFiles:
    """The state that is `saved` in an open directory, and the `texts` of its files, of which `size` bytes are read.

    Raises StoreError.
    """

    def __init__(self, opened: OpenState | None, size: int = LARGEST_FILE) -> None:
        # The journal before the file that it is moved into, and before it its noted size.
        self.noted = noted_in(opened)
        journal = content_of(opened, JOURNAL, size)
        self.texts = {SAVED: content_of(opened, SAVED, size), JOURNAL: journal}
        self.saved = saved = Saved()
        self._unreadable = dict.fromkeys(self.texts, 0)
        self._missing = dict.fromkeys(self.texts, False)
        self._used = dict.fromkeys(self.texts, False)
        for name, text in self.texts.items():
            version = version_of(text or b"", f"{opened.path}/{name}" if opened else "")
            if not text or (name == JOURNAL and self._is_saved(text)):
                self._missing[name] = name == SAVED and text is not None
                continue
            if version == VERSION:
                checked = CheckedLines(text)
                lines, self._unreadable[name] = checked.words(), checked.unreadable
                self._missing[name] = checked.are_missing
            else:
                lines, self._unreadable[name] = former_lines(text, is_journal=name == JOURNAL)
            for words in lines:
                try:
                    if words[0] in (SAVED, JOURNAL) and words[0] != name:
                        raise Damaged  # It begins the other file.
                    record_of(words).fold(saved)
                    self._used[name] = True
                except Damaged:
                    self._unreadable[name] += 1
        is_ended = saved.is_complete or not self.texts[SAVED]
        self._missing[SAVED] = self._missing[SAVED] or not is_ended
        self._missing[JOURNAL] = self._missing[JOURNAL] or self._is_short(journal or b"")
        names = opened.names() if opened else []
        saved.marks = {name[len(MARKS) :] for name in names if name.startswith(MARKS)}
        if saved.settled and any(name.startswith(f"{STABLE}{saved.settled}-") for name in names):
            saved.settle()

    def _is_saved(self, journal: bytes) -> bool:
        """Return whether the file `state` has the content of this journal: a run was killed before it removed it."""
        words = first_words(journal, JOURNAL)
        return len(words) == 3 and bool(words[1]) and words[1] == self.saved.journal

    def _is_short(self, journal: bytes) -> bool:
        """Return whether the end of the journal is missing, or all of it."""
        stamp = self.saved.noted or self.noted.partition(b" ")[0].decode("ascii", "replace")
        return stamp != self.saved.journal and is_short(self.noted, stamp, len(journal))

    @property
    def is_used(self) -> bool:
        """Whether anything could be read."""
        return any(self._used.values())

    @property
    def damage(self) -> tuple[int, bool]:
        """The number of lines that cannot be read, and whether others are missing."""
        return sum(self._unreadable.values()), any(self._missing.values())

    @property
    def is_damaged(self) -> bool:
        """Whether anything cannot be used."""
        return any(self._unreadable.values()) or any(self._missing.values())

    @property
    def digests(self) -> tuple[str, str]:
        """The digest of the states that the last run reached, and the one after it of a run without changes.

        Both are "" when the last run left refreshes or a journal, or anything is damaged; the second one where it is
        not known or the same.
        """
        is_left = self.is_damaged or bool(self.saved.owed) or self.texts[JOURNAL] is not None
        return ("", "") if is_left else (self.saved.digest, self.saved.settled)

    def faults(self, *, is_put_aside: bool) -> Iterator[tuple[str, str, dict[str, int]]]:
        """Yield the name of each file that cannot be used as a whole, a message, and fields for it."""
        for name in self.texts:
            unreadable = self._unreadable[name]
            if not self._used[name] and (unreadable or self._missing[name]):
                what = "was put aside" if is_put_aside else "is not used"
                yield name, f"The state of earlier runs is damaged, and {what}", {}
            elif unreadable:
                yield name, "Lines of the state of earlier runs cannot be read", {"lines": unreadable}
            elif self._missing[name]:
                yield name, "Lines of the state of earlier runs are missing", {}


def stored_files(directory: StateDirectory, size: int = LARGEST_FILE) -> StoredFiles:
    """Return the state in a directory, read again when another run wrote meanwhile. Raises StoreError."""
    opened = directory.opened()
    for _reading in range(_MOST_READINGS):
        found = StoredFiles(opened, size)
        if not found.is_damaged or found.noted == noted_in(opened):
            break
    return found


def noted_in(opened: OpenState | None) -> bytes:
    """Return the text in the file that is locked, nothing when it cannot be read."""
    try:
        return (content_of(opened, LOCK_NAME, HEAD) or b"").rstrip()
    except StoreError:
        return b""


def is_short(noted: bytes, stamp: str, size: int) -> bool:
    """Return whether a journal with a stamp is shorter than the text in the file that is locked says."""
    words = noted.split()
    return len(words) == 2 and words[0] == stamp.encode() and words[1].isdigit() and size < int(words[1])
