# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Users and groups of this machine (behaviour.md 7.1)."""

from __future__ import annotations

import grp
import pwd

from .errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .machine import Machine

# (uid_t) -1 makes chown leave the owner unchanged, so no account can have it.
_NO_ID = 0xFFFFFFFF


class Owners:
    """The users and groups of a machine, each looked up once until a change of the machine.

    A command may change the number of an account. An unknown name is looked up each time.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._ids: dict[tuple[str, str], int] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._seen_at = machine.generation

    def uid_of(self, name: str) -> int:
        """Return the id of a user; digits are the id itself and are not looked up. Raises HostError."""
        return self._id("user", name)

    def gid_of(self, name: str) -> int:
        """Return the same for a group."""
        return self._id("group", name)

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
        if self._seen_at != self._machine.generation:
            self._ids.clear()
            self._names.clear()
            self._seen_at = self._machine.generation

    def _id(self, kind: str, name: str) -> int:
        self._forget_outdated()
        found = self._ids.get((kind, name))
        if found is None:
            found = self._ids[kind, name] = _resolved(kind, name)
        return found

    def _name(self, kind: str, number: int) -> str:
        self._forget_outdated()
        found = self._names.get((kind, number))
        if found is None:
            found = self._names[kind, number] = user_name(number) if kind == "user" else group_name(number)
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
        if len(digits) > 10 or int(digits) >= _NO_ID:
            raise HostError(f'could not lookup {kind} "{name}": {kind} id is out of range')
        return int(digits)
    try:
        found = pwd.getpwnam(name).pw_uid if kind == "user" else grp.getgrnam(name).gr_gid
    except (KeyError, ValueError):
        raise HostError(f'could not lookup {kind} "{name}": {kind}: unknown {kind} {name}') from None
    if found in (-1, _NO_ID):  # Python returns -1 for it
        raise HostError(f'could not lookup {kind} "{name}": {kind} id is out of range')
    return found
