# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The saved state of a manifest as text: one file that is replaced, and a journal of later records.

Both have lines of words with tabs between them (docs/design/state.md). A run without changes reads only the first line
of the file: the version of the format, the digest of the reached states, and the number of refreshes that are owed. To
read a journal twice is the same as to read it once.
"""

from __future__ import annotations

from ...model.clock import timestamp
from ...model.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, List

    from .undo_record import UndoRecord

    #: The state entries of resources by their keys (cause.py).
    Reached = Dict[str, List[str]]

VERSION = 2
OWE, DOUBT, SETTLE = "owe", "doubt", "settle"
#: Undo records before a change, which must be on disk then, and after it; changes that cannot be undone; undone and
#: forgotten changes.
BEFORE_CHANGE, AFTER_CHANGE, LOST, UNDONE, FORGOTTEN = "keep", "kept", "lost", "undone", "forgotten"
_MARK, _END = "ccm-state", "end"
MANIFEST = "manifest"
_WRITTEN, _RESOURCE = "written", "resource"
#: The numbers of words in the state entry of a resource: unchanged, changed, and each with an outcome.
UNCHANGED, CHANGED = 2, 5
_LENGTHS = (UNCHANGED, UNCHANGED + 1, CHANGED, CHANGED + 1)
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Damaged(Exception):
    """A file of a store has content that no version of this program wrote."""


class OwedRefresh:
    """A refresh that the resource `subscriber` is owed since `cause`, a resource too, was about to change.

    `since` is a time as text. It `is_doubtful` when the change failed and it is not known whether it changed anything.
    """

    def __init__(self, id: str, subscriber: str, cause: str, since: str, *, is_doubtful: bool = False) -> None:
        self.id = id
        self.subscriber = subscriber
        self.cause = cause
        self.since = since
        self.is_doubtful = is_doubtful

    def record(self) -> list[str]:
        """Return it as the words of a line."""
        return [OWE, self.id, self.subscriber, self.cause, self.since]


class Saved:
    """The saved state of the manifest of an `identity`; `digest` is the digest of all states that its last run reached.

    `written` is the time of that run as text.
    """

    def __init__(self, identity: str = "") -> None:
        self.identity = identity
        self.digest = ""
        self.written = ""
        self.owed: dict[str, OwedRefresh] = {}
        self.resources: Reached = {}
        #: The words of remains.py by the keys of resources.
        self.remains: dict[str, str] = {}
        self.undo_records: dict[str, UndoRecord] = {}
        #: The keys of resources whose first change could not be saved.
        self.lost: set[str] = set()

    def text(self) -> bytes:
        """Return the content as a file."""
        records = [[_MARK, str(VERSION), self.digest, str(len(self.owed))], [MANIFEST, self.identity]]
        records.append([_WRITTEN, timestamp()])
        for owed in self.owed.values():
            records += [owed.record(), [DOUBT, owed.id]] if owed.is_doubtful else [owed.record()]
        records += [[_RESOURCE, key, self.remains.get(key, ""), *entry] for key, entry in self.resources.items()]
        records += [each.record() for each in self.undo_records.values()]
        records += [[LOST, key] for key in sorted(self.lost)]
        return lines([*records, [_END]])

    def follow(self, journal: bytes) -> int:
        """Add the records of a journal; return the number of its lines that cannot be read, which are left out."""
        unreadable = 0
        for line in journal.split(b"\n"):
            try:
                if line:
                    self._follow(_words(line))
            except Damaged:
                unreadable += 1
        return unreadable

    def _follow(self, record: list[str]) -> None:
        action, *words = record
        if action == OWE and len(words) == 4:
            self.owed[words[0]] = OwedRefresh(*words)
        elif action == DOUBT:
            for id in words:
                if id in self.owed:
                    self.owed[id].is_doubtful = True
        elif action == SETTLE:
            for id in words:
                self.owed.pop(id, None)
        elif action in (BEFORE_CHANGE, AFTER_CHANGE) and len(words) == 2:
            from .undo_record import read_undo_record

            change, older = read_undo_record(*words), self.undo_records.get(words[0])
            # Two runs at once may both note the state before their first change.
            self.undo_records[words[0]] = change.joined(older) if older else change
        elif action == LOST:
            self.lost.update(words)
        elif action in (UNDONE, FORGOTTEN):
            for key in words:
                self.undo_records.pop(key, None)
                self.lost.discard(key)
                if action == UNDONE:
                    self.resources.pop(key, None)
                    self.remains.pop(key, None)
        elif action == MANIFEST and len(words) == 1:
            self.identity = words[0]
        else:
            raise Damaged

    def _read(self, record: list[str]) -> None:
        kind, *words = record
        if kind == _RESOURCE and len(words) - 2 in _LENGTHS:
            self.resources[words[0]] = words[2:]
            if words[1]:
                self.remains[words[0]] = words[1]
        elif kind == _WRITTEN and len(words) == 1:
            self.written = words[0]
        else:
            self._follow(record)


def saved_in(text: bytes) -> Saved:
    """Return the content of a file. Raises Damaged, and StoreError for a file of a later version."""
    first, *records = text.split(b"\n")
    saved = Saved()
    saved.digest = digest_in(first)[0]
    if records[-2:] != [_END.encode(), b""]:
        raise Damaged
    for line in records[:-2]:
        saved._read(_words(line))
    return saved


def digest_in(text: bytes) -> tuple[str, bool]:
    """Return the digest in the first line of a file, and whether refreshes are owed.

    Raises as `saved_in`; only the first line of a file is read.
    """
    words = _words(text.partition(b"\n")[0])
    version = words[1] if len(words) > 1 else ""
    if version != str(VERSION):
        from ...lang.digits import whole_number

        number = whole_number(version)
        if words[0] != _MARK or not number:
            raise Damaged
        if number > VERSION:
            raise StoreError(f"was written by a later version of ccm (format {number}, this one knows {VERSION})")
    if words[0] != _MARK or len(words) != 4 or not (words[3].isascii() and words[3].isdigit()):
        raise Damaged
    return words[2], words[3] != "0"


def lines(records: Iterable[Iterable[str]]) -> bytes:
    """Return records, which are lists of words, as lines."""
    text = "".join("\t".join(word.translate(_ESCAPES) for word in record) + "\n" for record in records)
    return text.encode("utf-8", "surrogatepass")


def _words(line: bytes) -> list[str]:
    try:
        text = line.decode("utf-8", "surrogatepass")
    except ValueError:
        raise Damaged from None
    words = text.split("\t")
    return words if "\\" not in text else [_unescaped(word) for word in words]


def _unescaped(word: str) -> str:
    parts = word.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)
