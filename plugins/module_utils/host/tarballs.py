# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking of gzipped tarballs with only files and directories (behaviour.md 15.6)."""

from __future__ import annotations

import os

from .archives.compressions import GZIP
from .archives.entry import DIRECTORY, FILE, Access, ArchiveError, Entry, EntryRefused, SpecialEntry, shown
from .archives.limits import UnpackLimits
from .archives.streams import OtherFormat, unpacked
from .archives.tar import TarReader
from .archives.tree import OPEN_DIRECTORY, Tree
from .errors import HostError, SystemCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Readable(Protocol):
        """A stream whose `read` returns at most `size` bytes, none at its end."""

        def read(self, size: int, /) -> bytes: ...


_LARGEST = 1 << 30
_MOST_ENTRIES = 100_000


class TarballError(HostError):
    """A tarball that is invalid, or contains unsupported entries."""


def unpack(stream: Readable, directory: str, sought: str = "") -> str:
    """Unpack the gzipped tar that `stream` reads into `directory`; return the path of the first file named `sought`.

    That is "" where there is none. Nothing is written outside `directory`, no link is made or followed, and memory does
    not grow with the content. Raises TarballError for links, devices, names that lead elsewhere, more than 100,000
    files and directories or 1 GiB, and for an invalid gzipped tar; SystemCallError.
    """
    try:
        return _unpack(stream, directory, os.fsencode(sought))
    except OtherFormat:
        raise TarballError("unzip failed: gzip: invalid header") from None
    except ArchiveError as error:
        raise TarballError(f"invalid tar file detected: {error}") from None
    except EntryRefused as error:
        raise TarballError(f"unpack {error}") from None
    except OSError as error:
        raise SystemCallError("unpack", directory, error) from None


def _unpack(stream: Readable, directory: str, sought: bytes) -> str:
    found = ""
    allowance = _Allowance()
    entries = TarReader(unpacked(stream.read, GZIP, allowance), _refuse, lambda _told: None)
    root = os.open(directory, OPEN_DIRECTORY)
    tree = Tree(root, allowance, None, owners=None, bits=0o755, only_new=True)
    try:
        for entry in entries:
            _adapt(entry)
            tree.write(entry, entries.pieces)
            if not found and entry.kind == FILE and entry.leaf == sought:
                found = os.fsdecode(b"/".join((*entry.above, entry.leaf)))
    finally:
        tree.close()
        os.close(root)
    return found


def _refuse(error: EntryRefused) -> None:
    if isinstance(error, SpecialEntry):
        raise TarballError(f"only regular files and directories are supported: {error}")
    raise TarballError(f"invalid tar file detected: {error}")


def _adapt(entry: Entry) -> None:
    """Make a file readable for this process, with its time of unpacking; refuse a link."""
    if entry.kind not in (FILE, DIRECTORY):
        name = shown(entry.name)
        raise TarballError(f"only regular files and directories are supported: {name}: it is a {entry.kind}")
    entry.access = Access((entry.access.mode or 0) | 0o600)
    entry.mtime = None


class _Allowance(UnpackLimits):
    """The most that a manifest and its files may unpack to, however well they are packed."""

    def __init__(self) -> None:
        super().__init__(0, 0)
        self._bytes = _LARGEST
        self._entries = _MOST_ENTRIES

    def take(self, size: int) -> None:
        """Subtract `size` bytes that were packed. Raises TarballError."""
        self._bytes = _enough(self._bytes - size)

    def count(self) -> None:
        """Subtract one file or directory. Raises TarballError."""
        self._entries = _enough(self._entries - 1)


def _enough(left: int) -> int:
    if left < 0:
        raise TarballError("invalid tar file detected: it unpacks to more than a manifest can need")
    return left
