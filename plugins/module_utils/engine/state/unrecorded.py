# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of runs without state: they are marked, so that later runs know what they do not know (docs/state.md)."""

from __future__ import annotations

from ...model.errors import StoreError
from ...resources.types import relations
from ..around import Around
from ..between_runs import KEY_SEPARATOR, wants_reversal
from ..late_calls import senders_of
from ..state_directory import StateDirectory
from .cause import readable_state, seen_digest, shows_changes
from .own_files import MARKS, VOID_MARKS, digest_of_key, mark, remove
from .records import Doubt, Owed, Saved, Settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.log import Log
    from ...model.state import State
    from ..around import Applied, AppliedManifest, Go, Work
    from ..attempt import Attempt
    from .records import Records


class UnrecordedState(Around):
    """Surrounds the resources of a manifest, `declaring`, of a run without state: marks what changes in a `directory`.

    `prefix` is the beginning of the keys of its resources.
    """

    def __init__(self, directory: StateDirectory, declaring: AppliedManifest, prefix: str = "") -> None:
        self._directory = directory
        self._declaring = declaring
        self._prefix = prefix
        self._senders = senders_of(declaring)

    def child(self, applied: Applied) -> UnrecordedState:
        """Return the same for an applied manifest."""
        prefix = f"{self._prefix}{applied.by(self._declaring)}{KEY_SEPARATOR}"
        return UnrecordedState(self._directory, applied.manifest, prefix)

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Mark a resource, then change it; take the mark back when nothing changed."""
        resource = attempt.resource
        if attempt.noop:
            return (yield from go(attempt))
        is_sender = not self._senders.isdisjoint(resource.names)
        key, is_reversed = self._prefix + resource.reference, wants_reversal(resource)
        mark = ChangeMark(self._directory, key, is_reversed=is_reversed, is_sender=is_sender)
        before = attempt.state
        try:
            after = yield from go(attempt)
        except Exception:
            related = relations(resource.type)
            left = readable_state(resource, attempt.provider) if shows_changes(related) else None
            if left and seen_digest(resource, related, left) == seen_digest(resource, related, before):
                mark.take_back()
            raise
        if not after.changed:
            mark.take_back()
        return after


def unrecorded_state(identity: str, manifest: AppliedManifest, root: str, log: Log) -> UnrecordedState | None:
    """Return what surrounds the resources of a manifest of an `identity` in a run without state, below a `root`.

    None where there is no state of it and nothing is marked; a warning says what cannot be undone later.
    """
    directory = StateDirectory(root, identity, log)
    try:
        if identity and directory.opened() is not None:
            return UnrecordedState(directory, manifest)
    except StoreError:
        return None
    if any(map(wants_reversal, manifest.resources)):
        log.warn(
            "What this run changes cannot be undone later: it keeps no state",
            advice="leave out --no-state where resources have meta.reverse or meta.undo"
            if identity
            else "a manifest on standard input keeps state under a name: engine: {state: NAME}",
        )
    return None


class ChangeMark:
    """Empty files that say that the resource of a key changes without state, as far as they can be made."""

    def __init__(self, directory: StateDirectory, key: str, *, is_reversed: bool, is_sender: bool) -> None:
        self._directory = directory
        self._name = MARKS + digest_of_key(key)
        self._missing = [self._name] if is_reversed else []
        if is_sender:
            self._missing.append(VOID_MARKS + digest_of_key(key))
        self._is_new = False
        self.make()

    def make(self) -> None:
        """Make the files that are missing, if that is possible now."""
        try:
            opened = self._directory.opened()
            while opened and self._missing:
                is_made = mark(opened, self._missing[0])
                self._is_new = self._is_new or (is_made and self._missing[0] == self._name)
                del self._missing[0]
        except StoreError:
            return

    def take_back(self) -> None:
        """Say that the resource did not change, unless it did in an earlier run. What it sent does not count still."""
        if self._name in self._missing:
            self._missing.remove(self._name)
        try:
            if self._is_new:
                remove(self._directory.opened(), self._name)
        except StoreError:
            return


class Unnoted:
    """What a run could not note on disk: the refreshes that it owes, and the marks of what it changed."""

    def __init__(self) -> None:
        self._saved = Saved()
        self._settled: set[str] = set()
        #: By the keys of resources.
        self.marks: dict[str, ChangeMark] = {}

    def add(self, records: Records) -> None:
        """Remember records about refreshes."""
        for record in records:
            if isinstance(record, Settled):
                self._settled.update(set(record.ids).difference(self._saved.owed))
            if isinstance(record, (Owed, Doubt, Settled)):
                record.fold(self._saved)

    def records(self) -> Records:
        """Return what the records say all together."""
        found: Records = [Settled(*sorted(self._settled))] if self._settled else []
        doubted = [owed.id for owed in self._saved.owed.values() if owed.is_doubtful]
        return [*found, *self._saved.owed.values(), *([Doubt(*doubted)] if doubted else [])]
