# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The states of all manifests in a store: list, move and remove them (docs/state.md)."""

from __future__ import annotations

import errno
import os
import time

from ...host.hidden_files import is_hidden
from ...model.clock import timestamp
from ...model.errors import StoreError
from ...model.log import Log
from .files import LOCK_NAME, StateFiles, is_own_directory, unusable
from .saved import Damaged, Saved, saved_in
from .store import CONTENT_FILES, JOURNAL, MANIFESTS, SAVED, SENT_FILES, ManifestStore

_FILES = (SENT_FILES, CONTENT_FILES)
_PUT_ASIDE = f"{SAVED}.damaged-"
_NAME_LENGTH = 32
_HEX = frozenset("0123456789abcdef")
_DAY = 24 * 60 * 60
#: After so many days the state of a manifest that is gone is dropped.
UNUSED_DAYS = 180


class StoredManifest:
    """A manifest with stored state, in `directory`.

    Its `identity` is "" if the only run so far did not end. `unreadable` is the number of lines that were left out.
    `fault` is the reason why the state cannot be read, or "".
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
        """Whether the manifest was a file that does not exist any more; False if that is not known."""
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
        """Return whether the state was last written before `end`, in seconds since 1970; False if that is not known."""
        written, journal = self.saved.written, _found(f"{self.directory}/{JOURNAL}")
        if end < 0 or not written.startswith("20") or not written.endswith("Z"):
            return False
        # Times in UTC sort as texts do.
        return written < timestamp(int(end) * 1_000_000_000) and (not journal or journal.st_mtime < end)


def stored_manifests(root: str) -> list[StoredManifest]:
    """Return the manifests with state in the store `root`, sorted by identity; none when there is no store.

    A manifest whose state cannot be read has a `fault`. Raises StoreError when the store cannot be used.
    """
    directory = f"{root}/{MANIFESTS}"
    if not (is_own_directory(root) and is_own_directory(directory)):
        return []
    try:
        names = os.listdir(directory)
    except OSError as error:
        raise unusable(directory, error) from None
    directories = [f"{directory}/{name}" for name in names if len(name) == _NAME_LENGTH and _HEX.issuperset(name)]
    found = [each for each in (_stored(root, directory) for directory in directories) if each]
    return sorted(found, key=lambda each: (each.identity, each.directory))


def stored_manifest(root: str, identity: str) -> StoredManifest:
    """Return a manifest with stored state. Raises StoreError if there is no state, or it cannot be read."""
    files = _files(root, identity)
    found = _read(root, files) if _is_there(root, files) else None
    if found is None:
        raise _unknown(identity)
    found.saved.identity = identity
    return found


def is_stored(root: str, identity: str) -> bool:
    """Return whether a manifest has stored state, even if it cannot be read. Raises StoreError."""
    return _is_there(root, _files(root, identity))


def require_stored(root: str, identity: str) -> None:
    """Raise StoreError if a manifest has no stored state."""
    if not is_stored(root, identity):
        raise _unknown(identity)


def forget(root: str, identity: str, log: Log | None = None) -> None:
    """Remove the state of a manifest, even if it cannot be read. Raises StoreError, also if there is none.

    `log` is written out before the lock is waited for.
    """
    require_stored(root, identity)
    files = _files(root, identity, log)
    with files.locked() as directory:
        _remove(files, directory)


def move(root: str, old: str, new: str) -> None:
    """Move the state of the manifest `old` to the manifest `new`; both are identities.

    Raises StoreError when both are the same, when `old` has no state or it cannot be read, and when `new` has state.
    """
    if old == new:
        raise StoreError(f"{old} cannot be moved to itself", value=new, advice="name another manifest to move it to")
    source, target = _files(root, old), _files(root, new)
    stored_manifest(root, old)
    _require_nothing(root, target, new)
    # All processes lock in the same order, so that two of them never wait for each other.
    first, second = sorted((source, target), key=lambda files: files.directory)
    with first.locked() as first_directory, second.locked() as second_directory:
        locked = {first: first_directory, second: second_directory}
        stored = stored_manifest(root, old)
        _require_nothing(root, target, new)
        stored.saved.identity = new
        for name in _values_and_contents(source):
            target.replace(name, source.read(name) or b"", locked[target], synced=True)
        target.replace(SAVED, stored.saved.text(), locked[target], synced=True)
        _remove(source, locked[source])


def prune(root: str, days: int, now: float, log: Log | None = None) -> list[StoredManifest]:
    """Remove and return the states of manifests that are gone, last written more than `days` before `now`.

    `now` is in seconds since 1970; `log` as in `forget`. Raises StoreError.
    """
    end = now - days * _DAY
    removed = []
    for each in stored_manifests(root):
        if _is_left(each, end):
            files = StateFiles(root, each.directory, log or Log())
            with files.locked() as directory:
                found = _stored(root, each.directory)
                if found and _is_left(found, end):
                    _remove(files, directory)
                    removed.append(found)
    return removed


def drop_unused(root: str, log: Log) -> None:
    """Drop the states of manifests that are gone and unused for UNUSED_DAYS; a state that cannot be dropped stays."""
    try:
        dropped = prune(root, UNUSED_DAYS, time.time(), log)
    except StoreError as error:
        log.debug("State that is not used any more cannot be dropped", reason=error.message)
        return
    for each in dropped:
        log.info("Dropped the state of a manifest that is gone", manifest=each.identity)


def _is_left(stored: StoredManifest, end: float) -> bool:
    return stored.is_gone and stored.is_older(end)


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


def _stored(root: str, directory: str) -> StoredManifest | None:
    """Return the manifest whose state is in a directory, None without state."""
    try:
        return _read(root, StateFiles(root, directory, Log())) if is_own_directory(directory) else None
    except StoreError as error:
        return StoredManifest(directory, Saved(), fault=error.message)


def _read(root: str, files: StateFiles) -> StoredManifest | None:
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
    return StoredManifest(files.directory, saved, saved.follow(journal or b""))


def _remove(files: StateFiles, directory: int) -> None:
    """Remove the state files of a manifest, and the directory unless it has other files; `directory` is locked."""
    try:
        names = os.listdir(directory)
    except OSError as error:
        raise unusable(files.directory, error) from None
    ours = [name for name in names if name == JOURNAL or name.startswith((_PUT_ASIDE, *_FILES)) or is_hidden(name)]
    # Last the file that names the manifest: if this ends early, the rest can be found.
    for name in (*ours, SAVED):
        files.remove(name, directory)
    if set(names) - {*ours, SAVED, LOCK_NAME}:
        return
    files.remove(LOCK_NAME, directory)
    try:
        os.rmdir(files.directory)
    except OSError as error:
        # Another run may have begun to write state again.
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise unusable(files.directory, error) from None


def _values_and_contents(files: StateFiles) -> list[str]:
    """Return the names of the files with sent values, and with saved contents of files."""
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
