# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes to files and directories of this machine: writing, setting attributes, removing (behaviour.md 7.1).

A file is written to a hidden file next to its place and renamed, so no program reads an incomplete file, and an error
leaves the old one unchanged. It is not forced to disk: that costs milliseconds for each file, and after a power failure
the run is repeated. All steps are relative to the open directory above, and attributes are set on descriptors, so a
file put at the path meanwhile is not changed instead.
"""

from __future__ import annotations

import errno
import os
import stat

from .descriptors import write_all
from .digests import sha256
from .errors import HostError, SystemCallError
from .extended_attributes import capabilities, set_capabilities
from .hidden_files import HiddenFile, remove_unlocked
from .hidden_names import FIRST, stem_for
from .parents import Parent
from .reading import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from .parents import LastDirectory

# Do not wait for a process at the other end of a FIFO; do not take over a terminal.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_PERMISSIONS = 0o777
# The set-user-ID, set-group-ID and sticky bits.
_SPECIAL = 0o7000


class DirectoryNotEmpty(HostError):
    """A directory was to be removed without its content, but is not empty."""


class SymlinkRefused(HostError):
    """Attributes were to be set on a path that is a symbolic link."""


class NoDirectory(HostError):
    """A file was to be written where there is no directory."""


class Written:
    """A file that was written: the SHA-256 of its content, in hexadecimal, and its state in its place.

    `found` is None when the path leads to another file, or the file is not as it was written.
    """

    def __init__(self, checksum: str, found: os.stat_result | None) -> None:
        self.checksum = checksum
        self.found = found


def write_file(
    path: str,
    content: bytes | Iterable[bytes],
    *,
    mode: int,
    uid: int | None = None,
    gid: int | None = None,
    size: int = 0,
    before_rename: Callable[[str], None] | None = None,
    dropped: Callable[[list[str]], None] | None = None,
    attributes_of: int | None = None,
) -> str:
    """Put a file with this content, mode (0..0o7777), user and group (None: not set) in the place of `path`.

    A link at `path` is replaced, not followed. The access control list, the SELinux label and the attributes of users
    of a replaced file are carried over; `dropped` is called with the names of its other attributes, if it has any
    (decisions.md Q95). The file that is open as `attributes_of` takes the place of the replaced one for these.
    `before_rename` is called with the path of the complete temporary file. `size` is how long content in pieces is
    expected to be, as in `digests.sha256`. Returns the SHA-256 of the content, in hexadecimal.
    Raises HostError when the parent is no directory, NotRegular, LinkNotFollowed, else SystemCallError naming `path`,
    which is then unchanged (except when a rename changes owners and they cannot be set again); the temporary file is
    always removed, also when `content` or `before_rename` raised.
    """
    with parent_of(path) as parent:
        written = write_in(
            parent,
            path,
            content,
            mode=mode,
            uid=uid,
            gid=gid,
            size=size,
            before_rename=before_rename,
            dropped=dropped,
            attributes_of=attributes_of,
        )
    return written.checksum


def parent_of(path: str, last: LastDirectory | None = None) -> Parent:
    """Return the open parent of a file to be written, with `last` perhaps the directory that a run has open.

    Raises NoDirectory, LinkNotFollowed and SystemCallError.
    """
    try:
        return Parent(path) if last is None else last.parent_of(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        text = f'"{os.path.dirname(path)}" is not a directory'
        raise NoDirectory(text, path=path, errno=error.errno or 0) from None
    except (OSError, ValueError) as error:
        raise SystemCallError("open", path, error) from None


def write_in(
    parent: Parent,
    path: str,
    content: bytes | Iterable[bytes],
    *,
    mode: int,
    uid: int | None = None,
    gid: int | None = None,
    size: int = 0,
    before_rename: Callable[[str], None] | None = None,
    dropped: Callable[[list[str]], None] | None = None,
    attributes_of: int | None = None,
    checksum: str | None = "",
    is_first: bool = False,
    bare: os.stat_result | None = None,
) -> Written:
    """Write a file as `write_file` does, with its parent, and return what was written.

    `checksum` is the SHA-256 of the content when it is known, None when it is not needed. With `is_first` there was no
    file at `path` just before, with `bare` a file in this state, without extended attributes.
    """
    chunks = (content,) if isinstance(content, bytes) else content
    hasher = None if checksum != "" else sha256(size=len(content) if isinstance(content, bytes) else size)
    length = 0
    if before_rename is not None or attributes_of is not None:
        is_first, bare = False, None
    with _hidden_beside(path, parent) as file:
        if bare is not None and file.has_attributes():
            bare = None
        lost = [] if is_first or bare is not None else _carried_over(path, file, attributes_of)
        try:
            for chunk in chunks:
                length += len(chunk)
                if hasher:
                    hasher.update(chunk)
                write_all(file.fd, chunk, path)
            _apply(file.fd, path, file.found, mode, uid, gid)
        finally:
            _attempt("close", path, file.close_written, lead="could not close temporary file: ")
        if before_rename:
            before_rename(file.path_beside(path))
        try:
            if not file.replace_file(path, is_first=is_first, bare=bare):
                # Another file came meanwhile; the attributes that it has are set on a file with mode 0600.
                _attempt("chmod", path, lambda: os.chmod(file.fd, 0o600))
                lost = _carried_over(path, file, None)
                _apply(file.fd, path, os.fstat(file.fd), mode, uid, gid)
                file.replace_file(path)
        except OSError as error:
            lead = "could not rename temporary file: "
            raise SystemCallError("rename", f"{file.path_beside(path)} {path}", error, lead=lead) from None
        found = _state_in_place(path, file)
        # Some file systems (FUSE, shared folders of containers) give a renamed file to the caller.
        changed = _apply(file.fd, path, found or os.fstat(file.fd), mode, uid, gid)
    if lost and dropped:
        dropped(lost)
    is_as_written = found is not None and not changed and found.st_size == length and before_rename is None
    return Written(checksum or (hasher.hexdigest() if hasher else ""), found if is_as_written else None)


def copy_file(
    source: str,
    path: str,
    *,
    mode: int,
    uid: int | None = None,
    gid: int | None = None,
    before_rename: Callable[[str], None] | None = None,
    dropped: Callable[[list[str]], None] | None = None,
) -> str:
    """As `write_file`, with the content of the file `source`, read piece by piece. Errors of reading name `source`."""
    with Reader(source) as reader:
        return write_file(
            path,
            reader.chunks(),
            mode=mode,
            uid=uid,
            gid=gid,
            size=reader.size,
            before_rename=before_rename,
            dropped=dropped,
        )


def make_directory(
    path: str, *, mode: int, uid: int | None = None, gid: int | None = None, keeps_special_bits: bool = False
) -> None:
    """Make `path` a directory with this mode (0..0o7777), user and group (None: not changed).

    With `keeps_special_bits` it keeps its set-id and sticky bits; a new directory may inherit them from its parent. A
    link at `path` that does not lead to a directory is removed first. Missing parents are made with the permissions of
    the mode less the umask and belong to the effective user; existing ones are not changed. Raises SystemCallError,
    also for a file in its place, SymlinkRefused for a link to a directory, and LinkNotFollowed.
    """
    with _opened("mkdir", path, mode & _PERMISSIONS) as parent:
        kind = _kind(parent)
        if kind == stat.S_IFLNK:
            if _leads_to_directory(parent):
                raise _symlink_refused(path)
            lead = "could not remove symlink: "
            _attempt("remove", path, lambda: os.unlink(parent.name, dir_fd=parent.fd), lead=lead)
        if kind != stat.S_IFDIR:
            try:
                os.mkdir(parent.name, mode, dir_fd=parent.fd)
            except (OSError, ValueError) as error:
                if _kind(parent) != stat.S_IFDIR:
                    reason = NotADirectoryError(errno.ENOTDIR, "") if isinstance(error, FileExistsError) else error
                    raise SystemCallError("mkdir", path, reason) from None
        set_attributes_in(parent, path, mode, uid, gid, _SPECIAL if keeps_special_bits else 0)


def set_attributes(path: str, *, mode: int, uid: int | None = None, gid: int | None = None) -> None:
    """Set user, group (None: not changed) and mode (0..0o7777) of the file at `path`, if they differ.

    A file keeps its capabilities, which a change of owner clears. The file is neither read nor opened in a way that
    affects a device or a FIFO. Raises SymlinkRefused for a symbolic link, else SystemCallError and LinkNotFollowed.
    """
    with _opened("lstat", path) as parent:
        set_attributes_in(parent, path, mode, uid, gid)


def remove_file(path: str) -> bool:
    """Remove a file or a link; False when there is nothing. Raises SystemCallError, also for a directory."""
    return _remove(path, os.unlink)


def remove_unfinished(path: str) -> None:
    """Remove the hidden file that a killed process left for the place `path`. Raises nothing: it stays hidden then."""
    try:
        with Parent(path) as parent:
            remove_unlocked(parent.fd, stem_for(parent.name) + FIRST)
    except (HostError, OSError, ValueError):
        return


def remove_directory(path: str) -> bool:
    """Remove an empty directory; False when there is nothing. Raises DirectoryNotEmpty, else SystemCallError."""
    try:
        return _remove(path, os.rmdir)
    except SystemCallError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        advice = "directory is not empty, set 'force: true' to remove non-empty directories"
        raise DirectoryNotEmpty(f"cannot remove {path}: {advice}: {error}", path=path, errno=error.errno) from None


def _attempt(op: str, path: str, call: Callable[[], object], *, lead: str = "") -> None:
    try:
        call()
    except (OSError, ValueError) as error:
        raise SystemCallError(op, path, error, lead=lead) from None


def _hidden_beside(path: str, parent: Parent) -> HiddenFile:
    try:
        return HiddenFile(parent.directory or parent.fd, parent.name)
    except (OSError, ValueError) as error:
        raise SystemCallError("open", path, error) from None


def _state_in_place(path: str, file: HiddenFile) -> os.stat_result | None:
    """Return the state of a file after its rename, None when another file is at the path."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found if os.path.samestat(found, file.found) else None


def _carried_over(path: str, file: HiddenFile, attributes_of: int | None) -> list[str]:
    try:
        return file.carry_over(path, attributes_of)
    except (OSError, ValueError) as error:
        raise SystemCallError("open", path, error) from None


def _apply(target: int | str, path: str, found: os.stat_result, mode: int, uid: int | None, gid: int | None) -> bool:
    """Set user and group of `target`, which is in the state `found`, and then, as that clears bits, its mode.

    Returns whether anything differed.
    """
    new_uid = -1 if uid is None or uid == found.st_uid else uid
    new_gid = -1 if gid is None or gid == found.st_gid else gid
    changes_owner = (new_uid, new_gid) != (-1, -1)
    if changes_owner:
        _attempt("chown", path, lambda: os.chown(target, new_uid, new_gid))
    if stat.S_IMODE(found.st_mode) != mode or (changes_owner and mode & _SPECIAL):
        _attempt("chmod", path, lambda: os.chmod(target, mode))
        return True
    return changes_owner


def _apply_to_existing(
    target: int | str, path: str, found: os.stat_result, mode: int, uid: int | None, gid: int | None
) -> None:
    """As `_apply`, and set the capabilities of a file again."""
    changes_owner = uid not in (None, found.st_uid) or gid not in (None, found.st_gid)
    if not (changes_owner and stat.S_ISREG(found.st_mode)):
        _apply(target, path, found, mode, uid, gid)
        return
    kept = capabilities(target, path)
    try:
        _apply(target, path, found, mode, uid, gid)
    finally:
        if kept is not None:
            set_capabilities(target, kept, path)


def _symlink_refused(path: str) -> SymlinkRefused:
    text = f"{path} is a symlink; refusing to set attributes through it"
    return SymlinkRefused(text, path=path, errno=errno.ELOOP)


def set_attributes_in(parent: Parent, path: str, mode: int, uid: int | None, gid: int | None, kept: int = 0) -> None:
    """Set attributes as `set_attributes` does, in an open directory; the file keeps its present bits out of `kept`."""
    try:
        fd = os.open(parent.name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent.fd)
    except (OSError, ValueError) as error:
        raise SystemCallError("lstat", path, error) from None
    try:
        found = os.fstat(fd)
        if stat.S_ISLNK(found.st_mode):
            raise _symlink_refused(path)
        mode |= found.st_mode & kept
        if stat.S_IMODE(found.st_mode) == mode and uid in (None, found.st_uid) and gid in (None, found.st_gid):
            return
        # An O_PATH descriptor does not support fchmod; its path in /proc is the same file.
        handle = f"/proc/self/fd/{fd}"
        if os.path.exists(handle):
            _apply_to_existing(handle, path, found, mode, uid, gid)
        else:
            _apply_without_proc(parent, path, found, mode, uid, gid)
    finally:
        os.close(fd)


def _apply_without_proc(
    parent: Parent, path: str, found: os.stat_result, mode: int, uid: int | None, gid: int | None
) -> None:
    """Open the file itself: without /proc it must be opened by name, if it is still the checked file."""
    try:
        fd = os.open(parent.name, _READ, dir_fd=parent.fd)
    except OSError as error:
        raise SystemCallError("open", path, error) from None
    try:
        if not os.path.samestat(os.fstat(fd), found):
            raise SystemCallError("lstat", path, OSError(errno.ESTALE, ""))
        _apply_to_existing(fd, path, found, mode, uid, gid)
    finally:
        os.close(fd)


def _opened(op: str, path: str, mode: int | None = None) -> Parent:
    try:
        return Parent(path, mode)
    except (OSError, ValueError) as error:
        raise SystemCallError(op, path, error) from None


def _kind(parent: Parent) -> int:
    """Return the type of the file at the path, as in S_IFMT; 0 for a missing one."""
    try:
        return stat.S_IFMT(os.lstat(parent.name, dir_fd=parent.fd).st_mode)
    except (OSError, ValueError):
        return 0


def _leads_to_directory(parent: Parent) -> bool:
    try:
        return stat.S_ISDIR(os.stat(parent.name, dir_fd=parent.fd).st_mode)
    except (OSError, ValueError):
        return False


def _remove(path: str, remove: Callable[..., None]) -> bool:
    try:
        with Parent(path) as parent:
            remove(parent.name, dir_fd=parent.fd)
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise SystemCallError("remove", path, error) from None
    return True
