# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changing files and directories of this machine: writing, setting attributes, removing (features.md 7.1).

A file is written beside its place and renamed into it, so nobody ever sees half of it, and what goes wrong leaves what
was there. It is not forced to disk: that costs milliseconds a file, and a run that a power failure cut short is run
again. What touches attributes works on descriptors, so nothing put in a path's place meanwhile is changed instead.
"""

from __future__ import annotations

import errno
import os
import stat

from .descriptors import write_all
from .digests import sha256
from .errors import HostError
from .looking import Reader
from .system_errors import SystemCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

_LONGEST_NAME = 255
_SUFFIX_BYTES = 5
_ATTEMPTS = 100

# A FIFO must not make us wait for somebody at its other end, a terminal not become ours.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class DirectoryNotEmpty(HostError):
    """A directory was to be removed without what is in it, and something is in it."""


class SymlinkRefused(HostError):
    """Attributes were to be set on what turned out to be a symbolic link."""


def write_file(
    path: str, content: bytes | Iterable[bytes], *, mode: int, uid: int | None = None, gid: int | None = None
) -> str:
    """Put a file with this content, mode (0..0o777), user and group (None: as they come) in the place of `path`.

    A link at `path` is replaced, not followed. Returns the SHA-256 of what was written, in hexadecimal. Raises
    HostError when the parent is no directory, else SystemCallError naming `path`, which is then as it was before; the
    temporary file is gone whatever happened, also when `content` raised.
    """
    chunks = (content,) if isinstance(content, bytes) else content
    hasher = sha256(size=len(content) if isinstance(content, bytes) else 0)
    fd, temporary = _create_beside(path)
    try:
        try:
            for chunk in chunks:
                hasher.update(chunk)
                write_all(fd, chunk, path)
            _apply(fd, path, os.fstat(fd), mode, uid, gid)
        finally:
            _attempt("close", path, lambda: os.close(fd), lead="could not close temporary file: ")
        lead = "could not rename temporary file: "
        _attempt("rename", f"{temporary} {path}", lambda: os.rename(temporary, path), lead=lead)
    except BaseException:
        _unlink_quietly(temporary)
        raise
    found: str = hasher.hexdigest()
    return found


def copy_file(source: str, path: str, *, mode: int, uid: int | None = None, gid: int | None = None) -> str:
    """As `write_file`, with what is in the file `source`, read piece by piece. Errors of reading name `source`."""
    with Reader(source) as reader:
        return write_file(path, reader.chunks(), mode=mode, uid=uid, gid=gid)


def make_directory(path: str, *, mode: int, uid: int | None = None, gid: int | None = None) -> None:
    """Make `path` a directory with this mode (0..0o777), user and group (None: left alone).

    A link at `path` is removed first. Missing directories above are made with the same mode less the umask and belong
    to us; those that are there are left alone. Raises SystemCallError, also when a file is in the way.
    """
    if os.path.islink(path):
        _attempt("remove", path, lambda: os.unlink(path), lead="could not remove symlink: ")
    for directory in _missing(path):
        try:
            os.mkdir(directory, mode)
        except FileExistsError as error:
            if not os.path.isdir(directory):
                raise SystemCallError("mkdir", directory, error) from None
        except (OSError, ValueError) as error:
            raise SystemCallError("mkdir", directory, error) from None
    set_attributes(path, mode=mode, uid=uid, gid=gid)


def set_attributes(path: str, *, mode: int, uid: int | None = None, gid: int | None = None) -> None:
    """Set user, group (None: left alone) and mode (0..0o777) of what is at `path`, as far as they differ.

    The file is neither read nor opened as a device or a FIFO would notice. Raises SymlinkRefused for a symbolic link,
    else SystemCallError.
    """
    try:
        fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise SystemCallError("lstat", path, error) from None
    try:
        found = os.fstat(fd)
        if stat.S_ISLNK(found.st_mode):
            text = f"{path} is a symlink; refusing to set attributes through it"
            raise SymlinkRefused(text, path=path, errno=errno.ELOOP)
        # An O_PATH descriptor takes no fchmod; through /proc it stands for the very file all the same.
        handle = f"/proc/self/fd/{fd}"
        _apply(handle if os.path.exists(handle) else _reopened(path, found), path, found, mode, uid, gid)
    finally:
        os.close(fd)


def remove_file(path: str) -> bool:
    """Remove a file or a link; False when there is nothing. Raises SystemCallError, also for a directory."""
    return _remove(path, os.unlink)


def remove_directory(path: str) -> bool:
    """Remove an empty directory; False when there is nothing. Raises DirectoryNotEmpty, else SystemCallError."""
    try:
        return _remove(path, os.rmdir)
    except SystemCallError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        advice = "directory is not empty, set 'force: true' to remove non-empty directories"
        raise DirectoryNotEmpty(f"cannot remove {path}: {advice}: {error}", path=path, errno=error.errno) from None


def remove_tree(path: str) -> bool:
    """`trees.remove_tree`, loaded when it is needed."""
    from .trees import remove_tree as remove

    return remove(path)


def _attempt(op: str, path: str, call: Callable[[], object], *, lead: str = "") -> None:
    try:
        call()
    except (OSError, ValueError) as error:
        raise SystemCallError(op, path, error, lead=lead) from None


def _create_beside(path: str) -> tuple[int, str]:
    """A new empty file in the directory of `path`, only ours to read, and its name."""
    parent, name = os.path.split(path)
    for _trial in range(_ATTEMPTS):
        suffix = "." + os.urandom(_SUFFIX_BYTES).hex()
        try:
            if len(name) * 4 > _LONGEST_NAME - len(suffix):
                name = os.fsdecode(os.fsencode(name)[: _LONGEST_NAME - len(suffix)])
            temporary = os.path.join(parent, name + suffix)
            return os.open(temporary, _CREATE, 0o600), temporary
        except FileExistsError:
            continue
        except (FileNotFoundError, NotADirectoryError) as error:
            raise HostError(f'"{parent}" is not a directory', path=path, errno=error.errno or 0) from None
        except (OSError, ValueError) as error:
            raise SystemCallError("open", path, error) from None
    raise SystemCallError("open", path, OSError(errno.EEXIST, ""))


def _apply(target: int | str, path: str, found: os.stat_result, mode: int, uid: int | None, gid: int | None) -> None:
    """Give `target`, which is in the state `found`, its user and group and then, as that clears bits, its mode."""
    new_uid = -1 if uid is None or uid == found.st_uid else uid
    new_gid = -1 if gid is None or gid == found.st_gid else gid
    if (new_uid, new_gid) != (-1, -1):
        _attempt("chown", path, lambda: os.chown(target, new_uid, new_gid))
    if stat.S_IMODE(found.st_mode) != mode:
        _attempt("chmod", path, lambda: os.chmod(target, mode))


def _reopened(path: str, found: os.stat_result) -> str:
    """Where /proc is not mounted: the path itself, if it is still what we looked at."""
    again = os.lstat(path)
    if (again.st_dev, again.st_ino) != (found.st_dev, found.st_ino):
        raise SystemCallError("lstat", path, OSError(errno.ESTALE, ""))
    return path


def _missing(path: str) -> list[str]:
    """The directories that lack on the way to `path`, itself included, topmost first."""
    missing = []
    while True:
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
            parent = os.path.dirname(path)
            if parent in ("", path):
                break
            path = parent
            continue
        except (OSError, ValueError) as error:
            raise SystemCallError("mkdir", path, error) from None
        if not stat.S_ISDIR(found.st_mode):
            raise SystemCallError("mkdir", path, OSError(errno.ENOTDIR, ""))
        break
    return missing[::-1]


def _remove(path: str, remove: Callable[[str], None]) -> bool:
    try:
        remove(path)
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise SystemCallError("remove", path, error) from None
    return True


def _unlink_quietly(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
