# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files in the directory of the state of a manifest: read, made and removed (docs/design/state.md)."""

from __future__ import annotations

import os
import stat

from ...host.digests import short_sha256
from ...model.errors import StoreError
from ..between_runs import MANIFESTS
from ..state_directory import OpenState, below, require_own, unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state_directory import StateDirectory

#: The file that is locked.
LOCK_NAME = "lock"
#: The prefixes of the files with sent values, with contents of files before a change (undo_record.py), and of the empty
#: files for resources that a run without state changed, which could be undone or send values.
SENT_FILES, CONTENT_FILES, MARKS, VOID_MARKS = "sent-", "before-", "unrecorded-", "void-"
#: Size in bytes of the largest file that is read: a foreign file must not fill the memory.
LARGEST_FILE = 256 << 20
#: Size in bytes of the beginning of a file that is enough to know its version.
HEAD = 4096
_DIGEST_LENGTH = 16

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
OPEN_OWN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def made(directory: StateDirectory) -> OpenState:
    """Return the open directory, after it was made where there is none. Raises StoreError."""
    return OpenState(*below(directory.root, (MANIFESTS, directory.name), _make))


def _make(name: str, place: int | None) -> None:
    """Make a directory for this user alone, and the parents of a root. A power failure afterwards does not lose it."""
    above = os.path.dirname(name)
    if place is None:
        os.makedirs(above, exist_ok=True)
    try:
        os.mkdir(name, 0o700, dir_fd=place)
    except FileExistsError:
        return
    parent = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) if place is None else place
    try:
        os.fsync(parent)
    finally:
        if place is None:
            os.close(parent)


def content_of(opened: OpenState | None, name: str, size: int = LARGEST_FILE) -> bytes | None:
    """Return the first `size` bytes of a file, None when there is none. Raises StoreError."""
    if opened is None:
        return None
    path = f"{opened.path}/{name}"
    try:
        fd = os.open(name, _READ, dir_fd=opened.fd)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None
    try:
        found = require_own_file(fd, path)
        if found.st_size > LARGEST_FILE:
            raise StoreError(f"{path} is larger than {LARGEST_FILE >> 20} MiB", value=path)
        return _content(fd, min(size, found.st_size))
    except OSError as error:
        raise unusable(path, error) from None
    finally:
        os.close(fd)


def mark(opened: OpenState | None, name: str) -> bool:
    """Make an empty file, unless there is no directory or it has that file; return whether it was made.

    Raises StoreError.
    """
    if opened is None:
        return False
    try:
        os.close(os.open(name, OPEN_OWN | os.O_EXCL, 0o600, dir_fd=opened.fd))
    except FileExistsError:
        return False
    except OSError as error:
        raise unusable(f"{opened.path}/{name}", error) from None
    return True


def remove(opened: OpenState | None, name: str) -> None:
    """Remove a file; a missing one is no error. Raises StoreError."""
    if opened is None:
        return
    try:
        os.unlink(name, dir_fd=opened.fd)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(f"{opened.path}/{name}", error) from None


def require_own_file(fd: int, path: str) -> os.stat_result:
    """Return the description of an open file of a state. Raises StoreError unless it is a file of this user alone."""
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path} is not a file", value=path)
    require_own(path, found)
    return found


def digest_of_key(text: str) -> str:
    """Return a digest of the key or the name of a resource, short enough for the name of a file."""
    return short_sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]


def _content(fd: int, size: int) -> bytes:
    pieces = []
    while size > 0:
        piece = os.read(fd, size)
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
