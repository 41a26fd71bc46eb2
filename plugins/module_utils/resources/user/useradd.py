# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Users by the programs of shadow (behaviour.md 23.1)."""

from __future__ import annotations

import datetime
import os
from itertools import islice

from ...host import accounts
from ...host.account_database import AccountDatabase, User, database_of
from ...host.errors import HostError
from ...host.homes import default_directory, fault_of, homes_within, is_there, mail_of, of_others
from ...host.owners import group_name, user_name
from ...host.processes import of_user
from ...host.shadow_programs import ProgramFailed, change_accounts
from ...model.errors import NotThereYet, ResourceFailed
from ...model.provider import Provider
from ...redaction.replacement import REDACTED
from ..account_checks import difference, expecting, require_able, some, warn_of_carriage_returns
from ..account_rules import ABSENT, MINIMUM, PRESENT, is_number
from ..mount_points import require_no_mount_below
from .type import (
    FIRST_DAY,
    NEVER,
    TYPE,
    UserProperties,
    UserState,
    differences,
    missing_groups,
    wanted_groups,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pwd
    from typing import Collection, Sequence

    from ...model.values import Difference
    from .type import UserMetadata

_UNKNOWN = "unknown"
_MOST_NAMED = 3
#: The exit code of useradd that made a user, but not the home.
_NO_HOME = 12
_PROGRAMS = ("useradd", "usermod", "userdel", "chpasswd")
_OPTIONS = {"home": "-d", "shell": "-s", "comment": "-c"}


class UseraddProvider(Provider[UserProperties, UserState]):
    """Reads users from /etc/passwd, then from the name service; changes users of /etc/passwd only.

    /etc/shadow is read only where the password or the expiry is managed.
    """

    name = "useradd"

    @property
    def _database(self) -> AccountDatabase:
        return database_of(self.machine)

    def status(self, properties: UserProperties) -> UserState:
        """Return the user; its groups are sorted. Raises HostError when a file of accounts cannot be read."""
        state = self._read(properties)
        if TYPE.shortfall(state, properties) and self._database.has_changed():
            # A change is decided only on a fresh look.
            return self._read(properties)
        return state

    def _read(self, properties: UserProperties) -> UserState:
        name, database = properties.name, self._database
        found = database.user(name)
        if found is not None:
            groups = database.groups_of(name)
            state = self._state(found, groups, is_local=True)
            if properties.expiry:
                state.metadata["expiry"] = _date(database.expiry_of(name))
            if properties.password:
                state.has_password = database.hash_of(found) == properties.password
        else:
            other = accounts.user(name)
            if other is None:
                metadata: UserMetadata = {"name": name, "provider": self.name}
                state = UserState(name, ABSENT, {"metadata": metadata})
            else:
                state = self._of_directory(other, properties)
        warn_of_carriage_returns(self.machine, self.user_log)
        # A path below an automounter is mounted by looking at it.
        is_seen = ABSENT in (state.ensure, properties.ensure) or properties.meta
        if is_seen:
            state.has_own_group = database.group(name) is not None
        if properties.managehome and is_seen:
            state.has_home = is_there(state.metadata.get("home") or self._home_of_new(properties))
        if properties.ensure == PRESENT:
            if properties.gid and properties.gid != state.metadata.get("group"):
                state.wanted_gid = self._gid_of(properties.gid)
            if properties.groups:
                state.other_groups = self._other_groups(state, properties)
        return state

    def _state(self, user: User, groups: Sequence[str], *, is_local: bool) -> UserState:
        names = self._database.groups_with(user.gid)
        metadata: UserMetadata = {"name": user.name, "provider": self.name, "uid": user.uid, "gid": user.gid}
        metadata["group"] = names[0] if names else self.machine.owners.group_name(user.gid)
        metadata["groups"] = list(groups)
        metadata["home"], metadata["shell"], metadata["comment"] = user.home, user.shell, user.comment
        metadata["local"] = is_local
        return UserState(user.name, PRESENT, {"metadata": metadata})

    def _of_directory(self, found: pwd.struct_passwd, properties: UserProperties) -> UserState:
        """Return a user that only another source of the name service has; who asks cannot read its hash."""
        user = User(found.pw_name, "", found.pw_uid, found.pw_gid, found.pw_gecos, found.pw_dir, found.pw_shell)
        gids = set(os.getgrouplist(found.pw_name, found.pw_gid)) - {found.pw_gid}
        state = self._state(user, sorted(map(self.machine.owners.group_name, gids)), is_local=False)
        if properties.expiry:
            state.metadata["expiry"] = _UNKNOWN
        state.has_password = not properties.password
        return state

    def _gid_of(self, group: str) -> int | None:
        """Return the number of a group that is given by name or number; None when there is none of the name."""
        if is_number(group):
            number = int(group)
            return number if self._database.groups_with(number) or group_name(number) != str(number) else None
        found = self._database.group(group)
        if found is not None:
            return found.gid
        other = accounts.group(group)
        return None if other is None else other.gr_gid

    def _other_groups(self, state: UserState, properties: UserProperties) -> list[str]:
        """Return the wanted groups that are not in the files, and have the user already."""
        found = []
        for name in missing_groups(state, properties):
            if self._database.group(name) is None:
                other = accounts.group(name)
                if other is not None and properties.name in other.gr_mem:
                    found.append(name)
        return found

    def require_possible(self, verb: str, properties: UserProperties, state: UserState) -> None:
        """Raise ResourceFailed for a number of another user, processes of the user, and a home that is not its own.

        Raises NotThereYet for a group that does not exist.
        """
        require_able(_PROGRAMS)
        if verb == "remove":
            self._require_no_processes(state, "cannot be removed")
            if properties.managehome:
                self._require_removable_home(properties, state)
            return
        is_new = verb == "create"
        parts = set() if is_new else {part for part, _there, _wanted in differences(state, properties)}
        if properties.uid is not None and (is_new or "uid" in parts):
            _require_free_uid(properties.uid, self._database, state)
            if verb == "change":
                self._require_no_processes(state, "cannot get another uid", "uid")
        if properties.gid and state.wanted_gid is None and (is_new or "gid" in parts):
            error = NotThereYet(f"group {properties.gid} does not exist", property="gid", advice="declare it before")
            raise expecting(error, state)
        if verb == "create" and properties.managehome:
            fault = fault_of(self._home_of_new(properties), properties.uid)
            if fault:
                raise ResourceFailed(
                    f"the home cannot be made: {fault}",
                    property="managehome",
                    advice="give managehome: false, or the uid that the home belongs to",
                )
        elif "home" in parts:
            self._require_no_processes(state, "cannot get another home", "home")
        for name in missing_groups(state, properties):
            self._require_local_group(name, state)

    def _require_local_group(self, name: str, state: UserState) -> None:
        if self._database.group(name) is not None:
            return
        if accounts.group(name) is not None:
            raise ResourceFailed(
                f"group {name} is not in /etc/group, but of a directory service: its members cannot be changed here",
                property="groups",
                advice="change them where the directory is managed",
            )
        error = NotThereYet(f"group {name} does not exist", property="groups", advice="declare it before")
        raise expecting(error, state)

    def _require_no_processes(self, state: UserState, why: str, property: str = "ensure") -> None:
        found = of_user(state.metadata["uid"])
        if found:
            named = some([f"{name} (pid {pid})" for pid, name in found])
            message = f"user {state.name} {why} while it has processes: {named}"
            raise expecting(NotThereYet(message, property=property, advice="end them first"), state)

    def _require_removable_home(self, properties: UserProperties, state: UserState) -> None:
        """Raise ResourceFailed for a home that is not the user's alone (behaviour.md 23.1)."""
        home, uid = state.metadata["home"], state.metadata["uid"]
        fault = fault_of(home, uid)
        users = homes_within(home, self._database.homes(), state.name)
        if not fault and users and is_there(home):
            fault = f"{home} has the home of {some(users)}"
        if not fault and properties.requires_own_home:
            others = list(islice(of_others(home, uid), _MOST_NAMED + 1))
            more = " and more" if len(others) > _MOST_NAMED else ""
            fault = f"others have files in it: {', '.join(others[:_MOST_NAMED])}{more}" if others else ""
        if not fault:
            fault = _fault_of_mail(state.name, uid)
        if fault:
            raise ResourceFailed(
                f"the home cannot be removed: {fault}",
                property="managehome",
                advice="give managehome: false, and remove the home by hand",
            )
        require_no_mount_below(home)

    def _home_of_new(self, properties: UserProperties) -> str:
        """Return the home that useradd gives a new user."""
        return properties.home or f"{default_directory()}/{properties.name}"

    def create(self, properties: UserProperties, state: UserState) -> None:
        """Make the user with all its properties, then set its password: until then none works."""
        name, group = properties.name, properties.gid
        options = ["-m" if properties.managehome else "-M"]
        if properties.uid is not None:
            options += ["-u", str(properties.uid)]
        if group:
            options += ["-g", str(state.wanted_gid)]
        elif self._database.group(name) is not None or accounts.group(name) is not None:
            options += ["-g", name]
        else:
            options.append("-U")
        missing = missing_groups(state, properties)
        if missing:
            options += ["-G", ",".join(missing)]
        if properties.system:
            options.append("-r")
        try:
            self._run("useradd", *options, *_fields(properties), "--", name)
        except ProgramFailed as error:
            if error.exit_code == _NO_HOME:
                self._take_back(properties, state)
            raise
        if properties.managehome and not is_there(self._home_of_new(properties)):
            self._take_back(properties, state)
            raise ResourceFailed(f"useradd did not make the home {self._home_of_new(properties)}", property="home")
        self._set_password(properties, state)

    def _take_back(self, properties: UserProperties, state: UserState) -> None:
        """Remove a user that useradd made without the home, or with a part of it."""
        if self._database.user(properties.name) is None:
            return
        is_new_home = properties.managehome and not state.has_home and is_there(self._home_of_new(properties))
        try:
            self._run("userdel", *(["-r"] if is_new_home else []), "--", properties.name)
        except HostError as error:
            self.user_log.warn(f"What useradd made is left: {error}", resource=f"{TYPE.name}#{properties.name}")

    def change(self, properties: UserProperties, state: UserState) -> None:
        """Change all that differs by one run of usermod, then the password."""
        parts = {part: wanted for part, _there, wanted in differences(state, properties)}
        options = _fields(properties, parts)
        if "uid" in parts:
            options += ["-u", str(properties.uid)]
        if "gid" in parts:
            options += ["-g", str(state.wanted_gid)]
        if "groups" in parts:
            if properties.membership == MINIMUM and not properties.without_groups:
                # What another program adds meanwhile stays.
                options += ["-a", "-G", ",".join(missing_groups(state, properties))]
            else:
                options += ["-G", ",".join(wanted_groups(state, properties))]
        if options:
            self._run("usermod", *options, "--", properties.name)
        self._set_password(properties, state)

    def remove(self, properties: UserProperties, state: UserState) -> None:
        """Remove the user, with its home where that is managed, and its group unless that is managed by itself."""
        group = self._database.group(properties.name)
        try:
            self._run("userdel", *(["-r"] if properties.managehome else []), "--", properties.name)
        except HostError as error:
            if self._database.user(properties.name) is None:
                raise HostError(f"the user is removed, but not all that belongs to it: {error}") from None
            raise
        is_private = group is None or (properties.gid != group.name and state.metadata["gid"] == group.gid)
        if group is not None and not is_private and self._database.group(group.name) is None:
            self._run("groupadd", "-g", str(group.gid), "--", group.name)

    def _set_password(self, properties: UserProperties, state: UserState) -> None:
        if properties.password and not (state.has_password and state.ensure == PRESENT):
            given = f"{properties.name}:{properties.password}\n".encode("ascii")
            self._run("chpasswd", "-e", stdin=given)

    def _run(self, *argv: str, stdin: bytes = b"") -> None:
        change_accounts(self.machine, argv, stdin)

    def differences(self, properties: UserProperties, state: UserState) -> list[Difference]:
        """Return what acting will change, before and after; of a password only that it changes."""
        header = f"user {properties.name}"
        if properties.ensure != PRESENT or state.ensure == ABSENT:
            before, after = _shown(state), {"ensure": properties.ensure}
            if properties.ensure == PRESENT:
                after.update(_wanted(properties))
            return difference(header, before, after)
        parts = list(differences(state, properties))
        before = {part: there for part, there, _wanted in parts}
        after = {part: wanted for part, _there, wanted in parts}
        if "password" in after:
            before["password"], after["password"] = "another one", REDACTED
        return difference(header, before, after)


def _fields(properties: UserProperties, parts: Collection[str] | None = None) -> list[str]:
    """Return the options for the fields of a user that useradd and usermod share: of `parts`, None for all."""
    options: list[str] = []
    given = {"home": properties.home or "", "shell": properties.shell or "", "comment": properties.comment or ""}
    for part, option in _OPTIONS.items():
        if part in parts if parts is not None else given[part]:
            options += [option, given[part]]
    if properties.expiry if parts is None else "expiry" in parts:
        options += ["-e", "" if properties.expiry == NEVER else properties.expiry]
    return options


def _require_free_uid(uid: int, database: AccountDatabase, state: UserState) -> None:
    owner = [*database.users_with(uid), user_name(uid)][0]
    if owner != str(uid):
        error = NotThereYet(f"uid {uid} is that of the user {owner}", property="uid", value=uid)
        raise expecting(error, state)


def _fault_of_mail(name: str, uid: int) -> str:
    """Return why userdel would leave the mail of a user, after it removed the user; "" where it would not."""
    mail = mail_of(name)
    try:
        owner = os.lstat(mail).st_uid
    except OSError:
        return ""
    return "" if owner == uid else f"the mail {mail} belongs to {user_name(owner)}"


def _wanted(properties: UserProperties) -> dict[str, str]:
    """Return the given properties of a user, as a difference shows them."""
    wanted = {
        "uid": "" if properties.uid is None else str(properties.uid),
        "gid": properties.gid,
        "groups": ", ".join(properties.groups or ()),
        "comment": properties.comment or "",
        "home": properties.home or "",
        "shell": properties.shell or "",
        "expiry": properties.expiry,
        "password": REDACTED if properties.password else "",
    }
    return {part: value for part, value in wanted.items() if value}


def _shown(state: UserState) -> dict[str, str]:
    there = state.metadata
    if state.ensure == ABSENT:
        return {"ensure": ABSENT}
    return {
        "ensure": PRESENT,
        "uid": str(there["uid"]),
        "gid": there["group"],
        "groups": ", ".join(there["groups"]),
        "comment": there["comment"],
        "home": there["home"],
        "shell": there["shell"],
    }


def _date(day: int | None) -> str:
    """Return a day since 1970 like 2027-12-31, NEVER for None."""
    if day is None:
        return NEVER
    try:
        return (FIRST_DAY + datetime.timedelta(day)).isoformat()
    except OverflowError:
        return f"day {day}"


PROVIDER: type[Provider[UserProperties, UserState]] = UseraddProvider
