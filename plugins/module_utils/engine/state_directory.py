# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The directory of the state of a manifest, opened from its root down, and its files (docs/design/state.md)."""

from __future__ import annotations

import errno
import os
import stat

from ..host.digests import short_sha256
from ..host.errors import errno_of, reason_of
from ..host.reading import OpenPath
from ..model.errors import StoreError
from ..redaction.texts import shown_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Mapping

    from ..model.log import Log

#: The directory in a root that holds the directories of the manifests.
MANIFESTS = "manifests"
#: The saved state, what was noted since, and the file that is locked.
SAVED, JOURNAL, LOCK_NAME = "state", "journal", "lock"
#: The prefix of an empty file for a run that changed and left nothing, with its digest and the stamp of `state`.
STABLE = "stable-"
#: The prefixes of the files with sent values, with contents of files before a change (undo_record.py), and of the empty
#: files for resources that a run without state changed, which could be undone or send values.
SENT_FILES, CONTENT_FILES, MARKS, VOID_MARKS = "sent-", "before-", "unrecorded-", "void-"
#: Size in bytes of the largest file that is read: a foreign file must not fill the memory.
LARGEST_FILE = 256 << 20
#: Size in bytes of the beginning of a file that is enough to know its version.
HEAD = 4096
_DIGEST_LENGTH, _NAME_LENGTH = 16, 32
_OTHER_DIRECTORY = "name another directory with --state"

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
OPEN_OWN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class StateDirectory:
    """The directory of the manifest of an `identity` below a `root`; a method that fails raises StoreError.

    Both are made by the first write. Where the identity is not known, `name` is the name of the directory. `log` is
    written out before a lock is waited for.
    """

    def __init__(self, root: str, identity: str, log: Log, name: str = "") -> None:
        self.root = root
        self.identity = identity
        self.name = name or short_sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_LENGTH]
        self.path = f"{root}/{MANIFESTS}/{self.name}"
        self.log = log

    def opened(self) -> OpenState | None:
        """Return the directory, open as long as the result is kept, None without one."""
        return open_below(self.root, (MANIFESTS, self.name))

    def made(self) -> OpenState:
        """Return the same, after it was made where there is none."""
        return OpenState(*_below(self.root, (MANIFESTS, self.name), makes=True))

    def content_of(self, name: str) -> bytes | None:
        """Return the content of a file, None when there is none."""
        opened = self.opened()
        return opened.content_of(name) if opened else None

    def names(self) -> list[str]:
        """Return the names of all files; none when there is no directory."""
        opened = self.opened()
        return opened.names() if opened else []

    def mark(self, name: str) -> bool:
        """Make an empty file, unless there is no directory or it has that file; return whether it was made."""
        opened = self.opened()
        return opened is not None and opened.mark(name)

    def remove(self, name: str) -> None:
        """Remove a file; a missing one is no error."""
        opened = self.opened()
        if opened:
            opened.remove(name)

    def stable_digest(self) -> str:
        """Return the digest of the runs that changed nothing since `state` was written.

        It is "" where no run did, or something was noted since: the files say what was left.
        """
        opened = self.opened()
        names = opened.names() if opened else []
        stamp = opened.stamp() if opened and JOURNAL not in names else ""
        end = f"-{stamp}"
        for name in names if stamp else ():
            if name.startswith(STABLE) and name.endswith(end):
                return name[len(STABLE) : -len(end)]
        return ""


class OpenState(OpenPath):
    """The directory at a `path` of a state, open as `fd`; a method that fails raises StoreError."""

    def __init__(self, fd: int, path: str) -> None:
        super().__init__(fd)
        self.path = path

    def content_of(self, name: str, size: int = LARGEST_FILE) -> bytes | None:
        """Return the first `size` bytes of a file, None when there is none."""
        path = f"{self.path}/{name}"
        try:
            fd = os.open(name, _READ, dir_fd=self.fd)
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

    def names(self) -> list[str]:
        """Return the names of all files."""
        try:
            return os.listdir(self.fd)
        except OSError as error:
            raise unusable(self.path, error) from None

    def stamp(self) -> str:
        """Return a text that differs whenever the file `state` was written since, "" when there is none."""
        try:
            found = os.stat(SAVED, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise unusable(f"{self.path}/{SAVED}", error) from None
        return f"{found.st_ino:x}.{found.st_ctime_ns:x}"

    def mark(self, name: str) -> bool:
        """Make an empty file, unless there is one; return whether it was made."""
        try:
            os.close(os.open(name, OPEN_OWN | os.O_EXCL, 0o600, dir_fd=self.fd))
        except FileExistsError:
            return False
        except OSError as error:
            raise unusable(f"{self.path}/{name}", error) from None
        return True

    def remove(self, name: str) -> None:
        """Remove a file; a missing one is no error."""
        try:
            os.unlink(name, dir_fd=self.fd)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unusable(f"{self.path}/{name}", error) from None


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


def open_below(root: str, names: Iterable[str]) -> OpenState | None:
    """Return the directory that these names lead to from a root, each opened in the one before; None without it.

    Raises StoreError for a link and for what others could change.
    """
    fd, path = _below(root, names)
    return OpenState(fd, path) if fd >= 0 else None


def _below(root: str, names: Iterable[str], *, makes: bool = False) -> tuple[int, str]:
    """Return the descriptor and the path of that directory, -1 without it; with `makes` missing ones are made."""
    above, path = _open_level(None, root, root, makes=makes), root
    for name in names:
        if above < 0:
            break
        path = f"{path}/{name}"
        try:
            directory = _open_level(above, name, path, makes=makes)
        finally:
            os.close(above)
        above = directory
    return above, path


def _open_level(above: int | None, name: str, path: str, *, makes: bool) -> int:
    """Return the descriptor of a directory, -1 when there is none and it is not made."""
    try:
        try:
            directory = os.open(name, _DIRECTORY, dir_fd=above)
        except FileNotFoundError:
            if not makes:
                return -1
            _make(name, above)
            directory = os.open(name, _DIRECTORY, dir_fd=above)
    except (OSError, ValueError) as error:
        if errno_of(error) in (errno.ENOTDIR, errno.ELOOP) and (above is not None or os.path.lexists(path)):
            raise StoreError(f"{path} is not a directory", value=path, advice=_OTHER_DIRECTORY) from None
        raise unusable(path, error) from None
    try:
        _require_own(path, os.fstat(directory), _OTHER_DIRECTORY)
    except BaseException:
        os.close(directory)
        raise
    return directory


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


def unusable(path: str, error: OSError | ValueError) -> StoreError:
    """Return the error for a path of a store that cannot be used."""
    number = errno_of(error)
    reason = "a symbolic link is not followed" if number == errno.ELOOP else reason_of(number)
    return StoreError(f"{path}: {reason}", value=path)


def _require_own(path: str, found: os.stat_result, advice: str = "") -> None:
    if found.st_uid != os.geteuid():
        raise StoreError(f"{path} belongs to another user", value=path, advice=advice)
    if found.st_mode & 0o022:
        raise StoreError(f"{path} can be changed by other users", value=path, advice="remove their permission to write")


def require_own_file(fd: int, path: str) -> os.stat_result:
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path} is not a file", value=path)
    _require_own(path, found)
    return found


def _content(fd: int, size: int) -> bytes:
    pieces = []
    while size > 0:
        piece = os.read(fd, size)
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
