# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Users and groups of this machine, each asked for once in a process (features.md 7.1).

A name without an id is asked for again: a package installed a moment ago may have brought it.
"""

from __future__ import annotations

from .errors import HostError

# (uid_t) -1 tells chown to leave the owner alone, so no account can have it.
_NO_ID = 0xFFFFFFFF

_ids: dict[tuple[str, str], int] = {}
_names: dict[tuple[str, int], str] = {}


class UnknownOwner(HostError):
    """There is no such `kind`, "user" or "group", as `name`."""

    def __init__(self, text: str, kind: str, name: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.name = name


def uid_of(name: str) -> int:
    """The id of a user; digits are the id itself and are not looked up. Raises UnknownOwner."""
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


def forget() -> None:
    """Drop all that is remembered, after accounts may have changed."""
    _ids.clear()
    _names.clear()


def _id(kind: str, name: str) -> int:
    found = _ids.get((kind, name))
    if found is None:
        is_digits = name.isascii() and name.isdigit()
        found = _ids[kind, name] = _numeric(kind, name) if is_digits else _look_up(kind, name)
    return found


def _numeric(kind: str, name: str) -> int:
    # No id has more than ten digits; int() of thousands of them would be slow or refused.
    significant = name.lstrip("0") or "0"
    if len(significant) > 10 or int(significant) >= _NO_ID:
        raise UnknownOwner(f'could not lookup {kind} "{name}": {kind} id is out of range', kind, name)
    return int(significant)


def _look_up(kind: str, name: str) -> int:
    if not name:
        raise UnknownOwner(f"{kind} name cannot be empty", kind, name)
    try:
        if kind == "user":
            import pwd

            return pwd.getpwnam(name).pw_uid
        import grp

        return grp.getgrnam(name).gr_gid
    except (KeyError, ValueError):
        raise UnknownOwner(f'could not lookup {kind} "{name}": {kind}: unknown {kind} {name}', kind, name) from None


def _name(kind: str, number: int) -> str:
    found = _names.get((kind, number))
    if found is None:
        try:
            if kind == "user":
                import pwd

                found = pwd.getpwuid(number).pw_name
            else:
                import grp

                found = grp.getgrgid(number).gr_name
        except (KeyError, OverflowError):
            found = str(number)
        _names[kind, number] = found
    return found
