# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Users and groups of this machine (behaviour.md 7.1)."""

from __future__ import annotations

import grp
import pwd

from .errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .account_files import AccountFiles
    from .machine import Machine

#: (uid_t) -1, with which chown(2) leaves the owner as it is: the only number that no account can have.
NO_ID = 0xFFFFFFFF


class _Known:
    """Answers about users and groups, which `files` were read before."""

    def __init__(self, files: AccountFiles | None = None) -> None:
        self.files = files
        self.ids: dict[tuple[str, str], int] = {}
        self.names: dict[tuple[str, int], str] = {}


class Owners:
    """The users and groups of a machine, each looked up once until something could have changed it.

    Each change of the machine may change the number of an account: a command, a written file. An answer that the files
    of accounts alone give is kept as long as they are unchanged, which is not looked up after the writing of one other
    file. An unknown name is looked up each time.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._seen_at = machine.generation
        self._epoch = machine.epoch
        self._is_changing = False
        self._kept = _Known()
        self._passing = _Known()

    def uid_of(self, name: str) -> int:
        """Return the id of a user; digits are the id itself and are not looked up. Raises HostError."""
        return self._id("user", name)

    def gid_of(self, name: str) -> int:
        """Return the same for a group."""
        return self._id("group", name)

    def ids_of(self, user: str, group: str) -> tuple[int, int]:
        """Return the ids of a user and a group, as `uid_of` and `gid_of`. Raises HostError."""
        return self._id("user", user), self._id("group", group)

    def user_name(self, uid: int) -> str:
        """Return the name of a user, or the digits of `uid` when no user has it."""
        return self._name("user", uid)

    def group_name(self, gid: int) -> str:
        """Return the same for a group."""
        return self._name("group", gid)

    def names_of(self, uid: int, gid: int) -> tuple[str, str]:
        """Return the names of a user and a group, as `user_name` and `group_name`."""
        return self._name("user", uid), self._name("group", gid)

    def _forget_outdated(self) -> None:
        generation = self._machine.generation
        if self._seen_at == generation:
            return
        epoch = self._machine.epoch
        self._passing = _Known()
        files = self._kept.files
        is_same_epoch = epoch is self._epoch
        if files is None or not ((is_same_epoch and files.are_direct) or files.are_unchanged()):
            # Reading the files takes as long as some lookups: a run that changes one thing does without.
            if self._is_changing:
                from .account_files import AccountFiles

                files = AccountFiles()
            self._kept = _Known(files)
        self._is_changing = True
        self._epoch = epoch
        self._seen_at = generation

    def _id(self, kind: str, name: str) -> int:
        self._forget_outdated()
        key, kept, passing = (kind, name), self._kept, self._passing
        found = kept.ids.get(key, passing.ids.get(key))
        if found is None:
            found = _resolved(kind, name)
            is_in_files = kept.files is not None and kept.files.ids.get(key) == found
            (kept if is_in_files else passing).ids[key] = found
        return found

    def _name(self, kind: str, number: int) -> str:
        self._forget_outdated()
        key, kept, passing = (kind, number), self._kept, self._passing
        found = kept.names.get(key, passing.names.get(key))
        if found is None:
            found = user_name(number) if kind == "user" else group_name(number)
            is_in_files = kept.files is not None and kept.files.names.get(key) == found
            (kept if is_in_files else passing).names[key] = found
        return found


def user_name(uid: int) -> str:
    """Return the name of a user, or the digits of `uid` when no user has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)


def group_name(gid: int) -> str:
    """Return the name of a group, or the digits of `gid` when there is none."""
    try:
        return grp.getgrgid(gid).gr_name
    except (KeyError, OverflowError):
        return str(gid)


def _resolved(kind: str, name: str) -> int:
    if not name:
        raise HostError(f"{kind} name cannot be empty")
    if name.isascii() and name.isdigit():
        # No id has more than ten digits; int() of thousands of them would be slow or refused.
        digits = name.lstrip("0") or "0"
        if len(digits) > 10 or int(digits) >= NO_ID:
            raise HostError(f'could not lookup {kind} "{name}": {kind} id is out of range')
        return int(digits)
    try:
        found = pwd.getpwnam(name).pw_uid if kind == "user" else grp.getgrnam(name).gr_gid
    except (KeyError, ValueError):
        raise HostError(f'could not lookup {kind} "{name}": {kind}: unknown {kind} {name}') from None
    if found in (-1, NO_ID):  # Python returns -1 for it
        raise HostError(f'could not lookup {kind} "{name}": {kind} id is out of range')
    return found
