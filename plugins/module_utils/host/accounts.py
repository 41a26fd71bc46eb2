# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""This machine's data of a user or a group, read anew each time."""

from __future__ import annotations

import grp
import pwd

from .errors import HostError
from .reading import Reader
from .results import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    import grp
    import pwd
    from typing import Iterable


def user(name: str) -> pwd.struct_passwd | None:
    """Return the entry of a user, None when there is none."""
    try:
        return pwd.getpwnam(name)
    except (KeyError, ValueError):
        return None


def group(name: str) -> grp.struct_group | None:
    """Return the entry of a group, None when there is none."""
    try:
        return grp.getgrnam(name)
    except (KeyError, ValueError):
        return None


def user_name(uid: int) -> str:
    """Return the name of a user. Raises HostError for an unknown number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        raise _nameless("passwd") from None


def group_name(gid: int) -> str:
    """Return the name of a group. Raises HostError for an unknown number."""
    try:
        return grp.getgrgid(gid).gr_name
    except (KeyError, OverflowError):
        raise _nameless("group") from None


def _nameless(database: str) -> HostError:
    return HostError(f"Error: no matching entries in passwd file. getent {database}: exit status 2")


def groups_of(name: str, gid: int) -> list[str]:
    """Return the names of the groups in /etc/group that a user is in, also as primary group, sorted.

    Raises HostError.
    """
    with Reader("/etc/group") as reader:
        text = decode(b"".join(reader.chunks()))
    found = []
    for line in text.split("\n"):
        fields = line.split(":")
        if len(fields) == 4 and (fields[2] == str(gid) or name in fields[3].split(",")):
            found.append(fields[0])
    return sorted(found)


def primary_groups_of(users: Iterable[str], groups: Iterable[str]) -> dict[str, str]:
    """Return which of some groups is the primary group of each of some users, by the names of users that have one."""
    entries = [entry for entry in map(group, groups) if entry]
    names = {entry.gr_gid: entry.gr_name for entry in entries}
    accounts = [entry for entry in map(user, users) if entry] if names else []
    return {entry.pw_name: names[entry.pw_gid] for entry in accounts if entry.pw_gid in names}


def known_user(name: str) -> pwd.struct_passwd:
    """Return the entry of a user. Raises HostError when there is none."""
    found = user(name)
    if found is None:
        raise HostError(f"user: unknown user {name}")
    return found


def known_group(name: str) -> grp.struct_group:
    """Return the entry of a group. Raises HostError when there is none."""
    found = group(name)
    if found is None:
        raise HostError(f"group: unknown group {name}")
    return found
