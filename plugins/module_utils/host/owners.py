# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Users and groups of this machine, each looked up once until something changes the machine (behaviour.md 7.1).

An unknown name is looked up each time.
"""

from __future__ import annotations

import grp
import pwd

from . import changes
from .errors import HostError

# (uid_t) -1 tells chown to leave the owner alone, so no account can have it.
_NO_ID = 0xFFFFFFFF

_ids: dict[tuple[str, str], int] = {}
_names: dict[tuple[str, int], str] = {}
_seen_at = -1


def uid_of(name: str) -> int:
    """The id of a user; digits are the id itself and are not looked up. Raises HostError."""
    return _id("user", name)


def gid_of(name: str) -> int:
    """The same for a group."""
    return _id("group", name)


def user_name(uid: int) -> str:
    """The name of a user, or the digits of `uid` when nobody has it."""
    return _name("user", uid)


def group_name(gid: int) -> str:
    """The same for a group."""
    return _name("group", gid)


def _forget_outdated() -> None:
    """Drop what was looked up before the last change: a command may have renumbered an account."""
    global _seen_at
    now = changes.generation()
    if now != _seen_at:
        _ids.clear()
        _names.clear()
        _seen_at = now


def _id(kind: str, name: str) -> int:
    _forget_outdated()
    found = _ids.get((kind, name))
    if found is None:
        found = _ids[kind, name] = _look_up(kind, name)
    return found


def _look_up(kind: str, name: str) -> int:
    if not name:
        raise HostError(f"{kind} name cannot be empty")
    if name.isascii() and name.isdigit():
        # No id has more than ten digits; int() of thousands of them would be slow or refused.
        digits = name.lstrip("0") or "0"
        if len(digits) > 10 or int(digits) >= _NO_ID:
            raise HostError(f'could not lookup {kind} "{name}": {kind} id is out of range')
        return int(digits)
    try:
        return pwd.getpwnam(name).pw_uid if kind == "user" else grp.getgrnam(name).gr_gid
    except (KeyError, ValueError):
        raise HostError(f'could not lookup {kind} "{name}": {kind}: unknown {kind} {name}') from None


def _name(kind: str, number: int) -> str:
    _forget_outdated()
    found = _names.get((kind, number))
    if found is None:
        try:
            found = pwd.getpwuid(number).pw_name if kind == "user" else grp.getgrgid(number).gr_name
        except (KeyError, OverflowError):
            found = str(number)
        _names[kind, number] = found
    return found
