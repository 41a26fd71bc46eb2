# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The group type: a group of the files of this machine, its number and its members."""

from __future__ import annotations

from ...model.decision import NOTHING, Decision, Step, Update
from ...model.errors import ResourceFailed
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
    shown,
    wanted_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence, TypedDict

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import groupadd  # noqa: F401

    class GroupMetadata(TypedDict, total=False):
        """The fields of a group's state in events."""

        name: str
        provider: str
        gid: int
        members: Sequence[str]
        local: bool


_CREATE = Decision(Step("create", "Would have created the group", "Created the group"))
_REMOVE = Decision(Step("remove", "Would have removed the group", "Removed the group"))
_CHANGE = Step("change", "Would have changed the group", "Changed the group")


class GroupProperties(Properties):
    """The properties of a group."""

    gid: int | None
    members: list[str] | None
    membership: str
    system: bool
    without_members: list[str] | None


class GroupState(State):
    """A group as it is; `ensure` is absent when neither the files nor another source of the name service has it."""

    type = "group"
    metadata: GroupMetadata


class GroupType(ResourceType[GroupProperties, GroupState]):
    """Groups (behaviour.md 22)."""

    name = "group"
    default_ensure = PRESENT
    takes_empty_ensure = False
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("groupadd",)
    default_provider = "groupadd"
    verbs = ("change", "create", "remove")
    semaphores = (SEMAPHORE,)
    stable_after_change = True
    properties_class = GroupProperties
    reversible = True
    own_properties = (
        Property("gid", "integer", nullable=True, help="Its number. The next free one when it is made without."),
        Property("members", "strings", nullable=True, help="The users in it. Left as they are when not given."),
        Property(
            "membership",
            default=MINIMUM,
            choices=(MINIMUM, INCLUSIVE),
            help="Whether it may have other members than these: minimum leaves them, inclusive removes them.",
        ),
        Property("system", "boolean", help="Whether it is made with a number of the range for system groups."),
    )

    undo_properties = (Property("without_members", "strings", nullable=True, help="Users to take out of it."),)

    def validate(self, properties: GroupProperties) -> None:
        """Refuse other values of `ensure`, and names and numbers that no group or member can have."""
        super().validate(properties)
        check_ensure(properties.ensure)
        check_account_name("group", properties.name)
        check_id("gid", properties.gid)
        check_membership("members", properties.members, properties.membership)

    def decide(self, state: GroupState, properties: GroupProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 22.

        Raises ResourceFailed for a change of a group that the files do not have (decisions.md Q119).
        """
        if properties.ensure == ABSENT:
            if state.ensure == ABSENT:
                return NOTHING
            _require_local(state, "it cannot be removed here")
            return _REMOVE
        if state.ensure == ABSENT:
            return _CREATE
        found = list(_differences(state, properties))
        if not found:
            return NOTHING
        part, there, wanted = found[0]
        _require_local(state, f"{part} cannot be changed here from {shown(there)} to {shown(wanted)}", part)
        return Update(_CHANGE, tuple(part for part, _there, _wanted in found))

    def shortfall(self, state: GroupState, properties: GroupProperties) -> str:
        """Return why the group is not in the wanted state."""
        if properties.ensure != state.ensure:
            return f"{properties.ensure}: the group is {state.ensure}"
        if properties.ensure == ABSENT:
            return ""
        for part, there, wanted in _differences(state, properties):
            return f"{properties.ensure}: {part} is {shown(there)}, expected {shown(wanted)}"
        return ""


def wanted_members(state: GroupState, properties: GroupProperties) -> list[str]:
    """Return the members that a group is to have, sorted."""
    there = state.metadata.get("members", ())
    return wanted_names(there, properties.members, properties.membership, properties.without_members)


def _differences(state: GroupState, properties: GroupProperties) -> Iterator[tuple[str, str, str]]:
    """Yield what differs of a group that exists: its part, as it is, and as it is wanted."""
    there = state.metadata
    if properties.gid not in (None, there["gid"]):
        yield "gid", str(there["gid"]), str(properties.gid)
    members = wanted_members(state, properties)
    if members != list(there["members"]):
        yield "members", ", ".join(there["members"]), ", ".join(members)


def _require_local(state: GroupState, why: str, property: str = "ensure") -> None:
    if not state.metadata["local"]:
        raise ResourceFailed(
            f"group {state.name} is not in /etc/group, but of a directory service: {why}",
            property=property,
            advice="change it where the directory is managed",
        )


TYPE = GroupType()
