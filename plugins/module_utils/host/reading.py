# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checking and reading files and directories of this machine (behaviour.md 7.1)."""

from __future__ import annotations

import errno
import os
import stat

from .digests import sha256
from .errors import HostError, SystemCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

_CHUNK = 256 * 1024
_IRREGULAR = {
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}
# The only character device whose content ends: /dev/null on Linux.
_NULL_DEVICE = os.makedev(1, 3)

# Do not wait for a process at the other end of a FIFO; do not take over a terminal.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


#: The entry of a path where nothing is.
NOTHING = 0


class FileInfo:
    """The description of the file at a path, behind all links.

    `kind` is "file", "directory" or "other", `symlink` whether the path itself is a link, `mode` four octal digits with
    set-id and sticky bits, `mtime` nanoseconds since 1970, `size` bytes. `irregular` is "a device", "a directory",
    "a named pipe" or "a socket" when the path itself is one, else "". `fault` is why nothing could be found behind a
    link, which is then described itself.
    """

    irregular = ""
    fault: SystemCallError | None = None

    def __init__(self, found: os.stat_result, symlink: bool) -> None:
        kind = stat.S_IFMT(found.st_mode)
        self.kind = "file" if kind == stat.S_IFREG else "directory" if kind == stat.S_IFDIR else "other"
        if kind != stat.S_IFREG and not symlink:
            self.irregular = irregular(found.st_mode)
        self.symlink = symlink
        self.uid = found.st_uid
        self.gid = found.st_gid
        self.mode = f"{stat.S_IMODE(found.st_mode):04o}"
        self.mtime = found.st_mtime_ns
        self.size = found.st_size
        # It differs after a change, but content written within 10 ms may have the same ctime and size.
        self.entry = hash((found[:7], found.st_mtime_ns, found.st_ctime_ns))


def inspect(path: str) -> FileInfo | None:
    """Return the description of `path`, None when it is missing or a dangling link.

    Raises SystemCallError for all else; its `denied` is set when a directory on the way is not accessible.
    """
    found = look(path)
    if found is None or found.fault is None:
        return found
    if found.fault.errno == errno.ENOENT:
        return None
    raise found.fault


def look(path: str) -> FileInfo | None:
    """Return the description of `path`, None only when it is missing: a dangling link has its `fault` set.

    Raises SystemCallError when the path itself cannot be checked.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SystemCallError("stat", path, error) from None
    return described(path, found)


def described(path: str, found: os.stat_result) -> FileInfo:
    """Return the description of `path`, whose own state is `found`, as `look` does."""
    if not stat.S_ISLNK(found.st_mode):
        return FileInfo(found, False)
    try:
        return FileInfo(os.stat(path), True)
    except OSError as error:
        link = FileInfo(found, True)
        link.fault = SystemCallError("stat", path, error)
        return link


def irregular(mode: int) -> str:
    """Return the word for a device, a directory, a named pipe or a socket, by its mode; "" for files and links."""
    return _IRREGULAR.get(stat.S_IFMT(mode), "")


def digest(path: str) -> str:
    """Return the SHA-256 of a file's content in hexadecimal, read piece by piece.

    Raises SystemCallError, and HostError for a FIFO, a socket or a device.
    """
    return digest_and_content(path, -1)[0]


def digest_and_content(path: str, most: int) -> tuple[str, bytes | None]:
    """Return what `digest` does, and the content of a file of at most `most` bytes, else None."""
    with Reader(path) as reader:
        hasher, kept = sha256(size=reader.size), []
        for chunk in reader.chunks():
            hasher.update(chunk)
            if reader.size <= most:
                kept.append(chunk)
        return hasher.hexdigest(), b"".join(kept) if reader.size <= most else None


class Reader:
    """A file open for reading, within `with`. `size` is from stat, which for files in /proc is 0."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.fd = os.open(path, _READ)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENXIO:
                raise self._irregular() from None
            raise _refused("open", path, error) from None
        found = os.fstat(self.fd)
        if not _is_readable(found):
            os.close(self.fd)
            raise self._irregular()
        self.size = found.st_size

    def _irregular(self) -> HostError:
        return HostError(f"{self.path} is not a regular file", path=self.path, errno=errno.EINVAL)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def read(self, size: int = _CHUNK) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""
        try:
            return os.read(self.fd, size)
        except OSError as error:
            raise _refused("read", self.path, error) from None

    def all_read(self) -> None:
        """Record that all of it was read; a reader may raise HostError for content that changed meanwhile."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the rest, piece by piece. A file that ends where its size says is not read again to find its end."""
        rest = self.size
        while True:
            wanted = min(rest + 1, _CHUNK) if rest > 0 else _CHUNK
            chunk = self.read(wanted)
            if not chunk:
                return
            yield chunk
            rest -= len(chunk)
            if rest == 0 and len(chunk) < wanted:
                return


def _is_readable(found: os.stat_result) -> bool:
    """Return whether it is a file, the null device, or a directory, which reading refuses with the system's error."""
    if stat.S_ISCHR(found.st_mode):
        return found.st_rdev == _NULL_DEVICE
    return stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)


class OpenPath:
    """A file or directory that is open as `fd` as long as something refers to this object."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        try:
            os.close(self.fd)
        except OSError:
            return


def path_of(fd: int) -> str:
    """Return the path that an open directory has now, "" where /proc is not mounted."""
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return ""


def _refused(op: str, path: str, error: OSError | ValueError) -> HostError:
    return SystemCallError(op, path, error)
