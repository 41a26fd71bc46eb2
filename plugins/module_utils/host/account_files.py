# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files in which the C library looks first for users and groups, and whether they have changed since.

Only answers that these files alone give can be kept: what other sources of the name service answer (systemd, LDAP)
depends on more than files.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    Identity = tuple[int, ...]

_SOURCES = "/etc/nsswitch.conf"
#: By kind, the file, its name in the list of sources and how many fields its lines have.
_FILES = {"user": ("/etc/passwd", "passwd", 7), "group": ("/etc/group", "group", 4)}
#: A file that changed so short a time ago, in ns, may change again without another time of change.
_UNCERTAIN = 2_000_000_000


class AccountFiles:
    """The users and groups in the files of this machine, as they are now; none where another source comes first.

    `ids` are numbers by kind and name, `names` names by kind and number: "user" or "group". They are not read within
    two seconds after they changed. With `are_direct` they were read, and none is behind a link: only a file with the
    same name can replace one.
    """

    def __init__(self) -> None:
        self.ids: dict[tuple[str, str], int] = {}
        self.names: dict[tuple[str, int], str] = {}
        self.are_direct = False
        self._seen: dict[str, Identity] = {}
        try:
            self._read()
        except OSError:
            self._seen = {}

    def are_unchanged(self) -> bool:
        """Return whether the files were read, and are as they were read."""
        try:
            for path, identity in self._seen.items():
                if identity_of(os.stat(path)) != identity:
                    return False
        except OSError:
            return False
        return bool(self._seen)

    def _read(self) -> None:
        newest, seen = time.time_ns() - _UNCERTAIN, {}
        for path in (_SOURCES, *(file[0] for file in _FILES.values())):
            found = os.stat(path)
            if found.st_ctime_ns > newest:
                return
            seen[path] = identity_of(found)
        sources = _text_of(_SOURCES)
        for kind, (path, database, length) in _FILES.items():
            if _begins_with_files(sources, database):
                self._add(kind, _text_of(path), length)
        self._seen = seen
        self.are_direct = all(os.path.realpath(path) == path for path in seen)

    def _add(self, kind: str, text: str, length: int) -> None:
        for line in text.split("\n"):
            fields = line.split(":")
            if len(fields) == length and fields[2].isascii() and fields[2].isdigit() and len(fields[2]) <= 10:
                name, number = fields[0], int(fields[2])
                self.ids.setdefault((kind, name), number)
                self.names.setdefault((kind, number), name)


def identity_of(found: os.stat_result) -> Identity:
    """Return what differs after each change of a file."""
    return found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return file.read()


def _begins_with_files(sources: str, database: str) -> bool:
    """Return whether the C library looks for a database in files first, and no further when it is found there."""
    lines = (line.partition("#")[0].partition(":") for line in sources.split("\n"))
    orders = [order for name, _colon, order in lines if name.strip() == database]
    return len(orders) == 1 and orders[0].split()[:1] == ["files"] and "continue" not in orders[0].lower()
