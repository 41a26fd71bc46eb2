# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths walked name by name, each relative to the open directory before it (decisions.md Q81).

A symbolic link that belongs to neither root nor the effective user is followed only to a directory of its owner.
Permissions of directories do not matter, sticky or writable to a group: a user who puts a link into one owns the link.
In a user namespace all owners that it does not map look like one user, and links of that one are not followed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from .errors import LinkNotFollowed, SystemCallError
from .owners import user_name
from .reading import path_of

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_ENTRY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS = 40
_UNMAPPED = 65534
_UID_MAP = "/proc/self/uid_map"


def resolve_directory(path: str, flags: int, mode: int | None) -> int:
    """Open the directory `path` as `parents.open_directory` does."""
    resolution = _Resolution(path, mode)
    try:
        resolution.run()
        return os.open(".", flags | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=resolution.fd)
    finally:
        os.close(resolution.fd)


def resolve(path: str) -> int:
    """Return an O_PATH descriptor of the file or directory at `path`. Raises LinkNotFollowed and OSError."""
    resolution = _Resolution(path, None, to_directory=False)
    try:
        resolution.run()
    except BaseException:
        os.close(resolution.fd)
        raise
    return resolution.fd


class _Link:
    """A link whose target is being walked; it is reached when only `left` names are to come."""

    def __init__(self, place: str, owner: int, left: int) -> None:
        self.place = place
        self.owner = owner
        self.left = left

    def require_own(self, fd: int) -> None:
        """Raise LinkNotFollowed unless its owner may lead to the file that is open as `fd`."""
        if self.owner in (0, os.geteuid()):
            return
        found = os.fstat(fd).st_uid
        if found != self.owner or _is_unmapped(found):
            link, owner, target, other = self.place, user_name(self.owner), path_of(fd), user_name(found)
            text = (
                f"{link} is a symbolic link of {owner} and leads to {target}, which belongs to {other}; "
                "it is only followed to what belongs to its owner"
            )
            raise LinkNotFollowed(text, path=link, errno=errno.ELOOP)


class _Resolution:
    """The resolution of `path`, name by name: `fd` is the last directory reached."""

    def __init__(self, path: str, mode: int | None, *, to_directory: bool = True) -> None:
        self._path = path
        self._to_directory = to_directory
        self._mode = mode
        self._names = path.split("/")[::-1]
        self._links: list[_Link] = []
        self._followed = 0
        self.fd = os.open("/" if path.startswith("/") else ".", _DIRECTORY)

    def run(self) -> None:
        """Go to the end of it."""
        while self._names:
            name = self._names.pop()
            if name not in ("", "."):
                try:
                    self._enter(name)
                except OSError as error:
                    if self._mode is None:
                        raise
                    path = self._where()
                    raise SystemCallError("mkdir", path, error) from None
            while self._links and self._links[-1].left == len(self._names):
                self._links.pop().require_own(self.fd)

    def _where(self) -> str:
        """Return the part of the path that was walked."""
        left = self._links[0].left if self._links else len(self._names)
        return "/".join(self._path.split("/")[: -left or None])

    def _enter(self, name: str) -> None:
        below = self._opened(name)
        mode = os.fstat(below).st_mode
        is_link = stat.S_ISLNK(mode)
        is_entered = stat.S_ISDIR(mode) or not (is_link or self._to_directory or self._names)
        if is_entered:
            below, self.fd = self.fd, below
        try:
            if is_link:
                self._follow(below, name)
            elif not is_entered:
                raise NotADirectoryError(errno.ENOTDIR, "")
        finally:
            os.close(below)

    def _opened(self, name: str) -> int:
        try:
            return os.open(name, _ENTRY, dir_fd=self.fd)
        except FileNotFoundError:
            if self._mode is None:
                raise
            if self._links:  # nothing is made where a link leads
                raise FileExistsError(errno.EEXIST, "") from None
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(name, self._mode, dir_fd=self.fd)
        return os.open(name, _ENTRY, dir_fd=self.fd)

    def _follow(self, link: int, name: str) -> None:
        self._followed += 1
        if self._followed > _MOST_LINKS:
            raise OSError(errno.ELOOP, "")
        place = os.path.join(path_of(self.fd), name)
        self._links.append(_Link(place, os.fstat(link).st_uid, len(self._names)))
        target = os.readlink("", dir_fd=link)
        if target.startswith("/"):
            root = os.open("/", _DIRECTORY)
            os.close(self.fd)
            self.fd = root
        self._names += target.split("/")[::-1]


def _is_unmapped(uid: int) -> bool:
    """Return whether any user may look like this one, as this process is in a user namespace that does not map all."""
    if uid != _UNMAPPED:
        return False
    try:
        with open(_UID_MAP, encoding="ascii") as file:
            return file.read().split() != ["0", "0", "4294967295"]
    except OSError:
        return True
