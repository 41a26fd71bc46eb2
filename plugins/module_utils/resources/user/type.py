# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The user type: a user of the files of this machine, with its groups, its home and its password."""

from __future__ import annotations

import datetime
import re

from ...lang.paths import clean
from ...model.decision import NOTHING, Decision, Step, Update
from ...model.errors import InvalidResource, ResourceFailed
from ...model.property import Property
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ..account_rules import (
    ABSENT,
    INCLUSIVE,
    MINIMUM,
    PRESENT,
    SEMAPHORE,
    check_account_name,
    check_ensure,
    check_id,
    check_membership,
    check_references,
    is_number,
    shown,
    wanted_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence, TypedDict

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import useradd  # noqa: F401

    class UserMetadata(TypedDict, total=False):
        """The fields of a user's state in events."""

        name: str
        provider: str
        uid: int
        gid: int
        group: str
        groups: Sequence[str]
        home: str
        shell: str
        comment: str
        expiry: str
        local: bool


#: A value of `expiry`: the account does not expire.
NEVER = "absent"
_CREATE = Decision(Step("create", "Would have created the user", "Created the user"))
_REMOVE = Decision(Step("remove", "Would have removed the user", "Removed the user"))
_REMOVE_ALL = Decision(Step("remove", "Would have removed the user and its home", "Removed the user and its home"))
_CHANGE = Step("change", "Would have changed the user", "Changed the user")
_LENGTHS_OF_DATE = [4, 2, 2]
FIRST_DAY = datetime.date(1970, 1, 1)
#: A hash of crypt with its kind and its salt, which may be locked, or signs with which no password works.
_HASH = r"(?:[*!]+|!*\$[0-9a-z-]+\$[!-9;-~]*[./0-9A-Za-z]{20,}|!*_[./0-9A-Za-z]{19})\Z"


class UserProperties(Properties):
    """The properties of a user."""

    uid: int | None
    gid: str
    groups: list[str] | None
    membership: str
    home: str | None
    managehome: bool
    shell: str | None
    comment: str | None
    system: bool
    password: str
    expiry: str
    without_groups: list[str] | None
    requires_own_home: bool


class UserState(State):
    """A user as it is; `ensure` is absent when neither the files nor another source of the name service has it.

    `wanted_gid` is the number of a wanted primary group of another name, None where it is not known. `other_groups` are
    wanted groups of a directory service that have the user. `has_password` is whether the hash is the wanted one: the
    state does not hold it. `has_home` is whether anything is at the path of the home, where the home is managed;
    `has_own_group` whether the files have a group of its name.
    """

    type = "user"
    metadata: UserMetadata
    wanted_gid: int | None = None
    other_groups: Sequence[str] = ()
    has_password: bool = True
    has_home: bool = False
    has_own_group: bool = False


class UserType(ResourceType[UserProperties, UserState]):
    """Users (behaviour.md 23)."""

    name = "user"
    default_ensure = PRESENT
    takes_empty_ensure = False
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("useradd",)
    default_provider = "useradd"
    verbs = ("change", "create", "remove")
    semaphores = (SEMAPHORE,)
    stable_after_change = True
    properties_class = UserProperties
    reversible = True
    own_properties = (
        Property("uid", "integer", nullable=True, help="Its number. The next free one when it is made without."),
        Property("gid", help="Its primary group, by name or number. When it is made without: the group of its name."),
        Property("groups", "strings", nullable=True, help="Its other groups, by name. Left alone when not given."),
        Property(
            "membership",
            default=MINIMUM,
            choices=(MINIMUM, INCLUSIVE),
            help="Whether it may be in other groups than these: minimum leaves it there, inclusive removes it.",
        ),
        Property("home", nullable=True, help="The path of its home."),
        Property(
            "managehome", "boolean", help="Whether its home is made and removed with it. A home that moves stays there."
        ),
        Property("shell", nullable=True, help="The path of its login shell."),
        Property("comment", nullable=True, help="Its full name, or another description."),
        Property("system", "boolean", help="Whether it is made with a number of the range for system users."),
        Property(
            "password",
            secret=True,
            help="The hash of its password, like $6$...; with a text that begins with * or ! no password works.",
        ),
        Property("expiry", help="The day on which the account expires, like 2027-12-31, or `absent`: it does not."),
    )

    undo_properties = (
        Property("without_groups", "strings", nullable=True, help="Groups to take it out of."),
        Property("requires_own_home", "boolean", help="Whether it stays where others have files in its home."),
    )

    def validate(self, properties: UserProperties) -> None:
        """Refuse names, numbers, paths, hashes and dates that no user can have."""
        super().validate(properties)
        check_ensure(properties.ensure)
        check_account_name("user", properties.name)
        check_id("uid", properties.uid)
        if is_number(properties.gid):
            check_id("gid", int(properties.gid[:11]))
        elif properties.gid:
            check_references("gid", [properties.gid])
        check_membership("groups", properties.groups, properties.membership)
        for name in ("home", "shell"):
            _check_path(name, getattr(properties, name))
        if properties.comment and not {":", "\n", "\0"}.isdisjoint(properties.comment):
            problem = "comment can have no colon, no line feed and no NUL"
            raise InvalidResource(problem, property="comment", value=properties.comment)
        if properties.password:
            _check_hash(properties.password)
        if properties.expiry not in ("", NEVER):
            expiry_day(properties.expiry)

    def decide(self, state: UserState, properties: UserProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 23.

        Raises ResourceFailed for a change of a user that the files do not have (decisions.md Q119).
        """
        if properties.ensure == ABSENT:
            if state.ensure == ABSENT:
                return NOTHING
            _require_local(state, "it cannot be removed here")
            return _REMOVE_ALL if properties.managehome else _REMOVE
        if state.ensure == ABSENT:
            return _CREATE
        found = list(differences(state, properties))
        if not found:
            return NOTHING
        part, there, wanted = found[0]
        change = "" if part == "password" else f" from {shown(there)} to {shown(wanted)}"
        _require_local(state, f"{part} cannot be changed here{change}", part)
        return Update(_CHANGE, tuple(part for part, _there, _wanted in found))

    def shortfall(self, state: UserState, properties: UserProperties) -> str:
        """Return why the user is not in the wanted state."""
        if properties.ensure != state.ensure:
            return f"{properties.ensure}: the user is {state.ensure}"
        if properties.ensure == ABSENT:
            return ""
        for part, there, wanted in differences(state, properties):
            if part == "password":
                return f"{properties.ensure}: password is another one"
            return f"{properties.ensure}: {part} is {shown(there)}, expected {shown(wanted)}"
        return ""


def missing_groups(state: UserState, properties: UserProperties) -> list[str]:
    """Return the wanted groups that a user is not in, also not as its primary one, in the order of the manifest."""
    metadata = state.metadata
    there = metadata.get("groups", ())
    missing = [name for name in properties.groups or () if name not in there]
    if not missing:
        return missing
    others = {*state.other_groups, properties.gid or metadata.get("group", "")}
    return [name for name in dict.fromkeys(missing) if name not in others]


def wanted_groups(state: UserState, properties: UserProperties) -> list[str]:
    """Return the groups of the files that are to list a user, sorted."""
    there, missing = state.metadata.get("groups", ()), missing_groups(state, properties)
    if properties.groups is None:
        return wanted_names(there, None, MINIMUM, properties.without_groups)
    if properties.membership == INCLUSIVE:
        wanted = set(properties.groups or ())
        return sorted([*missing, *(name for name in there if name in wanted)])
    return sorted([*there, *missing])


def differences(state: UserState, properties: UserProperties) -> Iterator[tuple[str, str, str]]:
    """Yield what differs of a user that exists: its part, as it is, and as it is wanted; nothing of passwords."""
    there = state.metadata
    if properties.uid not in (None, there["uid"]):
        yield "uid", str(there["uid"]), str(properties.uid)
    if properties.gid and there["group"] != properties.gid and there["gid"] != state.wanted_gid:
        yield "gid", there["group"], properties.gid
    is_managed = properties.groups is not None or properties.without_groups
    groups = wanted_groups(state, properties) if is_managed else there["groups"]
    if groups != there["groups"]:
        yield "groups", ", ".join(there["groups"]), ", ".join(groups)
    if properties.comment not in (None, there["comment"]):
        yield "comment", there["comment"], properties.comment or ""
    if properties.home not in (None, there["home"]):
        yield "home", there["home"], properties.home or ""
    if properties.shell not in (None, there["shell"]):
        yield "shell", there["shell"], properties.shell or ""
    if properties.expiry and there["expiry"] != properties.expiry:
        yield "expiry", there["expiry"], properties.expiry
    if not state.has_password:
        yield "password", "", ""


def expiry_day(date: str) -> int:
    """Return a day like 2027-12-31 in days since 1970. Raises InvalidResource for another text."""
    try:
        if [len(part) for part in date.split("-")] != _LENGTHS_OF_DATE or not date.isascii():
            raise ValueError
        found = (datetime.date(*map(int, date.split("-"))) - FIRST_DAY).days
        if found < 1:
            raise ValueError
    except ValueError:
        raise InvalidResource(
            f"expiry must be a day like 2027-12-31, or {NEVER}", property="expiry", value=date
        ) from None
    return found


def _check_path(property: str, path: str | None) -> None:
    if path is not None and (path[:1] != "/" or not {":", "\n", "\0"}.isdisjoint(path)):
        raise InvalidResource(
            f"{property} must be an absolute path without colon and line feed", property=property, value=path
        )
    if path and ("/." in path or "//" in path or path[-1] == "/") and clean(path) != path:
        advice = f"write {clean(path)}"
        raise InvalidResource(f"{property} must be canonical", property=property, value=path, advice=advice)


def _check_hash(password: str) -> None:
    """Refuse a text that is no hash, above all a password itself; the error does not show it."""
    if not re.match(_HASH, password):
        raise InvalidResource(
            "password must be a hash as in /etc/shadow, not the password itself",
            property="password",
            advice="make one with: openssl passwd -6",
        )


def _require_local(state: UserState, why: str, property: str = "ensure") -> None:
    if not state.metadata["local"]:
        raise ResourceFailed(
            f"user {state.name} is not in /etc/passwd, but of a directory service: {why}",
            property=property,
            advice="change it where the directory is managed",
        )


TYPE = UserType()
