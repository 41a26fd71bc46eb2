# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A directory with a manifest as a gzipped tarball, the same bytes for the same files (docs/nats.md)."""

from __future__ import annotations

import os
import stat
from gzip import GzipFile
from hashlib import sha256
from tarfile import DIRTYPE, PAX_FORMAT, TarFile, TarInfo

from ..host.errors import errno_of, reason_of
from ..lang.controls import escaped
from ..model.errors import ManifestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Iterator

#: Directories that hold the history of others.
_LEFT_OUT = (".git", ".hg", ".svn")
#: What unpacking a manifest accepts at most (host/tarballs.py).
_LARGEST, _MOST = 1 << 30, 100_000
_LEVEL = 6


class Packed:
    """How many files are in a tarball, its size in bytes and its SHA-256."""

    def __init__(self, files: int, size: int, digest: bytes) -> None:
        self.files = files
        self.size = size
        self.digest = digest


class _Digested:
    """Writes to a file and computes the digest of the written bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.hash = sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.hash.update(data)
        self.size += len(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def pack(directory: str, file: BinaryIO) -> Packed:
    """Write the regular files and directories of `directory` to `file` as a gzipped tarball.

    Only names, content and the permission to execute count: owners are root, files 0644 or 0755, times 1970, the order
    is by name. Directories of version control are left out. Raises ManifestError for links and special files, which no
    manifest is unpacked with, and for files that cannot be read.
    """
    written, files, left = _Digested(file), 0, _LARGEST
    with GzipFile("", "wb", _LEVEL, written, mtime=0) as zipped, TarFile("", "w", zipped, format=PAX_FORMAT) as tar:
        for number, (path, name) in enumerate(_entries(directory, ""), 1):
            if number > _MOST:
                raise ManifestError(f"{directory} has more than {_MOST} files and directories", value=directory)
            entry = TarInfo(name)
            descriptor = -1
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                found = os.fstat(descriptor)
                if stat.S_ISDIR(found.st_mode):
                    entry.type, entry.mode = DIRTYPE, 0o755
                    tar.addfile(entry)
                    continue
                if not stat.S_ISREG(found.st_mode):
                    raise _refused(path)
                entry.mode = 0o755 if found.st_mode & 0o100 else 0o644
                entry.size = found.st_size
                left -= entry.size
                if left < 0:
                    raise ManifestError(f"{directory} has more than {_LARGEST >> 20} MiB", value=directory)
                with open(descriptor, "rb", closefd=False) as content:
                    tar.addfile(entry, content)
                files += 1
            except OSError as error:
                # It may be shorter than it was.
                reason = reason_of(errno_of(error)) if error.errno else "it changed while it was read"
                raise ManifestError(f"read {escaped(path)}: {reason}", value=path) from None
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
    return Packed(files, written.size, written.hash.digest())


def _entries(directory: str, above: str) -> Iterator[tuple[str, str]]:
    """Yield the paths below a directory with their names in the tarball, each directory before its content."""
    try:
        with os.scandir(directory) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise ManifestError(f"open {escaped(directory)}: {reason_of(errno_of(error))}", value=directory) from None
    for entry in entries:
        if entry.name in _LEFT_OUT:
            continue
        if not (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)):
            raise _refused(entry.path)
        name = f"{above}{entry.name}"
        yield entry.path, name
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, f"{name}/")


def _refused(path: str) -> ManifestError:
    text = f"{escaped(path)} is neither a regular file nor a directory"
    return ManifestError(text, value=path, advice="a manifest is published with files and directories only")
