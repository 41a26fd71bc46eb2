# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of files."""

from __future__ import annotations

import errno
import os
import stat

from ....host.accounts import group_name, known_user, user_name
from ....host.errors import SystemCallError
from ....host.limited import read_limited
from ....host.reading import Reader
from ..kind import Kind
from ..patterns import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..kind import Snapshot
    from ..rule import Rule

_TYPES = {
    stat.S_IFLNK: "symlink",
    stat.S_IFCHR: "character-device",
    stat.S_IFBLK: "block-device",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFDIR: "directory",
}


class _File:
    """The file at a path, links not followed but for the content; `~` and `~user` are home directories."""

    def __init__(self, path: str) -> None:
        self._given = path

    def _path(self) -> str:
        if not self._given.startswith("~"):
            return os.path.abspath(self._given)
        name, slash, rest = self._given[1:].partition("/")
        home = known_user(name).pw_dir if name else os.path.expanduser("~")
        return os.path.abspath(home + slash + rest)

    def _stat(self) -> os.stat_result:
        path = self._path()
        try:
            return os.lstat(path)
        except (OSError, ValueError) as error:
            raise SystemCallError("lstat", path, error) from None

    def exists(self) -> bool:
        """Return whether it exists."""
        try:
            self._stat()
        except SystemCallError as error:
            if error.errno == errno.ENOENT:
                return False
            raise
        return True

    def mode(self) -> str:
        """Return the mode in four octal digits, set-id and sticky bits included."""
        return f"{stat.S_IMODE(self._stat().st_mode):04o}"

    def size(self) -> int:
        """Return the size in bytes."""
        return self._stat().st_size

    def owner(self) -> str:
        """Return the name of the owner."""
        return user_name(self._stat().st_uid)

    def uid(self) -> int:
        """Return the number of the owner."""
        return self._stat().st_uid

    def group(self) -> str:
        """Return the name of the group."""
        return group_name(self._stat().st_gid)

    def gid(self) -> int:
        """Return the number of the group."""
        return self._stat().st_gid

    def linked_to(self) -> str:
        """Return the target of a link."""
        path = self._path()
        try:
            return os.readlink(path)
        except (OSError, ValueError) as error:
            raise SystemCallError("readlink", path, error) from None

    def filetype(self) -> str:
        """Return the type of the file."""
        return _TYPES.get(stat.S_IFMT(self._stat().st_mode), "file")

    def contents(self) -> Stream:
        """Return the content."""
        return Stream(read_limited(self._path()).decode("utf-8", "surrogateescape"))

    def digest(self, algorithm: str) -> Callable[[], str]:
        """Return a function that returns a digest of the content, in hexadecimal digits."""

        def read() -> str:
            import hashlib

            hasher = hashlib.new(algorithm)
            with Reader(self._path()) as reader:
                for chunk in reader.chunks():
                    hasher.update(chunk)
            return hasher.hexdigest()

        return read


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    file = _File(rule.subject)
    rule.gate("exists", file.exists)
    rule.may("mode", file.mode)
    rule.may("owner", file.owner)
    rule.may("uid", file.uid)
    rule.may("group", file.group)
    rule.may("gid", file.gid)
    rule.may("linked-to", file.linked_to, "linkedto")
    rule.may("filetype", file.filetype)
    rule.may_read("contains", file.contents)
    rule.may_read("contents", file.contents)
    rule.may("size", file.size)
    for algorithm in ("md5", "sha256", "sha512"):
        rule.may(algorithm, file.digest(algorithm))


_MATCHED = "exists mode size owner uid group gid linked-to filetype contains contents md5 sha256 sha512"
FILE = Kind("File", dict.fromkeys(_MATCHED.split(), "matcher"), _examine, subject="path", required=("exists",))
