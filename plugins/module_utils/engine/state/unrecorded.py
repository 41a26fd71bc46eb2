# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of runs without state: they are marked, so that later runs know what they do not know (docs/state.md)."""

from __future__ import annotations

from ...model.errors import StoreError
from ..around import Around
from ..between_runs import KEY_SEPARATOR, wants_reversal
from ..late_calls import senders_of
from ..state_directory import MARKS, VOID_MARKS, StateDirectory, digest_of_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.log import Log
    from ...model.state import State
    from ..around import Applied, AppliedManifest, Go, Work
    from ..attempt import Attempt


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
        """Mark a resource, then change it."""
        resource = attempt.resource
        if not attempt.noop:
            mark_change(
                self._directory,
                self._prefix + resource.reference,
                is_reversed=wants_reversal(resource),
                is_sender=not self._senders.isdisjoint(resource.names),
            )
        return go(attempt)


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
            advice="leave out --no-state where resources have meta.reverse or meta.undo",
        )
    return None


def mark_change(directory: StateDirectory, key: str, *, is_reversed: bool, is_sender: bool) -> None:
    """Leave empty files that say that the resource of a key changed without state, as far as they can be made."""
    prefixes = [prefix for prefix, is_wanted in ((MARKS, is_reversed), (VOID_MARKS, is_sender)) if is_wanted]
    for prefix in prefixes:
        try:
            directory.mark(prefix + digest_of_key(key))
        except StoreError:
            continue
