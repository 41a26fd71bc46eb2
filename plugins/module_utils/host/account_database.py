# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One look at the files of accounts for all resources of a run (architecture.md, Snapshots).

A file is read when something of it is asked for first, and again when it is another one. That is looked up where the
run may have changed it, when it has waited, and before a change. Lines that the C library does not read are no accounts
here either. What other sources of the name service know is not in these files
(`accounts.py`).
"""

from __future__ import annotations

import os

from .account_files import identity_of
from .errors import SystemCallError
from .owners import NO_ID
from .reading import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .account_files import Identity
    from .machine import Machine

    _File = tuple[str, int, tuple[int, ...]]

DIRECTORY = "/etc"
#: The files, each with the number of colons in its lines, and the fields that are ids.
PASSWD, GROUP, SHADOW = ("passwd", 6, (2, 3)), ("group", 3, (2,)), ("shadow", 8, ())


class User:
    """A line of `passwd`; `password` is `x` where the hash is in `shadow`."""

    __slots__ = ("comment", "gid", "home", "name", "password", "shell", "uid")

    def __init__(self, name: str, password: str, uid: int, gid: int, comment: str, home: str, shell: str) -> None:
        self.name = name
        self.password = password
        self.uid = uid
        self.gid = gid
        self.comment = comment
        self.home = home
        self.shell = shell


class Group:
    """A line of `group`."""

    __slots__ = ("gid", "members", "name")

    def __init__(self, name: str, gid: int, members: list[str]) -> None:
        self.name = name
        self.gid = gid
        self.members = members


class _Lines:
    """The lines of one file by their names, of two the first; and what was made of them when it was asked for."""

    def __init__(self, file: _File, identity: Identity) -> None:
        name, colons, ids = file
        self.identity = identity
        self.by_name: dict[str, str] = {}
        self.by_number: dict[int, list[str]] | None = None
        self.groups: dict[str, list[str]] | None = None
        self.has_carriage_returns = False
        if not identity:
            return
        with Reader(_path(name)) as reader:
            text = b"".join(reader.chunks()).decode("utf-8", "surrogateescape")
        self.has_carriage_returns = "\r\n" in text
        for line in reversed(text.split("\n")):
            fields = line.split(":")
            if (
                len(fields) == colons + 1
                and line[0] not in "#+-:"
                and all(_number(fields[at]) is not None for at in ids)
            ):
                self.by_name[fields[0]] = line

    def names_of(self, number: int) -> list[str]:
        """Return the names of all lines with this number."""
        if self.by_number is None:
            found: dict[int, list[str]] = {}
            for name, line in self.by_name.items():
                found.setdefault(int(line.split(":", 3)[2]), []).append(name)
            self.by_number = found
        return sorted(self.by_number.get(number, ()))


def database_of(machine: Machine) -> AccountDatabase:
    """Return the one object of a run, which looks again whether a file changed if this run may have changed it."""
    found = machine.known(AccountDatabase)
    found.look_anew_after(machine.generation, machine.epoch)
    return found


class AccountDatabase:
    """The users and groups in the files of this machine.

    The first method that needs a file looks whether it changed since it was read; see `database_of` and `has_changed`.
    All methods raise SystemCallError when a file cannot be read.
    """

    def __init__(self) -> None:
        self._read: dict[str, _Lines] = {}
        self._seen: dict[str, _Lines] = {}
        self._seen_at: tuple[int, object] = (-1, None)

    def look_anew_after(self, generation: int, epoch: object) -> None:
        """Look again at each file that is needed, if the generation or the epoch of the machine is another one."""
        if self._seen_at != (generation, epoch):
            self._seen_at, self._seen = (generation, epoch), {}

    def has_changed(self) -> bool:
        """Return whether another program changed a file since it was seen, and look again at each that is needed."""
        seen, self._seen = self._seen, {}
        return any(_identity(name) != lines.identity for name, lines in seen.items())

    def user(self, name: str) -> User | None:
        """Return a user of the files, None without one."""
        line = self._lines(PASSWD).by_name.get(name)
        if line is None:
            return None
        _name, password, uid, gid, comment, home, shell = line.split(":")
        return User(name, password, int(uid), int(gid), comment, home, shell)

    def users_with(self, uid: int) -> list[str]:
        """Return the names of the users with this number."""
        return self._lines(PASSWD).names_of(uid)

    def users_in(self, gid: int) -> list[str]:
        """Return the names of the users whose primary group has this number."""
        wanted = str(gid)
        lines = self._lines(PASSWD).by_name.items()
        return sorted(name for name, line in lines if line.split(":", 4)[3] == wanted)

    def homes(self) -> dict[str, str]:
        """Return the homes of all users by their names."""
        return {name: line.split(":")[5] for name, line in self._lines(PASSWD).by_name.items()}

    def group(self, name: str) -> Group | None:
        """Return a group of the files, None without one."""
        line = self._lines(GROUP).by_name.get(name)
        if line is None:
            return None
        _name, _password, gid, members = line.split(":")
        return Group(name, int(gid), [member for member in members.split(",") if member])

    def groups_with(self, gid: int) -> list[str]:
        """Return the names of the groups with this number."""
        return self._lines(GROUP).names_of(gid)

    def groups_of(self, user: str) -> list[str]:
        """Return the names of the groups that list a user as their member, sorted."""
        lines = self._lines(GROUP)
        if lines.groups is None:
            found: dict[str, list[str]] = {}
            for name in sorted(lines.by_name):
                for member in set(lines.by_name[name].split(":")[3].split(",")):
                    found.setdefault(member, []).append(name)
            lines.groups = found
        return lines.groups.get(user, [])

    def hash_of(self, user: User) -> str:
        """Return the hash of a user's password, or the word in its place."""
        line = self._lines(SHADOW).by_name.get(user.name) if user.password == "x" else None
        return line.split(":")[1] if line is not None else user.password

    def expiry_of(self, name: str) -> int | None:
        """Return the day on which a user expires, in days since 1970; None for never."""
        line = self._lines(SHADOW).by_name.get(name)
        return None if line is None else _number(line.split(":")[7])

    def with_carriage_returns(self) -> list[str]:
        """Return the paths of the read files in which lines end with CR LF."""
        return [_path(name) for name, lines in self._read.items() if lines.has_carriage_returns]

    def _lines(self, file: _File) -> _Lines:
        name = file[0]
        found = self._seen.get(name)
        if found is None:
            found, identity = self._read.get(name), _identity(name)
            if found is None or found.identity != identity:
                found = self._read[name] = _Lines(file, identity)
            self._seen[name] = found
        return found


def _identity(name: str) -> Identity:
    """Return what differs after each change of a file, nothing of a missing one. Raises SystemCallError."""
    path = _path(name)
    try:
        return identity_of(os.stat(path))
    except FileNotFoundError as error:
        if name == PASSWD[0]:
            raise SystemCallError("open", path, error) from None
        return ()
    except OSError as error:
        raise SystemCallError("stat", path, error) from None


def _path(name: str) -> str:
    return f"{DIRECTORY}/{name}"


def _number(text: str) -> int | None:
    """Return an id or a count of days; None for another text, and for a number that no id can be.

    The C library also reads the number that means no owner, so a line with it is an account.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= 10
    return int(text) if is_number and int(text) <= NO_ID else None
