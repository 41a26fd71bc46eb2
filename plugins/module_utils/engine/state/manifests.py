# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The states of all manifests in a store: list, move and remove them (docs/state.md)."""

from __future__ import annotations

import os
import time

from ...host.hidden_files import is_hidden
from ...model.clock import timestamp
from ...model.errors import StoreError
from ...model.log import Log
from ..between_runs import JOURNAL, MANIFESTS, SAVED, STABLE
from ..state_directory import StateDirectory, open_below
from .lines import lines_of
from .locked_directory import LockedDirectory
from .own_files import CONTENT_FILES, HEAD, LARGEST_FILE, LOCK_NAME, MARKS, SENT_FILES, VOID_MARKS, content_of, remove
from .records import Saved
from .running import is_any_running
from .stored_files import stored_files

_FILES = (SENT_FILES, CONTENT_FILES, MARKS, VOID_MARKS)
_PUT_ASIDE = tuple(f"{name}.damaged-" for name in (SAVED, JOURNAL))

_NAME_LENGTH = 32
_HEX = frozenset("0123456789abcdef")
_DAY = 24 * 60 * 60
#: After so many days the state of a manifest that is gone is dropped.
UNUSED_DAYS = 180


class StoredManifest:
    """A manifest with stored state, in `directory`.

    Its `identity` is "" if the only run so far did not end. `unreadable` is the number of lines that cannot
    be read, and `are_missing` whether others are missing. `fault` is the reason why the state cannot be read, or "".
    """

    def __init__(self, directory: str, saved: Saved, damage: tuple[int, bool] = (0, False), fault: str = "") -> None:
        self.directory = directory
        self.saved = saved
        self.unreadable, self.are_missing = damage
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
        written = self.saved.written
        if end < 0 or not written.startswith("20") or not written.endswith("Z"):
            return False
        try:
            noted = os.lstat(f"{self.directory}/{JOURNAL}").st_mtime
        except FileNotFoundError:
            noted = 0
        except OSError:
            return False
        # Times in UTC sort as texts do.
        return written < timestamp(int(end) * 1_000_000_000) and noted < end


def stored_manifests(root: str, size: int = LARGEST_FILE) -> list[StoredManifest]:
    """Return the manifests with state in the store `root`, sorted by identity; none when there is no store.

    A manifest whose state cannot be read has a `fault`. Only `size` bytes of each file are read: its first ones say
    whose it is, and when it was written. Raises StoreError when the store cannot be used.
    """
    directory = open_below(root, (MANIFESTS,))
    if directory is None:
        return []
    names = [name for name in directory.names() if len(name) == _NAME_LENGTH and _HEX.issuperset(name)]
    found = [each for each in (_stored(StateDirectory(root, "", Log(), name), size) for name in names) if each]
    return sorted(found, key=lambda each: (each.identity, each.directory))


def stored_manifest(root: str, identity: str) -> StoredManifest:
    """Return a manifest with stored state. Raises StoreError if there is no state, or it cannot be read."""
    directory = StateDirectory(root, identity, Log())
    found = _read(directory) if _is_there(directory) else None
    if found is None:
        raise _unknown(identity)
    found.saved.identity = identity
    return found


def is_stored(root: str, identity: str) -> bool:
    """Return whether a manifest has stored state, even if it cannot be read. Raises StoreError."""
    return _is_there(StateDirectory(root, identity, Log()))


def require_stored(root: str, identity: str) -> None:
    """Raise StoreError if a manifest has no stored state."""
    if not is_stored(root, identity):
        raise _unknown(identity)


def forget(root: str, identity: str, log: Log | None = None) -> None:
    """Remove the state of a manifest, even if it cannot be read. Raises StoreError, also if there is none.

    `log` is written out before the lock is waited for.
    """
    require_stored(root, identity)
    directory = StateDirectory(root, identity, log or Log())
    with LockedDirectory(directory) as locked:
        _require_no_run(directory, identity)
        _remove(directory, locked)


def move(root: str, old: str, new: str) -> None:
    """Move the state of the manifest `old` to the manifest `new`; both are identities.

    Raises StoreError when both are the same, when `old` has no state or it cannot be read, and when `new` has state.
    """
    if old == new:
        raise StoreError(f"{old} cannot be moved to itself", value=new, advice="name another manifest to move it to")
    source, target = (StateDirectory(root, identity, Log()) for identity in (old, new))
    stored_manifest(root, old)
    _require_nothing(target, new)
    # All processes lock in the same order, so that two of them never wait for each other.
    first, second = sorted((source, target), key=lambda directory: directory.path)
    with LockedDirectory(first) as first_locked, LockedDirectory(second) as second_locked:
        locked = {first: first_locked, second: second_locked}
        stored = stored_manifest(root, old)
        _require_no_run(source, old)
        _require_nothing(target, new)
        stored.saved.identity = new
        opened = source.opened()
        for name in source.names():
            if name.startswith((*_FILES, *_PUT_ASIDE)):
                locked[target].replace(name, [content_of(opened, name) or b""])
        files = stored_files(source)
        for name, _message, _about in files.faults(is_put_aside=True):
            locked[target].put_aside(name, files.texts[name] or b"")
        locked[target].replace(SAVED, list(lines_of(stored.saved.lines(), 0)))
        _remove(source, locked[source])


def prune(root: str, days: int, now: float, log: Log | None = None) -> list[StoredManifest]:
    """Remove and return the states of manifests that are gone, last written more than `days` before `now`.

    `now` is in seconds since 1970; `log` as in `forget`. Raises StoreError.
    """
    end = now - days * _DAY
    removed = []
    for each in stored_manifests(root, HEAD):
        if _is_left(each, end):
            directory = StateDirectory(root, "", log or Log(), os.path.basename(each.directory))
            with LockedDirectory(directory) as locked:
                found = _stored(directory)
                if found and _is_left(found, end):
                    _remove(directory, locked)
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


def _is_there(directory: StateDirectory) -> bool:
    """Return whether there are files with state. Raises StoreError when a directory of the store cannot be used."""
    return bool({SAVED, JOURNAL}.intersection(directory.names()))


def _require_nothing(directory: StateDirectory, identity: str) -> None:
    if _is_there(directory):
        raise StoreError(
            f"state is kept of {identity} already",
            value=identity,
            advice=f"remove it first with: ccm state forget {identity}",
        )


def _require_no_run(directory: StateDirectory, identity: str) -> None:
    if is_any_running(directory):
        advice = "try again when it has ended"
        raise StoreError(f"a run of {identity} uses its state", value=identity, advice=advice)


def _stored(directory: StateDirectory, size: int = LARGEST_FILE) -> StoredManifest | None:
    """Return the manifest whose state is in a directory, None without state."""
    try:
        return _read(directory, size)
    except StoreError as error:
        return StoredManifest(directory.path, Saved(), fault=error.message)


def _read(directory: StateDirectory, size: int = LARGEST_FILE) -> StoredManifest | None:
    files = stored_files(directory, size)
    if not any(text is not None for text in files.texts.values()):
        return None
    saved = files.saved
    is_own = StateDirectory(directory.root, saved.identity, Log()).name == directory.name
    if not files.is_used and not files.is_damaged:
        return None
    if not files.is_used or not is_own:
        path = f"{directory.path}/{SAVED}"
        advice = "the next run puts it aside; ccm state forget removes it"
        raise StoreError(f"{path} is damaged", value=path, advice=advice)
    return StoredManifest(directory.path, saved, files.damage)


def _remove(directory: StateDirectory, locked: LockedDirectory) -> None:
    """Remove the state files of a manifest, and the directory unless it has other files."""
    names = directory.names()
    prefixes = (*_PUT_ASIDE, *_FILES, STABLE)
    ours = [name for name in names if name == JOURNAL or name.startswith(prefixes) or is_hidden(name)]
    locked.note(b"")
    # Last the file that names the manifest: if this ends early, the rest can be found.
    for name in (*ours, SAVED):
        remove(locked.opened, name)
    if not set(names) - {*ours, SAVED, LOCK_NAME}:
        locked.remove_itself()


def _unknown(identity: str) -> StoreError:
    return StoreError(f"no state is kept of {identity}", value=identity, advice="see what is kept: ccm state list")
