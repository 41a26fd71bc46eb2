# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of users beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

from ...model.facets import GROUP, USER, Identity, Relations, Reversal, TypeDescription
from ...model.flags import Argument
from ...model.property import Property
from ...model.type_flags import TypeFlags, ensure_argument
from ..account_rules import ABSENT, is_number, parts_of_list, undone_list
from .type import TYPE, UserProperties, UserState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ...model.facets import Parts
    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of users."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the resource."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property("uid", "integer", help="Its number."),
                    Property("gid", "integer", help="The number of its primary group."),
                    Property("group", help="The name of its primary group, or the number where there is none."),
                    Property("groups", "strings", help="The other groups that it is in, sorted."),
                    Property("home", help="The path of its home."),
                    Property("shell", help="The path of its login shell."),
                    Property("comment", help="Its full name, or another description."),
                    Property("expiry", help="The day on which it expires, or absent, where that is managed."),
                    Property("local", "boolean", help="Whether /etc/passwd has it, and not only a directory service."),
                ),
            ),
        ),
        paths=("home", "shell"),
    )


class UserFlags(TypeFlags):
    """The arguments and flags of `ccm ensure user`."""

    def __init__(self) -> None:
        super().__init__(TYPE, without=("password",))
        self.arguments = (
            Argument("name", "User name to manage", required=True),
            ensure_argument(TYPE),
        )
        self.flags = self.own_flags

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.name, "ensure": values.ensure, **self.own_properties(values)}


def flags() -> TypeFlags:
    """Return the command line of users (behaviour.md 19.2)."""
    return UserFlags()


class UserRelations(Relations["UserProperties"]):
    """What users provide and want."""

    sends = (
        Property("uid", "integer", help="Its number."),
        Property("gid", "integer", help="The number of its primary group."),
        Property("home", help="The path of its home."),
    )

    def provides(self, properties: UserProperties) -> list[Identity]:
        """Return the user, and the group of its name that is made with it."""
        user = Identity(USER, properties.name)
        return [user] if properties.gid else [user, Identity(GROUP, properties.name)]

    def wants(self, properties: UserProperties) -> list[Identity]:
        """Return the user itself, for the package that makes it, and its groups."""
        gid = properties.gid or properties.name
        primary = [] if is_number(gid) else [gid]
        groups = [Identity(GROUP, name) for name in dict.fromkeys([*primary, *(properties.groups or ())])]
        return [Identity(USER, properties.name), *groups]

    def watches(self, properties: UserProperties) -> list[str]:
        """Return the files of accounts that the user is in."""
        found = ["/etc/passwd", "/etc/group"]
        return [*found, "/etc/shadow"] if properties.password or properties.expiry else found

    def remains(self, properties: UserProperties) -> str | None:
        """Return that its state shows it, unless the user is removed."""
        return None if properties.ensure == ABSENT else ""

    def sent(self, properties: UserProperties, state: State) -> Data:
        """Return the numbers of the user and its primary group, and its home."""
        return {key: state.metadata[key] for key in ("uid", "gid", "home") if key in state.metadata}


RELATIONS = UserRelations()


_ENSURE, _GID, _GROUPS = "ensure", "gid", "groups"
_HOME_DIRECTORY, _OWN_GROUP = "home directory", "own group"
_FIELDS = ("uid", "home", "shell", "comment", "expiry")
_NOT_MANAGED = {"expiry": ("",)}


class UserReversal(Reversal[UserProperties, UserState]):
    """A user that was made is removed, with the home that was made; a changed user is as before.

    What was removed does not come back, and no password: hashes are not kept.
    """

    def is_reversible(self, properties: UserProperties, state: UserState) -> bool:
        """Return whether the user is going to be made, or changed without its password."""
        if properties.ensure == ABSENT:
            return False
        return state.ensure == ABSENT or state.has_password

    def parts(self, properties: UserProperties, state: UserState) -> Parts:
        """Return whether it is there, and what of it is managed; all of it where it is removed."""
        there, is_removal = state.metadata, properties.ensure == ABSENT
        found: Parts = {_ENSURE: state.ensure}
        managed = vars(properties)
        values: Mapping[str, str | int] = state.details.get("metadata", {})
        for part in _FIELDS:
            if is_removal or managed[part] not in (None, *_NOT_MANAGED.get(part, ())):
                found[part] = values.get(part, "")
        if is_removal or properties.gid:
            found[_GID] = there.get("group", "")
        found.update(parts_of_list(_GROUPS, properties, there.get("groups", ())))
        if not properties.gid:
            found[_OWN_GROUP] = "there" if state.has_own_group else "missing"
        if properties.managehome:
            found[_HOME_DIRECTORY] = "there" if state.has_home else "missing"
        return found

    def undone(self, properties: UserProperties, parts: Parts) -> Data:
        """Return the properties of a user as it was, or of a user to remove; only a home that was made with it goes."""
        given: Data = {"ensure": parts[_ENSURE], "provider": properties.provider}
        # Of a user to remove these properties are only compared with the values that the change left.
        former = vars(properties) if parts[_ENSURE] == ABSENT else parts
        given.update({part: former[part] for part in (*_FIELDS, _GID) if part in parts})
        given.update(undone_list(_GROUPS, properties, parts))
        if parts[_ENSURE] == ABSENT and parts.get(_HOME_DIRECTORY) == "missing":
            given["managehome"] = given["requires_own_home"] = True
        if parts[_ENSURE] == ABSENT and parts.get(_OWN_GROUP) == "there":
            # With this the group stays.
            given[_GID] = properties.name
        return given


REVERSAL = UserReversal()
