# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The records of a state, and the fold of them that says what earlier runs left (docs/design/state.md).

A run strikes off records by their ids: the ids that it read before it decided, and its own. So it strikes off nothing
that another run noted meanwhile. To fold a record twice is the same as to fold it once.
"""

from __future__ import annotations

from ...model.clock import timestamp
from .ids import Ids
from .lines import Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, List, Mapping, Sequence

    from ...resources.undone.undo_record import UndoRecord

    #: Records that a caller notes on disk.
    Records = List["Record"]

#: The numbers of words in the state entry of a resource (cause.py).
_ENTRY_LENGTHS = (2, 3, 4, 5)
#: Between the words of a resource in memory.
_BETWEEN = "\0"


class Record:
    """One line of a state; where it `is_synced` a power failure does not lose it once it was noted."""

    kind = ""
    is_synced = False
    #: The names of the attributes that are its words after its kind.
    names: tuple[str, ...] = ()

    def words(self) -> Sequence[str]:
        """Return its words after its kind."""
        return [getattr(self, name) for name in self.names]

    def fold(self, saved: Saved) -> None:
        """Change what earlier runs left as the record says."""
        raise NotImplementedError

    def line(self) -> list[str]:
        """Return all its words."""
        return [self.kind, *self.words()]


class Beginning(Record):
    """Begins the file `state`: the digest of the states that the last run reached, and what was left.

    `settled` is the digest that the next run has when nothing changes, "" where that is not known or is `digest`, and
    `journal` the stamp of the last journal that is part of it.
    """

    kind = "state"
    names = ("digest", "settled", "owed", "journal")

    def __init__(self, digest: str, settled: str, owed: str, journal: str) -> None:
        self.digest = digest
        self.settled = settled
        self.owed = owed
        self.journal = journal

    def fold(self, saved: Saved) -> None:
        """Take the digests over."""
        saved.digest, saved.settled, saved.journal = self.digest, self.settled, self.journal


class JournalBeginning(Record):
    """Begins the file `journal`, which has a `stamp`, and belongs to the manifest of an `identity`."""

    kind = "journal"
    names = ("stamp", "identity")

    def __init__(self, stamp: str, identity: str) -> None:
        self.stamp = stamp
        self.identity = identity

    def fold(self, saved: Saved) -> None:
        """Take the identity over."""
        saved.identity, saved.noted = self.identity, self.stamp


class Whose(Record):
    """The state belongs to the manifest of an `identity`."""

    kind = "manifest"
    names = ("identity",)

    def __init__(self, identity: str) -> None:
        self.identity = identity

    def fold(self, saved: Saved) -> None:
        """Take the identity over."""
        saved.identity = self.identity


class Written(Record):
    """The file `state` was written at a `time`, as text."""

    kind = "written"
    names = ("time",)

    def __init__(self, time: str) -> None:
        self.time = time

    def fold(self, saved: Saved) -> None:
        """Take the time over."""
        saved.written = self.time


class Reached(Record):
    """What the resource of a `key` leaves (orphans.py), and its state entry (cause.py)."""

    kind = "resource"

    def __init__(self, key: str, *words: str) -> None:
        if len(words) - 1 not in _ENTRY_LENGTHS:
            raise Damaged
        self.key = key
        self.entry = _BETWEEN.join(words)

    def words(self) -> Sequence[str]:
        """Return its words after its kind."""
        return self.key, *self.entry.split(_BETWEEN)

    def fold(self, saved: Saved) -> None:
        """Take the entry over."""
        saved.resources[self.key] = self.entry


class Owed(Record):
    """A refresh that `subscriber` is owed since `cause` was about to change, both resources, at a time as text.

    It `is_doubtful` when the change failed and it is not known whether it changed anything, and `is_of_this_run` when
    an earlier step of a run that goes on noted it.
    """

    kind = "owe"
    names = ("id", "subscriber", "cause", "since")
    is_synced = True

    def __init__(self, id: str, subscriber: str, cause: str, since: str) -> None:
        self.id = id
        self.subscriber = subscriber
        self.cause = cause
        self.since = since
        self.is_doubtful = self.is_of_this_run = False

    def fold(self, saved: Saved) -> None:
        """Owe it."""
        known = saved.owed.get(self.id)
        self.is_doubtful = bool(known and known.is_doubtful)
        saved.owed[self.id] = self


class WithIds(Record):
    """A record about others, which have these `ids`."""

    def __init__(self, *ids: str) -> None:
        self.ids = ids

    def words(self) -> Sequence[str]:
        """Return its words after its kind."""
        return self.ids


class Doubt(WithIds):
    """The causes of these refreshes failed, and may have changed nothing."""

    kind = "doubt"

    def fold(self, saved: Saved) -> None:
        """Doubt them."""
        for id in self.ids:
            if id in saved.owed:
                saved.owed[id].is_doubtful = True


class Settled(WithIds):
    """These refreshes were made, or are not needed."""

    kind = "settle"

    def fold(self, saved: Saved) -> None:
        """Strike them off."""
        for id in self.ids:
            saved.owed.pop(id, None)


class Kept(Record):
    """What a change replaces, with the id of the record; noted before the change and after it."""

    kind = "kept"

    def __init__(self, id: str, key: str, fields: str) -> None:
        from ...resources.undone.undo_record import read_undo_record

        self.id = id
        self.change = read_undo_record(key, fields)

    @classmethod
    def of(cls, id: str, change: UndoRecord) -> Kept:
        """Return the record of a change."""
        record = cls.__new__(cls)
        record.id, record.change = id, change
        return record

    def words(self) -> Sequence[str]:
        """Return its words after its kind."""
        return self.id, self.change.key, self.change.fields()

    def fold(self, saved: Saved) -> None:
        """Keep it; parts that were kept before it stay."""
        known = saved.kept.get(self.id)
        saved.kept[self.id] = self.change.joined(known) if known else self.change
        saved.begun.discard(self.id)


class KeptBefore(Kept):
    """The same, before the change."""

    kind = "keep"
    is_synced = True

    def fold(self, saved: Saved) -> None:
        """Keep it; the change may not be made yet."""
        super().fold(saved)
        saved.begun.add(self.id)


class Lost(Record):
    """What a change of the resource of a `key` replaced is not kept, for a `reason`."""

    kind = "lost"
    names = ("id", "key", "reason")

    def __init__(self, id: str, key: str, reason: str) -> None:
        self.id = id
        self.key = key
        self.reason = reason

    def fold(self, saved: Saved) -> None:
        """Note it."""
        saved.lost[self.id] = self


class Forgotten(WithIds):
    """Kept and lost changes are not needed any more."""

    kind = "forgotten"

    def fold(self, saved: Saved) -> None:
        """Strike them off."""
        for id in self.ids:
            saved.kept.pop(id, None)
            saved.begun.discard(id)
            saved.lost.pop(id, None)


class Undone(Forgotten):
    """The same, because the changes were undone."""

    kind = "undone"

    def fold(self, saved: Saved) -> None:
        """Forget the resources too."""
        for id in self.ids:
            change = saved.kept.get(id)
            if change:
                saved.resources.pop(change.key, None)
        super().fold(saved)


class End(Record):
    """Ends the file `state`."""

    kind = "end"

    def fold(self, saved: Saved) -> None:
        """Note that the file is complete."""
        saved.is_complete = True


_KINDS: Mapping[str, Callable[..., Record]] = {
    each.kind: each
    for each in (
        *(Beginning, JournalBeginning, Whose, Written, Reached, Owed, Doubt, Settled),
        *(Kept, KeptBefore, Lost, Forgotten, Undone, End),
    )
}


class Saved:
    """What earlier runs of the manifest of an `identity` left: the fold of their records.

    `written` is when it was saved, `noted` the stamp of its journal, and `journal` the stamp of the last journal that
    is part of the file `state`, which `is_complete` when it has its end.
    `marks` are the digests of the keys of resources that runs without state changed, and that could be undone.
    """

    def __init__(self, identity: str = "") -> None:
        self.identity = identity
        self.digest = ""
        self.settled = ""
        self.written = ""
        self.journal = ""
        self.noted = ""
        self.is_complete = False
        self.marks: set[str] = set()
        #: The marks that records say as much as.
        self.noted_marks: set[str] = set()
        self.owed: dict[str, Owed] = {}
        # By the keys of resources, the words of Reached as one text, which takes less memory.
        self.resources: dict[str, str] = {}
        self.kept: dict[str, UndoRecord] = {}
        #: The ids of records that were noted before a change, and not after it.
        self.begun: set[str] = set()
        self.lost: dict[str, Lost] = {}

    def entries(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the keys of resources, each with the word that says what it leaves, and its state entry."""
        for key, entry in self.resources.items():
            yield key, entry.split(_BETWEEN)

    def entry(self, key: str) -> list[str]:
        """Return the same words of one resource, none when it was not managed before."""
        found = self.resources.get(key)
        return [] if found is None else found.split(_BETWEEN)

    def reach(self, key: str, remains: str, entry: Sequence[str]) -> None:
        """Take over the word that says what a resource leaves, and its state entry."""
        self.resources[key] = _BETWEEN.join((remains, *entry))

    def settle(self) -> None:
        """Forget the changes of the last run: another one reached the same states, and changed nothing."""
        self.digest, self.settled = self.settled, ""
        for key, entry in self.resources.items():
            self.resources[key] = _BETWEEN.join(entry.split(_BETWEEN, 3)[:3])

    def changes(self) -> dict[str, tuple[list[str], UndoRecord]]:
        """Return the changes by the keys of resources: the ids of the records of one, and what all of them say.

        What was kept first of a part was there before the first change.
        """
        found: dict[str, tuple[list[str], UndoRecord]] = {}
        for id, change in self.kept.items():
            ids, older = found.get(change.key, ([], None))
            found[change.key] = ([*ids, id], change.copy().joined(older) if older else change.copy())
        return found

    def lines(self) -> Iterator[list[str]]:
        """Yield the words of the lines of the file `state`."""
        yield Beginning(self.digest, self.settled, str(len(self.owed)), self.journal).line()
        yield Whose(self.identity).line()
        yield Written(timestamp()).line()
        for owed in self.owed.values():
            yield owed.line()
        doubtful = [owed.id for owed in self.owed.values() if owed.is_doubtful]
        if doubtful:
            yield Doubt(*doubtful).line()
        kind = Reached.kind
        for key, entry in self.resources.items():
            yield [kind, key, *entry.split(_BETWEEN)]
        new = Ids()
        for ids, change in self.changes().values():
            if len(ids) > 1 and self.begun.isdisjoint(ids):
                # One record, which no run has read yet, so that no run strikes off what another one kept.
                yield Kept.of(new.new(), change).line()
            else:
                for id in ids:
                    record = KeptBefore if id in self.begun else Kept
                    yield record.of(id, self.kept[id]).line()
        for lost in self.lost.values():
            yield lost.line()
        yield End().line()


def record_of(words: Sequence[str]) -> Record:
    """Return the record of the words of a line. Raises Damaged."""
    kind = _KINDS.get(words[0])
    if kind is None:
        raise Damaged
    try:
        return kind(*words[1:])
    except (TypeError, ValueError):
        raise Damaged from None
