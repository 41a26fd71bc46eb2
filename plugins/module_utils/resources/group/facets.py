# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of groups beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

from ...model.facets import GROUP, USER, Identity, Relations, Reversal, TypeDescription
from ...model.flags import Argument
from ...model.property import Property
from ...model.type_flags import TypeFlags, ensure_argument
from ..account_rules import ABSENT, parts_of_list, undone_list
from .type import TYPE, GroupProperties, GroupState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.facets import Parts
    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of groups."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the resource."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property("gid", "integer", help="Its number."),
                    Property("members", "strings", help="The users in it, sorted."),
                    Property("local", "boolean", help="Whether /etc/group has it, and not only a directory service."),
                ),
            ),
        )
    )


class GroupFlags(TypeFlags):
    """The arguments and flags of `ccm ensure group`."""

    def __init__(self) -> None:
        super().__init__(TYPE)
        self.arguments = (
            Argument("name", "Group name to manage", required=True),
            ensure_argument(TYPE),
        )
        self.flags = self.own_flags

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.name, "ensure": values.ensure, **self.own_properties(values)}


def flags() -> TypeFlags:
    """Return the command line of groups (behaviour.md 19.2)."""
    return GroupFlags()


class GroupRelations(Relations["GroupProperties"]):
    """What groups provide and want."""

    sends = (Property("gid", "integer", help="Its number."),)

    def provides(self, properties: GroupProperties) -> list[Identity]:
        """Return the group."""
        return [Identity(GROUP, properties.name)]

    def wants(self, properties: GroupProperties) -> list[Identity]:
        """Return its members."""
        return [Identity(USER, name) for name in properties.members or ()]

    def watches(self, properties: GroupProperties) -> list[str]:
        """Return the file of groups."""
        return ["/etc/group"]

    def remains(self, properties: GroupProperties) -> str | None:
        """Return that its state shows it, unless the group is removed."""
        return None if properties.ensure == ABSENT else ""

    def sent(self, properties: GroupProperties, state: State) -> Data:
        """Return the number of the group."""
        return {key: state.metadata[key] for key in ("gid",) if key in state.metadata}


RELATIONS = GroupRelations()


_ENSURE, _GID, _MEMBERS = "ensure", "gid", "members"


class GroupReversal(Reversal[GroupProperties, GroupState]):
    """A group that was made is removed; a removed group comes back with its number and members."""

    def parts(self, properties: GroupProperties, state: GroupState) -> Parts:
        """Return whether it is there, and what of it is managed; all of it where it is removed."""
        found: Parts = {_ENSURE: state.ensure}
        if properties.gid is not None or properties.ensure == ABSENT:
            found[_GID] = state.metadata.get("gid", "")
        found.update(parts_of_list(_MEMBERS, properties, state.metadata.get("members", ())))
        return found

    def undone(self, properties: GroupProperties, parts: Parts) -> Data:
        """Return the properties of a group as it was, or of a group to remove."""
        given: Data = {"ensure": parts[_ENSURE], "provider": properties.provider}
        gid = parts.get(_GID, "")
        given[_GID] = properties.gid if gid == "" else gid
        given.update(undone_list(_MEMBERS, properties, parts))
        return given


REVERSAL = GroupReversal()
