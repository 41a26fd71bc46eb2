# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a path, which can be compared and restored later (docs/state.md).

It is a list: `absent`; `file`, mode, user, group, SHA-256 of the content; `directory`, mode, user, group; `link`,
target, user, group; or `other`. Modes are octal digits, users and groups numbers. Times and extended attributes are not
part of it.
"""

from __future__ import annotations

import errno
import os
import stat

from . import files
from .digests import sha256
from .errors import HostError, SystemCallError
from .link_files import write_link
from .reading import digest
from .replaceable import require_replaceable
from .targets import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection, Iterable, Iterator, List, Mapping, Union

    Found = List[Union[str, int]]

ABSENT, FILE, DIRECTORY, LINK, OTHER = "absent", "file", "directory", "link", "other"
#: The lengths of the lists.
FOUND_LENGTHS = {ABSENT: 1, FILE: 5, DIRECTORY: 4, LINK: 4, OTHER: 1}
_SET_ID = 0o6000
_OWNER = 0o700


def found_at(path: str, keep: Callable[[bytes], None] | None = None) -> Found:
    """Return the state of a path; the pieces of a file's content are passed to `keep`. Raises HostError."""
    try:
        found = os.lstat(path)
        mode, owner = f"{stat.S_IMODE(found.st_mode):04o}", [found.st_uid, found.st_gid]
        if stat.S_ISDIR(found.st_mode):
            return [DIRECTORY, mode, *owner]
        if stat.S_ISLNK(found.st_mode):
            return [LINK, os.readlink(path), *owner]
    except (FileNotFoundError, NotADirectoryError):
        return [ABSENT]
    except (OSError, ValueError) as error:
        raise SystemCallError("lstat", path, error) from None
    if not stat.S_ISREG(found.st_mode):
        return [OTHER]
    hasher = sha256(size=found.st_size)
    with Target(path) as target:
        for chunk in target.chunks():
            hasher.update(chunk)
            if keep:
                keep(chunk)
    return [FILE, mode, *owner, hasher.hexdigest()]


def stamps_of(paths: Iterable[str]) -> list[tuple[int, ...] | None]:
    """Return a stamp of each path, None without a file; it differs once the file is another one, or was written."""
    stamps: list[tuple[int, ...] | None] = []
    for path in paths:
        try:
            found = os.lstat(path)
            stamps.append((found.st_dev, found.st_ino, found.st_ctime_ns, found.st_size))
        except (OSError, ValueError):
            stamps.append(None)
    return stamps


def is_half_back(wanted: Found, now: Found) -> bool:
    """Return whether restoring was interrupted after a directory was made and before its content was complete."""
    if wanted[0] != DIRECTORY or now[0] != DIRECTORY:
        return False
    return now[1] == f"{int(str(wanted[1]), 8) | _OWNER:04o}"


def missing_above(path: str) -> list[str]:
    """Return the directories above a path that do not exist, the highest first."""
    found: list[str] = []
    above = os.path.dirname(path)
    while above != "/" and not os.path.lexists(above):
        found.insert(0, above)
        above = os.path.dirname(above)
    return found


def is_replaced(wanted: Found, now: Found) -> bool:
    """Return whether restoring a path removes or replaces the present file."""
    if now[0] == ABSENT or wanted[0] == now[0] == DIRECTORY:
        return False
    return not (wanted[0] == FILE and _has_content(wanted, now))


def require_replaceable_paths(wanted: Mapping[str, Found], gone: Collection[str]) -> None:
    """Raise HostError, as `put_back` does, for a present file that no file or link can replace.

    Paths that are `gone` by then do not count.
    """
    for path in _by_depth(wanted):
        if wanted[path][0] not in (FILE, LINK):
            continue
        try:
            mode = os.lstat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            raise SystemCallError("lstat", path, error) from None
        if not stat.S_ISDIR(mode):
            require_replaceable(mode, path)
        elif set(paths_in(path)).difference(gone):
            raise _not_empty(path)


def all_below(path: str) -> Iterator[str]:
    """Yield a path, and all paths below it when it is a directory, each after its parent. Raises HostError."""
    waiting = [path]
    while waiting:
        path = waiting.pop()
        yield path
        if os.path.islink(path) or not os.path.isdir(path):
            continue
        waiting += paths_in(path)


def paths_in(directory: str) -> list[str]:
    """Return the paths directly below a directory; none when it is gone. Raises HostError."""
    try:
        return [f"{directory}/{name}" for name in os.listdir(directory)]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise SystemCallError("open", directory, error) from None


def put_back(
    wanted: Mapping[str, Found],
    content: Callable[[Found], str],
    dropped: Callable[[str, list[str]], None] | None = None,
) -> list[str]:
    """Restore the `wanted` states of paths, each directory before its content.

    `content` returns the path of a file with the saved content of a file; `dropped` is called with a path and the names
    of the attributes that a replaced file had and the restored file has not (decisions.md Q95). Returns the directories
    that must be removed, but are not empty. Raises HostError; paths that were restored before stay so.
    """
    full = []
    by_depth = _by_depth(wanted)
    for path in by_depth:
        if wanted[path][0] == DIRECTORY:
            _make_directory(path, wanted[path])
    for path in by_depth:
        if wanted[path][0] == FILE:
            _write(path, wanted[path], content, dropped)
        elif wanted[path][0] == LINK:
            _link(path, wanted[path])
    for path in reversed(by_depth):
        if wanted[path][0] == ABSENT and not _remove(path):
            full.append(path)
    for path in reversed(by_depth):
        if wanted[path][0] == DIRECTORY:
            _mode, uid, gid = _attributes(wanted[path])
            files.set_attributes(path, mode=_mode, uid=uid, gid=gid)
    return full


def _by_depth(paths: Collection[str]) -> list[str]:
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _not_empty(directory: str) -> HostError:
    return HostError(f"{directory} is a directory that is not empty", path=directory)


def _attributes(found: Found) -> tuple[int, int, int]:
    return int(str(found[1]), 8), int(found[2]), int(found[3])


def _make_directory(path: str, wanted: Found) -> None:
    """Make a directory that its owner can change until its content is complete."""
    if not os.path.islink(path) and os.path.isdir(path):
        return
    files.remove_file(path)
    mode, uid, gid = _attributes(wanted)
    files.make_directory(path, mode=mode | _OWNER, uid=uid, gid=gid)


def _write(
    path: str,
    wanted: Found,
    content: Callable[[Found], str],
    dropped: Callable[[str, list[str]], None] | None,
) -> None:
    mode, uid, gid = _attributes(wanted)
    there = found_at(path)
    if _has_content(wanted, there):
        files.set_attributes(path, mode=mode, uid=uid, gid=gid)
        return
    if there[0] == DIRECTORY:
        _remove_empty(path)
    source = content(wanted)

    def check(temporary: str) -> None:
        if digest(temporary) != wanted[4]:
            raise HostError(f"{source} does not have the content of {path} any more", path=source)

    def named(names: list[str]) -> None:
        if dropped:
            dropped(path, names)

    files.copy_file(source, path, mode=mode, uid=uid, gid=gid, before_rename=check, dropped=named)


def _has_content(wanted: Found, there: Found) -> bool:
    """Return whether only the attributes of a file are set; set-id bits are given to a new file only."""
    return there[0] == FILE and there[4] == wanted[4] and not int(str(wanted[1]), 8) & _SET_ID


def _remove_empty(directory: str) -> None:
    try:
        files.remove_directory(directory)
    except files.DirectoryNotEmpty:
        raise _not_empty(directory) from None


def _link(path: str, wanted: Found) -> None:
    """Make a link beside its path and rename it."""
    target, uid, gid = str(wanted[1]), int(wanted[2]), int(wanted[3])
    if os.path.isdir(path) and not os.path.islink(path):
        _remove_empty(path)
    write_link(path, target, uid=uid, gid=gid)


def _remove(path: str) -> bool:
    """Remove a file, a link or an empty directory; return False for a directory that is not empty."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            files.remove_directory(path)
        else:
            files.remove_file(path)
    except files.DirectoryNotEmpty:
        return False
    except SystemCallError as error:
        if error.errno != errno.ENOTDIR:
            raise
    return True
