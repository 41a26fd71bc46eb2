# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The store of one manifest: reads and changes its saved state (docs/design/state.md)."""

from __future__ import annotations

import os
import time

from ...host.digests import short_sha256
from ...model.errors import StoreError
from ...redaction.texts import shown_source
from .files import StateFiles
from .saved import BEFORE_CHANGE, MANIFEST, OWE, Damaged, Saved, digest_in, lines, saved_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Sequence

    from ...model.log import Log

SAVED = "state"
JOURNAL = "journal"
#: The prefix of the files with sent values of resources.
SENT_FILES = "sent-"
#: The prefix of the files with the contents of files before a change.
CONTENT_FILES = "before-"
MANIFESTS = "manifests"
_DIGEST_LENGTH = 16
_DAY = 24 * 60 * 60


class ManifestStore:
    """The store of the manifest of an `identity` below `root`. Warnings about damaged files go to `log`."""

    def __init__(self, root: str, identity: str, log: Log) -> None:
        self.identity = identity
        self._log = log
        name = short_sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self.files = StateFiles(root, f"{root}/{MANIFESTS}/{name}", log)

    def digest(self) -> str:
        """Return the digest of the reached states; "" if the last run left a journal or owed refreshes.

        Raises StoreError.
        """
        if self.files.read(JOURNAL) is not None:
            return ""
        text = self.files.read(SAVED)
        if text is None:
            return ""
        try:
            digest, is_owed = digest_in(text)
        except Damaged:
            return ""
        except StoreError as error:
            raise error.prefixed(f"{self.files.directory}/{SAVED} ") from None
        return "" if is_owed else digest

    def read(self, *, puts_aside: bool = False, warns: bool = True) -> Saved:
        """Return the saved state with the journal. Raises StoreError.

        With `puts_aside` a damaged file is renamed. Unless it `warns`, lines that cannot be read are left out silently.
        """
        # The journal first: a run that ends meanwhile moves its content into the other file.
        journal = self.files.read(JOURNAL)
        text = self.files.read(SAVED)
        try:
            saved = Saved() if text is None else saved_in(text)
        except Damaged:
            self._warn_damaged(puts_aside=puts_aside)
            saved = Saved()
        except StoreError as error:
            raise error.prefixed(f"{self.files.directory}/{SAVED} ") from None
        unreadable = saved.follow(journal) if journal else 0
        if unreadable and warns:
            path = f"{self.files.directory}/{JOURNAL}"
            self._log.warn("Lines of the state of earlier runs cannot be read", file=path, lines=unreadable)
        return saved

    def note(self, records: Sequence[list[str]]) -> None:
        """Add lines to the journal. Raises StoreError.

        Owed refreshes and undo records of a coming change are on disk when this returns. If a power failure loses other
        lines, something is only refreshed once more.
        """
        # The empty line ends a line that a power failure cut off.
        self.files.add_to(
            JOURNAL,
            b"\n" + lines(records),
            first=lines([[MANIFEST, self.identity]]),
            synced=any(record[0] in (OWE, BEFORE_CHANGE) for record in records),
        )

    def save(self, change: Callable[[Saved], None]) -> Saved:
        """Save the saved state and the journal again, with a `change` applied; return it. Raises StoreError."""
        with self.files.locked() as directory:
            is_first = self.files.read(SAVED) is None
            saved = self.read(puts_aside=True, warns=False)
            saved.identity = self.identity
            change(saved)
            self.files.replace(SAVED, saved.text(), directory, synced=bool(saved.owed or saved.undo_records))
            self.files.remove(JOURNAL, directory)
            self._remove_unneeded(saved, directory)
        if is_first:
            from .all_manifests import drop_unused

            drop_unused(self.files.root, self._log)
        return saved

    def _remove_unneeded(self, saved: Saved, directory: int) -> None:
        """Remove contents that no undo record needs, sent values of removed resources, and hidden files of killed runs.

        Another run may just have written new files, so files of the last day stay. A hidden file of a running run is
        locked.
        """
        from ...host.hidden_files import without_unlocked

        needed = {name for change in saved.undo_records.values() for name in change.contents()}
        needed.update(sent_file(key) for key in saved.resources)
        end = time.time() - _DAY
        for name in without_unlocked(directory):
            # The names of resources with the same key differ after the second dash.
            is_unneeded = (
                name.startswith((CONTENT_FILES, SENT_FILES)) and "-".join(name.split("-", 2)[:2]) not in needed
            )
            if is_unneeded and os.stat(name, dir_fd=directory, follow_symlinks=False).st_mtime < end:
                self.files.remove(name, directory)

    def _warn_damaged(self, *, puts_aside: bool) -> None:
        if puts_aside:
            path = self.files.put_aside(SAVED)
            self._log.warn("The state of earlier runs is damaged, and was put aside", file=path)
        else:
            path = f"{self.files.directory}/{SAVED}"
            self._log.warn("The state of earlier runs is damaged, and is not used", file=path)


def sent_file(key: str) -> str:
    """Return the name of the file with the sent values of the resource of a key, or the beginning of the name."""
    return SENT_FILES + digest_of(key)


def digest_of(text: str) -> str:
    """Return a digest of a text, short enough for the name of a file."""
    return short_sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]


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
