# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Users and groups of this machine, each asked for once in a process (features.md 7.1).

What was found is remembered, and so is that an id has no name; that a name has no id is asked again each time, because
a package installed a moment ago may have brought the user. `forget` drops everything.
"""

from __future__ import annotations

import os

from .errors import UnknownOwner

# (uid_t) -1 tells chown to leave the owner alone, so no account can have it.
_NO_ID = 0xFFFFFFFF

_uids: dict[str, int] = {}
_gids: dict[str, int] = {}
_user_names: dict[int, str] = {}
_group_names: dict[int, str] = {}


def uid_of(name: str) -> int:
    """The numeric id of a user; a name of digits is the id itself and is not looked up. Raises UnknownOwner."""
    found = _uids.get(name)
    if found is None:
        found = _uids[name] = _numeric("user", name) if _is_digits(name) else _look_up_user(name)
    return found


def gid_of(name: str) -> int:
    """The numeric id of a group; a name of digits is the id itself and is not looked up. Raises UnknownOwner."""
    found = _gids.get(name)
    if found is None:
        found = _gids[name] = _numeric("group", name) if _is_digits(name) else _look_up_group(name)
    return found


def user_name(uid: int) -> str:
    """The name of a user, or the digits of `uid` when nobody has it."""
    found = _user_names.get(uid)
    if found is None:
        import pwd

        try:
            found = pwd.getpwuid(uid).pw_name
        except (KeyError, OverflowError):
            found = str(uid)
        _user_names[uid] = found
    return found


def group_name(gid: int) -> str:
    """The name of a group, or the digits of `gid` when none has it."""
    found = _group_names.get(gid)
    if found is None:
        import grp

        try:
            found = grp.getgrgid(gid).gr_name
        except (KeyError, OverflowError):
            found = str(gid)
        _group_names[gid] = found
    return found


def current_user() -> str:
    """The name of the user whose files we make, or its digits."""
    return user_name(os.geteuid())


def current_group() -> str:
    """The name of the group whose files we make, or its digits."""
    return group_name(os.getegid())


def forget() -> None:
    """Drop all that is remembered; for after something that may have changed accounts."""
    for remembered in (_uids, _gids, _user_names, _group_names):
        remembered.clear()


def _is_digits(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _numeric(kind: str, name: str) -> int:
    # No id has more than ten digits; int() of thousands of them would be slow or refused.
    significant = name.lstrip("0") or "0"
    if len(significant) > 10 or int(significant) >= _NO_ID:
        raise UnknownOwner(f'could not lookup {kind} "{name}": {kind} id is out of range', kind, name)
    return int(significant)


def _look_up_user(name: str) -> int:
    import pwd

    if not name:
        raise UnknownOwner("user name cannot be empty", "user", name)
    try:
        return pwd.getpwnam(name).pw_uid
    except (KeyError, ValueError):
        raise UnknownOwner(f'could not lookup user "{name}": user: unknown user {name}', "user", name) from None


def _look_up_group(name: str) -> int:
    import grp

    if not name:
        raise UnknownOwner("group name cannot be empty", "group", name)
    try:
        return grp.getgrnam(name).gr_gid
    except (KeyError, ValueError):
        raise UnknownOwner(f'could not lookup group "{name}": group: unknown group {name}', "group", name) from None
