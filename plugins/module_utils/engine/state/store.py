# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The store of the state of a manifest, as far as a run without changes reads it (docs/design/state.md)."""

from __future__ import annotations

import os

from ...host.digests import short_sha256
from ...redaction.texts import shown_source
from .directory import StateDirectory
from .lines import LaterVersion, first_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ...model.log import Log

SAVED = "state"
JOURNAL = "journal"
#: The prefix of an empty file for a run that changed nothing after the saved run.
STABLE = "stable-"
#: The prefixes of the files with sent values, with contents of files before a change (undo_record.py), and of the empty
#: files for resources that a run without state changed, which could be undone or send values.
SENT_FILES, CONTENT_FILES, MARKS, VOID_MARKS = "sent-", "before-", "unrecorded-", "void-"
#: Why what a resource sent does not count any more.
DID_NOT_END, HAS_FAILED = "its run did not end", "it failed"
_DIGEST_LENGTH = 16
#: Size in bytes of the beginning of a file that is enough to know its version.
HEAD = 4096


class ManifestStore:
    """The store of the manifest of an `identity` below `root`. Warnings about damaged files go to `log`."""

    def __init__(self, root: str, identity: str, log: Log) -> None:
        self.identity = identity
        self.log = log
        name = short_sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self.directory = StateDirectory(root, name, log)

    def digests(self) -> tuple[str, str]:
        """Return the digest of the states that the last run reached, and the one after it of a run without changes.

        Both are "" when the last run left refreshes or a journal, the second one where it is not known or the same.
        Raises StoreError.
        """
        # The journal first: a run that ends meanwhile moves its content into the other file.
        if self.directory.read(JOURNAL, 1) is not None:
            return "", ""
        text = self.directory.read(SAVED, HEAD)
        try:
            words = first_words(text) if text else []
        except LaterVersion as error:
            raise error.prefixed(f"{self.directory.path}/{SAVED} ") from None
        return (words[1], words[2]) if len(words) == 5 and words[3] == "0" else ("", "")

    def mark_stable(self, digest: str) -> None:
        """Leave an empty file that says that a run changed nothing, and had this digest. Raises StoreError."""
        self.directory.mark(STABLE + digest)


def digest_of_key(text: str) -> str:
    """Return a digest of the key or the name of a resource, short enough for the name of a file."""
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
