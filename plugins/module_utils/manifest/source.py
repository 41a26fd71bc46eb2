# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a manifest from a file or a stream, or has it fetched from elsewhere (behaviour.md 15.6)."""

from __future__ import annotations

import os
import stat

from ..host.errors import errno_of, reason_of
from ..model.errors import ManifestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Callable

    from ..model.log import Log
    from ..nats.access import NatsAccess

MANIFEST_NAME = "manifest.yaml"
#: A manifest with more bytes is not read.
LARGEST_MANIFEST = 64 * 1024 * 1024


class ManifestText:
    """A manifest's text as bytes, its name for users, its directory, and the directory removed at the end of `with`."""

    def __init__(
        self, text: bytes, name: str, directory: str, temporary: str = "", announce: Callable[[], None] | None = None
    ) -> None:
        self.text = text
        self.name = name
        self.directory = directory
        self.temporary = temporary
        self._announce = announce

    def announce(self) -> None:
        """Log where the manifest is, once it is known to be one; only of one from NATS."""
        if self._announce:
            self._announce()

    def __enter__(self) -> ManifestText:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove_temporary()

    def remove_temporary(self) -> None:
        """Remove the directory that was made for the manifest, when there was one."""
        if self.temporary:
            from ..host.trees import remove_tree

            remove_tree(self.temporary)
            self.temporary = ""


def fetch_manifest(source: str, log: Log, nats: Callable[[], NatsAccess] | None = None) -> ManifestText:
    """Return the manifest at `source`; `nats` is for `obj://BUCKET/KEY`. Raises CCMError or HostError."""
    if not source:
        raise ManifestError("source is required", advice="name a manifest file")
    if "://" not in source:
        if not os.path.isfile(source):
            # It may be the pipe of a shell's `<(COMMAND)`.
            log.before_waiting()
        return ManifestText(_read(source, os.O_RDONLY), source, os.path.dirname(os.path.abspath(source)))
    from .remote_source import fetch_remote

    return fetch_remote(source, log, nats)


def read_manifest_text(stream: BinaryIO, name: str) -> ManifestText:
    """Return the manifest in a stream; its directory is the current one. Raises ManifestError."""
    return ManifestText(_read_from(stream, name), name, os.getcwd())


def fetch_file(path: str, note: Callable[[os.stat_result], None] | None = None) -> bytes:
    """Return the content of a regular file; `note` gets its status when it is read. Raises ManifestError."""
    return _read(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY, note)  # a FIFO must not block


def _read(path: str, flags: int, note: Callable[[os.stat_result], None] | None = None) -> bytes:
    """Return at most LARGEST_MANIFEST bytes of a file, with O_NONBLOCK only of a regular one. Raises ManifestError."""
    try:
        with open(os.open(path, flags | os.O_CLOEXEC), "rb") as file:
            if flags & os.O_NONBLOCK:
                found = os.fstat(file.fileno())
                if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                    advice = "name a file with a manifest"
                    raise ManifestError(f"open {path}: is not a regular file", value=path, advice=advice)
                if note:
                    note(found)
            return _read_from(file, path)
    except (OSError, ValueError) as error:
        op = "read" if os.path.isdir(path) else "open"
        reason = reason_of(errno_of(error))
        raise ManifestError(f"{op} {path}: {reason}", value=path) from None


def _read_from(stream: BinaryIO, name: str) -> bytes:
    """Return the rest of a stream. Raises ManifestError."""
    # A file without a size, like one of /proc, may have nothing to read yet.
    text = stream.read(LARGEST_MANIFEST + 1) or b""
    if len(text) > LARGEST_MANIFEST:
        limit = f"{LARGEST_MANIFEST >> 20} MiB"
        advice = "name a file that is a manifest, or divide it into several that apply resources name"
        raise ManifestError(f"read {name}: a manifest cannot be larger than {limit}", value=name, advice=advice)
    return text
