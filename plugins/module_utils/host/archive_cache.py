# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Downloaded archives of this user, kept for later runs (decisions.md Q123).

Each is a file that has its SHA-256 as its name and is used only while it has that SHA-256: a damaged one counts as
missing, so several runs may write at once. A record says what the server gave for an address.
"""

from __future__ import annotations

import json
import os
import stat
import time

from .descriptors import write_all
from .digests import sha256, sha256_hex
from .errors import HostError, SystemCallError
from .hidden_files import HiddenFile, without_unlocked
from .parents import open_directory
from .reading import OpenPath, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection, Dict

    from .download import Download

    #: The `digest` of the archive of an address, and more texts by name.
    Record = Dict[str, str]

#: The directory of root; users have one below XDG_CACHE_HOME.
OF_SYSTEM = "/var/cache/ccm"
#: Files that are kept at most, their bytes, and the seconds without use after which one is removed.
MOST_FILES = 200
MOST_BYTES = 1 << 30
LONGEST_UNUSED = 90 * 86_400

_NAME = "sources"
_RECORD = ".json"
_LARGEST_RECORD = 64 << 10
# The time of a use is noted once a day.
_NOTED_EVERY = 86_400
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class KeptArchive(OpenPath):
    """An archive that is open as long as something refers to it, also when its file is removed; `path` for messages."""

    def __init__(self, fd: int, path: str) -> None:
        super().__init__(fd)
        self.path = path

    def reader(self) -> Reader:
        """Return a reader of it, from its beginning; one at a time."""
        return _KeptReader(self.fd, self.path)


class _KeptReader(Reader):
    def __init__(self, fd: int, path: str) -> None:
        self.path = path
        self.fd = os.dup(fd)
        self.size = os.lseek(self.fd, 0, os.SEEK_END)
        os.lseek(self.fd, 0, os.SEEK_SET)


class ArchiveCache:
    """The cache in the directory `path`, which is made where it is missing.

    Raises HostError where it cannot be written to, or others could write to it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        above, _slash, name = path.rpartition("/")
        try:
            os.makedirs(os.path.dirname(above), 0o700, exist_ok=True)
            parent = OpenPath(open_directory(os.path.dirname(above)))
            for level in (os.path.basename(above), name):
                parent = OpenPath(_own_directory(parent.fd, level, path))
        except (OSError, ValueError) as error:
            raise SystemCallError("open", path, error) from None
        self._opened = parent
        if not os.access(f"/proc/self/fd/{parent.fd}", os.W_OK):
            raise HostError(f"{path} cannot be written to", path=path)

    def archive(self, digest: str) -> KeptArchive | None:
        """Return the archive with a SHA-256 in hexadecimal, None where it is missing or damaged."""
        fd = self._open(digest)
        if fd < 0:
            return None
        kept = KeptArchive(fd, f"{self.path}/{digest}")
        reader = kept.reader()
        with reader:
            hasher = sha256(size=reader.size)
            for chunk in reader.chunks():
                hasher.update(chunk)
        if hasher.hexdigest() != digest:
            return None
        self._note_use(digest, fd)
        return kept

    def record(self, key: str) -> Record:
        """Return what was recorded for a key, nothing where there is no record, or a damaged one."""
        fd = self._open(key + _RECORD)
        if fd < 0:
            return {}
        with open(fd, "rb") as file:
            try:
                found = json.loads(file.read(_LARGEST_RECORD))
            except (ValueError, RecursionError):
                return {}
            self._note_use(key + _RECORD, file.fileno())
        is_record = isinstance(found, dict) and all(isinstance(value, str) for value in found.values())
        return found if is_record else {}

    def keep(self, fetched: Download, key: str, record: Record) -> None:
        """Keep a download in the directory of this cache, and the record of its key, which gets the `digest`.

        Files that were not used for long, or are too many, are removed. Raises SystemCallError.
        """
        fetched.keep_as(fetched.digest)
        name = key + _RECORD
        text = json.dumps({**record, "digest": fetched.digest}).encode()
        try:
            with HiddenFile(self._opened.fd, name) as file:
                write_all(file.fd, text, f"{self.path}/{name}")
                file.put_in_place()
        except OSError as error:
            raise SystemCallError("write", f"{self.path}/{name}", error) from None
        self._trim((fetched.digest, name))

    def _open(self, name: str) -> int:
        """Return the descriptor of a file, -1 where it is missing or no regular file."""
        try:
            fd = os.open(name, _READ, dir_fd=self._opened.fd)
        except (OSError, ValueError):
            return -1
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return fd
        os.close(fd)
        return -1

    def _note_use(self, name: str, fd: int) -> None:
        if time.time() - os.fstat(fd).st_mtime > _NOTED_EVERY:
            try:
                os.utime(name, dir_fd=self._opened.fd, follow_symlinks=False)
            except OSError:
                return

    def _trim(self, kept: Collection[str]) -> None:
        """Remove files that are too old or too many, but for the names in `kept`, as far as that is possible."""
        found = []
        try:
            for name in without_unlocked(self._opened.fd):
                state = os.lstat(name, dir_fd=self._opened.fd)
                found.append((name not in kept, -state.st_mtime, state.st_size, name))
            size = 0
            for place, (is_other, age, own, name) in enumerate(sorted(found), 1):
                size += own
                if is_other and (place > MOST_FILES or size > MOST_BYTES or time.time() + age > LONGEST_UNUSED):
                    os.unlink(name, dir_fd=self._opened.fd)
        except OSError:
            return


def cache_directory() -> str:
    """Return the directory of the cache of this user."""
    if not os.geteuid():
        return f"{OF_SYSTEM}/{_NAME}"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(base if base.startswith("/") else os.path.expanduser("~/.cache"), "ccm", _NAME)


def key_of(text: str) -> str:
    """Return the key of a text, as names of files can have it."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def _own_directory(above: int, name: str, path: str) -> int:
    """Return the descriptor of a directory of this user, made where it is missing. Raises OSError and HostError."""
    _make(name, above)
    fd = os.open(name, _DIRECTORY, dir_fd=above)
    found = os.fstat(fd)
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        os.close(fd)
        raise HostError(f"{path} can be changed by other users", path=path)
    return fd


def _make(name: str, above: int) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=above)
    except FileExistsError:
        return
