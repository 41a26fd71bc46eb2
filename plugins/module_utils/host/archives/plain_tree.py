# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking of archives with only files and directories, whose owners and times mean nothing (decisions.md Q123)."""

from __future__ import annotations

import os
from contextlib import ExitStack

from ..errors import SystemCallError
from .entry import DIRECTORY, FILE, Access, EntryRefused
from .limits import UnpackLimits
from .opening import entries_of
from .tree import OPEN_DIRECTORY, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..reading import Reader
    from .entry import Entry

_CODE = 2


def unpack_plain(reader: Reader, kind: str, directory: str) -> None:
    """Unpack the archive of a reader into an existing empty `directory`; `kind` as in `unpack`.

    Nothing is written outside of it, no link is made or followed, and what was unpacked belongs to this user. Raises
    EntryRefused for the first entry that is a link or a device, or whose name leads elsewhere; ArchiveError for an
    archive that is damaged or unpacks to too much; SystemCallError. What was unpacked before an error stays.
    """
    try:
        with ExitStack() as stack:
            stack.enter_context(reader)
            root = os.open(directory, OPEN_DIRECTORY)
            stack.callback(os.close, root)
            allowance = UnpackLimits(reader.size, _CODE)
            entries = entries_of(reader, kind, _refuse, lambda _told: None, allowance, stack)
            tree = Tree(root, allowance, None, owners=None, bits=0o755, only_new=True)
            stack.callback(tree.close)
            for entry in entries:
                allowance.entry = entry.name
                _make_plain(entry)
                tree.write(entry, entries.pieces)
    except OSError as error:
        raise SystemCallError("unpack", directory, error) from None


def _refuse(error: EntryRefused) -> None:
    raise error


def _make_plain(entry: Entry) -> None:
    """Make an entry readable for this user, with the time of its unpacking; refuse a link."""
    if entry.kind not in (FILE, DIRECTORY):
        raise EntryRefused(entry.name, f"it is a {entry.kind}, and only files and directories are unpacked")
    entry.access = Access((entry.access.mode or 0) | 0o600)
    entry.mtime = None
