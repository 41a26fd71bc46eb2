# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups by the programs of shadow (behaviour.md 22.1)."""

from __future__ import annotations

from ...host import accounts
from ...host.account_database import AccountDatabase, database_of
from ...host.owners import group_name
from ...host.shadow_programs import change_accounts
from ...model.errors import NotThereYet
from ...model.provider import Provider
from ..account_checks import difference, expecting, require_able, some, warn_of_carriage_returns
from ..account_rules import ABSENT, PRESENT
from .type import TYPE, GroupProperties, GroupState, wanted_members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.values import Difference
    from .type import GroupMetadata

_PROGRAMS = ("groupadd", "groupmod", "groupdel", "gpasswd")


class GroupaddProvider(Provider[GroupProperties, GroupState]):
    """Reads groups from /etc/group, then from the name service; changes groups of /etc/group only."""

    name = "groupadd"

    @property
    def _database(self) -> AccountDatabase:
        return database_of(self.machine)

    def status(self, properties: GroupProperties) -> GroupState:
        """Return the group; its members are sorted. Raises HostError when /etc/group cannot be read."""
        state = self._read(properties)
        if TYPE.shortfall(state, properties) and self._database.has_changed():
            # A change is decided only on a fresh look.
            return self._read(properties)
        return state

    def _read(self, properties: GroupProperties) -> GroupState:
        name = properties.name
        found = self._database.group(name)
        warn_of_carriage_returns(self.machine, self.user_log)
        if found is not None:
            return self._state(name, found.gid, found.members, is_local=True)
        other = accounts.group(name)
        if other is not None:
            return self._state(name, other.gr_gid, other.gr_mem, is_local=False)
        return GroupState(name, ABSENT, {"metadata": {"name": name, "provider": self.name}})

    def _state(self, name: str, gid: int, members: Sequence[str], *, is_local: bool) -> GroupState:
        metadata: GroupMetadata = {"name": name, "provider": self.name, "gid": gid}
        metadata["members"] = sorted(set(members))
        metadata["local"] = is_local
        return GroupState(name, PRESENT, {"metadata": metadata})

    def require_possible(self, verb: str, properties: GroupProperties, state: GroupState) -> None:
        """Raise ResourceFailed when another group has the number, or the group is the primary group of users.

        Raises NotThereYet for a member that does not exist.
        """
        require_able(_PROGRAMS)
        if verb == "remove":
            users = self._database.users_in(state.metadata["gid"])
            if users:
                error = NotThereYet(
                    f"group {properties.name} is the primary group of {some(users)}",
                    property="ensure",
                    advice="give these users another gid first",
                )
                raise expecting(error, state)
            return
        if properties.gid is not None and properties.gid != state.metadata.get("gid"):
            owner = [*self._database.groups_with(properties.gid), group_name(properties.gid)][0]
            if owner != str(properties.gid):
                message = f"gid {properties.gid} is that of the group {owner}"
                raise expecting(NotThereYet(message, property="gid", value=properties.gid), state)
        there = state.metadata.get("members", ())
        for member in wanted_members(state, properties):
            if member not in there and self._database.user(member) is None and accounts.user(member) is None:
                error = NotThereYet(f"member {member} does not exist", property="members", advice="declare it before")
                raise expecting(error, state)

    def create(self, properties: GroupProperties, state: GroupState) -> None:
        """Make the group, with its members."""
        options = ["-g", str(properties.gid)] if properties.gid is not None else []
        if properties.system:
            options.append("-r")
        self._run("groupadd", *options, "--", properties.name)
        self._set_members(properties, state)

    def change(self, properties: GroupProperties, state: GroupState) -> None:
        """Change its number, then its members."""
        if properties.gid not in (None, state.metadata["gid"]):
            self._run("groupmod", "-g", str(properties.gid), "--", properties.name)
        self._set_members(properties, state)

    def remove(self, properties: GroupProperties, state: GroupState) -> None:
        """Remove the group."""
        self._run("groupdel", "--", properties.name)

    def _set_members(self, properties: GroupProperties, state: GroupState) -> None:
        there, wanted = list(state.metadata.get("members", ())), wanted_members(state, properties)
        if wanted == there:
            return
        # `gpasswd -M` refuses the whole list where one of the members that stay is a user that is no more.
        for member in wanted:
            if member not in there:
                self._run("gpasswd", "-a", member, "--", properties.name)
        for member in there:
            if member not in wanted:
                self._run("gpasswd", "-d", member, "--", properties.name)

    def _run(self, *argv: str) -> None:
        change_accounts(self.machine, argv)

    def differences(self, properties: GroupProperties, state: GroupState) -> list[Difference]:
        """Return the number and the members before and after, only what will change."""
        if not TYPE.decide(state, properties, False).verbs:
            return []
        before, after = _shown(state), {"ensure": properties.ensure}
        if properties.ensure == PRESENT:
            gid = state.metadata.get("gid") if properties.gid is None else properties.gid
            if gid is not None:
                after["gid"] = str(gid)
            after["members"] = ", ".join(wanted_members(state, properties))
        return difference(f"group {properties.name}", before, after)


def _shown(state: GroupState) -> dict[str, str]:
    if state.ensure == ABSENT:
        return {"ensure": ABSENT}
    return {"ensure": PRESENT, "gid": str(state.metadata["gid"]), "members": ", ".join(state.metadata["members"])}


PROVIDER: type[Provider[GroupProperties, GroupState]] = GroupaddProvider
