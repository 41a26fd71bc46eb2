# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state between runs, around the resources of a run: as long as nothing changes it compares one digest.

The rest is imported when a resource changes, or when earlier runs left anything (docs/design/state.md).
"""

from __future__ import annotations

import _imp
import _thread
import os

from ..host.digests import sha256_hex, short_sha256
from ..model.errors import StoreError
from ..model.resource import ResourceType
from ..redaction.texts import shown_source
from .around import Around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Mapping, Sequence

    from ..model.contract import AnyType
    from ..model.event import Event
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Value
    from ..resources.undone.undo_record import UndoRecord
    from .around import Applied, AppliedManifest, Go, Work
    from .attempt import Attempt
    from .notifying import Notifying
    from .reached import Reached
    from .state.changes import Changes
    from .state.manifest_changes import ManifestChanges
    from .state_directory import StateDirectory

#: Between the references in the key of a resource of an applied manifest.
KEY_SEPARATOR = " > "
#: The directory in a root that holds the directories of the manifests.
MANIFESTS = "manifests"
#: The saved state, and what was noted since.
SAVED, JOURNAL = "state", "journal"
#: The prefix of an empty file for a run that changed and left nothing, with its digest and the stamp of `state`.
STABLE = "stable-"
#: How directories of a state are opened.
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME_LENGTH = 32
# The keys of the two halves of the digest of a text.
_KEYS = (1, 2)


class StateBetweenRuns:
    """The state of one run; without `writes` it is only read. Its threads share it.

    It is in the directory of the manifest of an `identity` below a `root`. When the directory cannot be used, one
    warning says so and the run goes on without it.
    """

    def __init__(self, root: str, identity: str, log: Log, *, writes: bool) -> None:
        self.root = root
        self.identity = identity
        self.log = log
        self.writes = writes
        self.lock = _thread.RLock()
        self.top: ManifestState | None = None
        #: The digest of all states that the last run reached; it says that nothing else was left.
        self.digest = ""
        #: The events of resources, each with the state for the manifest.
        self.finished: list[tuple[ManifestState, Event]] = []
        #: Whether all events so far are of stable resources of manifests without expressions.
        self.is_stable = True
        self._looked_at = 0  # so many of the events
        self._settled = ""
        self._directory: StateDirectory | None = None
        self._changes: Changes | None = None
        # Digests of the texts of its manifests, and what events reached beside them.
        self._texts: list[bytes] = []
        self._reached: Reached | None = None
        self._is_marked = self._goes_on = self._is_saved = self._has_new_manifest = False
        try:
            self._read_digests()
        except StoreError as error:
            self.changes.give_up(error)

    def _read_digests(self) -> None:
        self.digest = stable_digest(self.root, self.identity)
        self._is_marked = bool(self.digest)
        if not self._is_marked:
            from .state.stored_files import stored_files

            found = stored_files(self.directory)
            self.digest, self._settled = found.digests
            if not self.digest:
                # Before the run: damaged files are put aside, and what another run owes meanwhile is not taken over.
                self.changes.read(found)

    @property
    def directory(self) -> StateDirectory:
        """The directory of the state."""
        if self._directory is None:
            from .state_directory import StateDirectory

            self._directory = StateDirectory(self.root, self.identity, self.log)
        return self._directory

    @property
    def changes(self) -> Changes:
        """What this run changes, and what earlier runs left."""
        with self.lock:
            if self._changes is None:
                from .state.changes import Changes

                self._changes = Changes(self)
            return self._changes

    @property
    def has_changes(self) -> bool:
        """Whether anything changed, or earlier runs may have left anything, such as an owed refresh."""
        return self._changes is not None

    def read_text(self, prefix: str, text: str) -> None:
        """Remember the text of a manifest of the run; `prefix` is the beginning of the keys of its resources."""
        self._texts.append(_digest_of_text(f"{prefix}\0{text}".encode("utf-8", "surrogatepass")))

    def of_manifest(self, manifest: AppliedManifest, notifying: Notifying | None) -> ManifestState:
        """Return the state for the manifest of the run."""
        self._has_new_manifest = self.top is not None
        self.top = _kind_of_state(manifest, notifying)(self, notifying, manifest)
        return self.top

    def sent(self, event: Event) -> dict[str, Value]:
        """Return what the resource of an event of this run sent last, nothing when that is not known.

        Raises ValueLost when that does not count any more.
        """
        with self.lock:
            return self.changes.last_sent(event)

    def undeclared(self) -> list[UndoRecord]:
        """Return the changes to undo: of resources that no manifest of the run declares any more."""
        is_same = not self._has_new_manifest and self.digests()[0] in (self.digest, self._settled)
        return [] if is_same and self._changes is None else self.changes.undeclared(is_same=is_same)

    @property
    def reached(self) -> Reached:
        """What resources reached, as far as the texts of manifests do not say it."""
        if self._reached is None:
            from .reached import Reached

            self._reached = Reached(self._texts)
        return self._reached

    def digests(self) -> tuple[str, str]:
        """Return the digest of all that was reached so far, and of the next run if nothing changes (reached.py)."""
        written = digest_of_set(self._texts)
        # An earlier run found that these texts say all that their stable resources reach.
        if self.is_stable and written == self.digest and not self._goes_on:
            return written, ""
        events, self._looked_at = self.finished[self._looked_at :], len(self.finished)
        for level, event in events:
            level.add_reached(event)
        return self._reached.digests() if self._reached else (written, "")

    def go_on(self) -> None:
        """Begin the next step of a run that does not end: what changed before did not change in it."""
        with self.lock:
            self.changes.go_on(is_saved=self._is_saved)
            if self._is_saved:
                self.finished, self._looked_at, self._reached = [], 0, None
                self._goes_on, self._is_saved = True, False

    def finish(self, *, is_whole: bool = True) -> None:
        """Save what was reached, at the end of the run; nothing is written when it was saved before.

        A run may go on after it, and call it again: only some of the resources are managed again then. It `is_whole`
        when it was not cut short.
        """
        if self._changes is not None:
            self._changes.take_up()
        if self.writes and not self._is_saved:
            digest, settled = self.digests()
            if self._goes_on:
                digest, settled, is_same = "", "", self._reached is None and not self._has_new_manifest
            elif not is_whole:
                digest, settled, is_same = "", "", bool(self.digest)
            else:
                is_same = digest == self.digest
            is_settled = bool(digest) and digest == self._settled
            self._reached = None
            if self._changes is not None or not (is_same or is_settled):
                self.changes.finish(digest, settled, is_same=is_same, is_settled=is_settled)
            elif digest and not self._is_marked:
                from .state.journal import Journal

                self._is_marked = Journal(self.directory).mark_stable(digest)
        self._is_saved, self._has_new_manifest = True, False
        if self._changes is not None:
            self._changes.close()


class ManifestState(Around):
    """The state of a run, for one of its manifests, `declaring`.

    The key of a resource is its reference, after the references of the resources that apply the manifest: `above` is
    the state of the manifest that applies it, and `applied_by` the reference of its apply resource. Unless the manifest
    `acts`, the resources of applied manifests may be incomplete.
    """

    may_refresh = False

    def __init__(
        self,
        run: StateBetweenRuns,
        notifying: Notifying | None,
        declaring: AppliedManifest,
        above: ManifestState | None = None,
        applied_by: str = "",
        *,
        acts: bool = True,
    ) -> None:
        self.run = run
        self.notifying = notifying
        self.declaring = declaring
        self.above = above
        self.applied_by = applied_by
        self.acts = acts
        self.prefix = f"{above.key(applied_by)}{KEY_SEPARATOR}" if above else ""
        self.children: dict[str, ManifestState] = {}
        self._changes: ManifestChanges | None = None
        self.is_literal = bool(declaring.literal)
        run.is_stable = run.is_stable and self.is_literal
        if self.is_literal:
            run.read_text(self.prefix, declaring.literal)

    @property
    def changes(self) -> ManifestChanges:
        """What the changes of its resources affect, and what its resources are owed."""
        with self.run.lock:
            if self._changes is None:
                from .state.manifest_changes import ManifestChanges

                self._changes = ManifestChanges(self)
            return self._changes

    def key(self, reference: str) -> str:
        """Return the key of a resource of the manifest."""
        return self.prefix + reference

    def child(self, applied: Applied) -> ManifestState:
        """Return the state for an applied manifest, whose resources are known now.

        A refresh that was owed to any resource of it is noted for the resources that it is for.
        """
        reference = applied.by(self.declaring)
        acts = applied.acts and self.acts
        kind = _kind_of_state(applied.manifest, applied.notifying)
        child = kind(self.run, applied.notifying, applied.manifest, self, reference, acts=acts)
        with self.run.lock:
            self.children[reference] = child
            if self.run.has_changes:
                child.changes.refreshes.take_over(self.key(reference))
        return child

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Note on disk the refreshes owed because of a change and the state that it replaces, then make it."""
        return self.run.changes.act(self, attempt, go)

    def event(self, event: Event) -> None:
        """Keep the event of a resource until the end of the run."""
        run, state = self.run, event.status
        run.finished.append((self, event))
        if state is None or event.changed or event.failed or event.skipped or state.changed or not state.stable:
            run.is_stable = False

    def add_reached(self, event: Event) -> None:
        """Add what the resource of an event reached beside the texts of manifests."""
        resource, state = event.resource, event.status
        if resource is None:
            return
        is_as_written = self.is_literal and not wants_reversal(resource)
        is_as_written = is_as_written and resource.type.determines(resource.properties)
        # A stable resource whose state follows from the text of the manifest adds nothing.
        is_other = event.failed or event.skipped or (event.changed and event.noop)
        if not is_as_written or is_other or state is None or state.changed or not state.stable:
            self.run.reached.add_event(self, event, is_as_written=is_as_written)

    def subscribed(self, resource: Resource) -> Sequence[str]:
        """Return the references to the resources whose change refreshes a resource."""
        found = resource.type.subscriptions(resource.properties)
        return [*found, *self.notifying.of(resource)] if self.notifying else found


def digest_of_set(digests: Iterable[bytes]) -> str:
    """Return one digest, in hexadecimal, of others in any order."""
    return sha256_hex(b"".join(sorted(digests)))


def _digest_of_text(text: bytes) -> bytes:
    """Return 16 bytes of the SipHash that Python knows sources by; in another Python it may differ.

    It is some five times as fast as the SHA-256 that needs no library, and the text of a manifest is no secret.
    """
    return b"".join([_imp.source_hash(key, text) for key in _KEYS])


def _kind_of_state(manifest: AppliedManifest, notifying: Notifying | None) -> type[ManifestState]:
    """Return the class of the state for a manifest."""
    if notifying is None and not any(map(_may_subscribe, {each.type for each in manifest.resources})):
        return ManifestState
    from .refreshed_state import RefreshedState

    return RefreshedState


def wants_reversal(resource: Resource) -> bool:
    """Return whether what a resource changes is to be kept."""
    meta = resource.properties.meta
    return meta is not None and bool(meta.get("reverse") or meta.get("undo"))


def _may_subscribe(type: AnyType) -> bool:
    return type.__class__.subscriptions is not ResourceType.subscriptions


def state_of_manifest(
    source: str, path: str, name: str, directory: str, log: Log, *, writes: bool
) -> StateBetweenRuns | None:
    """Return the state between runs of a manifest, None for a manifest without an identity (`identity_of`).

    `directory` is the given directory of all state, "" for the default.
    """
    identity = identity_of(source, path, name)
    if not identity:
        return None
    return StateBetweenRuns(state_directory(directory, os.environ), identity, log, writes=writes)


def identity_of(source: str, path: str, name: str = "") -> str:
    """Return the identity of a manifest, "" where it has none, as on standard input.

    It is the `name` that the manifest gives itself, else its address without credentials, else the real path of its
    file.
    """
    if name:
        return f"name:{name}"
    if "://" in source:
        return shown_source(source)
    real = os.path.realpath(path)
    return real if os.path.isfile(real) else ""


def state_directory(given: str, environ: Mapping[str, str]) -> str:
    """Return the directory of state: `given`, else the directory of the system for root, or of the user."""
    if given:
        return os.path.abspath(given)
    if not os.geteuid():
        return "/var/lib/ccm"
    base = environ.get("XDG_STATE_HOME", "")
    return os.path.join(base if base.startswith("/") else os.path.expanduser("~/.local/state"), "ccm")


def name_of(identity: str) -> str:
    """Return the name of the directory of the state of a manifest."""
    return short_sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_LENGTH]


def stable_digest(root: str, identity: str) -> str:
    """Return the digest of the runs that changed nothing since `state` was written.

    It is "" where no run did, something was noted since, or anything is in the way: the files say what was left, or
    opening them says why that cannot be known.
    """
    opened: list[int] = []
    try:
        for name in (root, MANIFESTS, name_of(identity)):
            opened.append(os.open(name, DIRECTORY, dir_fd=opened[-1] if opened else None))
            if not is_own(os.fstat(opened[-1])):
                return ""
        names = os.listdir(opened[-1])
        end = f"-{stamp_of(os.stat(SAVED, dir_fd=opened[-1], follow_symlinks=False))}"
    except (OSError, ValueError):
        return ""
    finally:
        for directory in opened:
            os.close(directory)
    marks = (name[len(STABLE) : -len(end)] for name in names if name.startswith(STABLE) and name.endswith(end))
    return "" if JOURNAL in names else next(marks, "")


def is_own(found: os.stat_result) -> bool:
    """Return whether a file or directory belongs to who runs this, and no other user may change it."""
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def stamp_of(found: os.stat_result) -> str:
    """Return a text that differs whenever the file `state`, `found` in its directory, was written since."""
    return f"{found.st_ino:x}.{found.st_ctime_ns:x}"
