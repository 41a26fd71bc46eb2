# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A store as a whole: what it keeps of which manifests, and how that is moved and removed (docs/state.md)."""

from __future__ import annotations

import errno
import os
import time
from contextlib import ExitStack

from ...host.hidden_files import is_hidden
from ...model.log import Log
from ..recorded_event import nanoseconds
from .errors import Damaged, StoreError
from .files import LOCK_NAME, StateFiles, is_own_directory, unusable
from .saved import Saved, saved_in
from .store import CONTENT_FILES, JOURNAL, MANIFESTS, SAVED, SENT_FILES, ManifestStore

_FILES = (SENT_FILES, CONTENT_FILES)
_PUT_ASIDE = f"{SAVED}.damaged-"
_NAME_LENGTH = 32
_HEX = frozenset("0123456789abcdef")
_DAY = 24 * 60 * 60
#: After so many days what is kept of a manifest that is gone is dropped.
UNUSED_DAYS = 180


class KeptManifest:
    """What is kept of one manifest, in `directory`.

    Its `identity` is "" where only a first run that did not end left something. `unreadable` is the number of lines
    that were left out. Where `fault` is not "", it is why nothing can be read.
    """

    def __init__(self, directory: str, saved: Saved, unreadable: int = 0, fault: str = "") -> None:
        self.directory = directory
        self.saved = saved
        self.unreadable = unreadable
        self.fault = fault

    @property
    def identity(self) -> str:
        """The identity of the manifest."""
        return self.saved.identity

    @property
    def is_gone(self) -> bool:
        """Whether the manifest was a file that does not exist any more; False where that cannot be seen."""
        if not self.identity.startswith("/"):
            return False
        try:
            os.stat(self.identity)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):
            return False
        return False

    def is_older(self, end: float) -> bool:
        """Return whether it was last written before `end`, in seconds since 1970; False where that is not known."""
        journal = _found(f"{self.directory}/{JOURNAL}")
        try:
            return nanoseconds(self.saved.written) < end * 1_000_000_000 and (not journal or journal.st_mtime < end)
        except ValueError:
            return False


def kept_manifests(root: str) -> list[KeptManifest]:
    """Return what the store `root` keeps of each manifest, sorted by identity; nothing when there is no store.

    What cannot be read of one manifest is its fault. Raises StoreError when the store cannot be used.
    """
    place = f"{root}/{MANIFESTS}"
    if not (is_own_directory(root) and is_own_directory(place)):
        return []
    try:
        names = os.listdir(place)
    except OSError as error:
        raise unusable(place, error) from None
    directories = [f"{place}/{name}" for name in names if len(name) == _NAME_LENGTH and _HEX.issuperset(name)]
    found = [each for each in (_kept(root, directory) for directory in directories) if each]
    return sorted(found, key=lambda each: (each.identity, each.directory))


def kept_manifest(root: str, identity: str) -> KeptManifest:
    """Return what is kept of a manifest. Raises StoreError when that is nothing, or cannot be read."""
    files = _files(root, identity)
    found = _read(root, files) if _is_there(root, files) else None
    if found is None:
        raise _unknown(identity)
    found.saved.identity = identity
    return found


def is_kept(root: str, identity: str) -> bool:
    """Return whether anything is kept of a manifest, also when it cannot be read. Raises StoreError."""
    return _is_there(root, _files(root, identity))


def require_kept(root: str, identity: str) -> None:
    """Raise StoreError when nothing is kept of a manifest."""
    if not is_kept(root, identity):
        raise _unknown(identity)


def forget(root: str, identity: str, log: Log | None = None) -> None:
    """Remove what is kept of a manifest, also when it cannot be read. Raises StoreError, also when that is nothing.

    `log` is written out before the lock is waited for.
    """
    require_kept(root, identity)
    files = _files(root, identity, log)
    with files.locked() as directory:
        _remove(files, directory)


def move(root: str, old: str, new: str) -> None:
    """Make what is kept of the manifest `old` that of the manifest `new`; both are identities.

    Raises StoreError when both are the same, when nothing is kept of `old`, or it cannot be read, and when something is
    kept of `new`.
    """
    if old == new:
        raise StoreError(f"{old} cannot be moved to itself", value=new, advice="name another manifest to move it to")
    source, target = _files(root, old), _files(root, new)
    kept_manifest(root, old)
    _require_nothing(root, target, new)
    with ExitStack() as stack:
        # In the same order in every process, so that two of them never wait for each other.
        both = sorted((source, target), key=lambda files: files.directory)
        locked = {files: stack.enter_context(files.locked()) for files in both}
        kept = kept_manifest(root, old)
        _require_nothing(root, target, new)
        kept.saved.identity = new
        for name in _values_and_contents(source):
            target.replace(name, source.read(name) or b"", locked[target], synced=True)
        target.replace(SAVED, kept.saved.text(), locked[target], synced=True)
        _remove(source, locked[source])


def prune(root: str, days: int, now: float, log: Log | None = None) -> list[KeptManifest]:
    """Remove, and return, what is kept of manifests that are gone, and was last written more than `days` before `now`.

    `now` is in seconds since 1970; `log` as in `forget`. Raises StoreError.
    """
    end = now - days * _DAY
    removed = []
    for each in kept_manifests(root):
        if _is_left(each, end):
            files = StateFiles(root, each.directory, log or Log())
            with files.locked() as directory:
                found = _kept(root, each.directory)
                if found and _is_left(found, end):
                    _remove(files, directory)
                    removed.append(found)
    return removed


def drop_unused(root: str, log: Log) -> None:
    """Drop what is kept of manifests that are gone and unused for UNUSED_DAYS; one that cannot be dropped is left."""
    try:
        dropped = prune(root, UNUSED_DAYS, time.time(), log)
    except StoreError as error:
        log.debug("State that is not used any more cannot be dropped", reason=error.message)
        return
    for each in dropped:
        log.info("Dropped the state of a manifest that is gone", manifest=each.identity)


def _is_left(kept: KeptManifest, end: float) -> bool:
    return kept.is_gone and kept.is_older(end)


def _files(root: str, identity: str, log: Log | None = None) -> StateFiles:
    return ManifestStore(root, identity, log or Log()).files


def _is_there(root: str, files: StateFiles) -> bool:
    """Return whether there are files with state. Raises StoreError when a directory of the store cannot be used."""
    if not all(map(is_own_directory, (root, f"{root}/{MANIFESTS}", files.directory))):
        return False
    return any(_found(f"{files.directory}/{name}") for name in (SAVED, JOURNAL))


def _require_nothing(root: str, files: StateFiles, identity: str) -> None:
    if _is_there(root, files):
        raise StoreError(
            f"state is kept of {identity} already",
            value=identity,
            advice=f"remove it first with: ccm state forget {identity}",
        )


def _kept(root: str, directory: str) -> KeptManifest | None:
    """Return what is kept in a directory, None when that is nothing."""
    try:
        return _read(root, StateFiles(root, directory, Log())) if is_own_directory(directory) else None
    except StoreError as error:
        return KeptManifest(directory, Saved(), fault=error.message)


def _read(root: str, files: StateFiles) -> KeptManifest | None:
    # The journal first: a run that ends meanwhile moves its content into the other file.
    journal = files.read(JOURNAL)
    text = files.read(SAVED)
    if journal is None and text is None:
        return None
    path = f"{files.directory}/{SAVED}"
    try:
        saved = Saved() if text is None else saved_in(text)
        if text is not None and _files(root, saved.identity).directory != files.directory:
            raise Damaged
    except Damaged:
        advice = "the next run puts it aside; ccm state forget removes it"
        raise StoreError(f"{path} is damaged", value=path, advice=advice) from None
    except StoreError as error:
        raise error.prefixed(f"{path} ") from None
    return KeptManifest(files.directory, saved, saved.follow(journal or b""))


def _remove(files: StateFiles, directory: int) -> None:
    """Remove the files of a manifest, and the directory unless it holds others; `directory` is locked."""
    try:
        names = os.listdir(directory)
    except OSError as error:
        raise unusable(files.directory, error) from None
    ours = [name for name in names if name == JOURNAL or name.startswith((_PUT_ASIDE, *_FILES)) or is_hidden(name)]
    # Last the file that names the manifest: what remains when this ends early can be found.
    for name in (*ours, SAVED):
        files.remove(name, directory)
    if set(names) - {*ours, SAVED, LOCK_NAME}:
        return
    files.remove(LOCK_NAME, directory)
    try:
        os.rmdir(files.directory)
    except OSError as error:
        # Another run may have begun to keep state anew.
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise unusable(files.directory, error) from None


def _values_and_contents(files: StateFiles) -> list[str]:
    """Return the names of the files with what resources sent, and what was in files."""
    try:
        return [name for name in os.listdir(files.directory) if name.startswith(_FILES)]
    except OSError as error:
        raise unusable(files.directory, error) from None


def _found(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None


def _unknown(identity: str) -> StoreError:
    return StoreError(f"no state is kept of {identity}", value=identity, advice="see what is kept: ccm state list")
