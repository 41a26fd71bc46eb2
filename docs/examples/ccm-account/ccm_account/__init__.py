# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The type `account`: a local user of the host, with the property names of Puppet."""

from __future__ import annotations

from ccm.api import (
    NOTHING,
    Decision,
    Identity,
    InvalidResource,
    Properties,
    Property,
    Provider,
    Relations,
    ResourceFailed,
    SimpleType,
    State,
    Step,
    decode,
    group,
    group_name,
    groups_of,
    user,
)

PRESENT, ABSENT = "present", "absent"
ATTRIBUTES = ("uid", "gid", "home", "shell", "comment", "groups")
OPTIONS = {"uid": "--uid", "gid": "--gid", "home": "--home-dir", "shell": "--shell", "comment": "--comment"}


class AccountProperties(Properties):
    """The properties of a user; an empty one is left as it is."""

    uid: str
    gid: str
    groups: list[str]
    home: str
    shell: str
    comment: str
    managehome: bool


class AccountState(State):
    """A user as the host has it: `metadata` holds an attribute for each property."""

    type = "account"


class UseraddProvider(Provider):
    """Manages local users with useradd, usermod and userdel."""

    name = "useradd"

    def status(self, properties: AccountProperties) -> AccountState:
        """Return the user of the name; its ensure is `absent` when there is none."""
        entry = user(properties.name)
        found = {"name": properties.name, "provider": self.name}
        if entry is None:
            return AccountState(properties.name, ABSENT, {"metadata": found})
        found.update(uid=str(entry.pw_uid), home=entry.pw_dir, shell=entry.pw_shell, comment=entry.pw_gecos)
        others = sorted(set(groups_of(properties.name, entry.pw_gid)) - {group_name(entry.pw_gid)})
        found.update(gid=group_name(entry.pw_gid), groups=others)
        return AccountState(properties.name, PRESENT, {"metadata": found})

    def create(self, properties: AccountProperties, state: AccountState) -> None:
        """Make the user with all given properties."""
        home = ["--create-home"] if properties.managehome else ["--no-create-home"]
        self._run("useradd", properties, home + options(properties, differing(properties, state)))

    def change(self, properties: AccountProperties, state: AccountState) -> None:
        """Change the attributes that differ."""
        self._run("usermod", properties, options(properties, differing(properties, state)))

    def remove(self, properties: AccountProperties, state: AccountState) -> None:
        """Remove the user, and the home directory with `managehome`."""
        self._run("userdel", properties, ["--remove"] if properties.managehome else [])

    def _run(self, program: str, properties: AccountProperties, arguments: list[str]) -> None:
        result = self.machine.run([program, *arguments, "--", properties.name])
        if result.exit_code:
            raise ResourceFailed(f"{program} exited {result.exit_code}: {decode(result.stderr).strip()}")

    def differences(self, properties: AccountProperties, state: AccountState):
        """Return the attributes before and after, for --diff."""
        names = differing(properties, state)
        before = {name: str(state.metadata.get(name, "")) for name in names}
        after = {name: str(getattr(properties, name)) for name in names}
        header = f"account {properties.name}"
        if properties.ensure != state.ensure:
            before["ensure"], after["ensure"] = state.ensure, properties.ensure
        return [{"before_header": header, "after_header": header, "before": before, "after": after}] if after else []


def differing(properties: AccountProperties, state: AccountState) -> list[str]:
    """Return the names of the given properties that the user does not have."""
    if properties.ensure == ABSENT:
        return []
    wanted = {name: getattr(properties, name) for name in ATTRIBUTES}
    wanted["groups"] = sorted(wanted["groups"])
    found = dict(state.metadata)
    if wanted["gid"].isdigit() and found.get("gid"):
        entry = group(found["gid"])
        found["gid"] = str(entry.gr_gid) if entry else found["gid"]
    return [name for name, value in wanted.items() if value and value != found.get(name)]


def options(properties: AccountProperties, names: list[str]) -> list[str]:
    """Return the options of useradd and usermod for properties."""
    found = []
    for name in names:
        if name == "groups":
            found += ["--groups", ",".join(properties.groups)]
        elif name == "home":
            found += ["--home", properties.home]
        else:
            found += [OPTIONS[name], getattr(properties, name)]
    return found


class AccountRelations(Relations):
    """A user needs its groups, and provides itself and its home."""

    def provides(self, properties: AccountProperties):
        """Return the user, and its home directory when that is given."""
        home = [Identity("path", properties.home)] if properties.home and properties.managehome else []
        return [Identity("user", properties.name), *home]

    def wants(self, properties: AccountProperties):
        """Return the groups."""
        return [Identity("group", name) for name in (properties.gid, *properties.groups) if name]

    def watches(self, properties: AccountProperties):
        """Return the files that hold users and groups."""
        return ["/etc/passwd", "/etc/group"]


class AccountType(SimpleType):
    """Local users."""

    name = "account"
    contract = 1
    ensure_choices = (PRESENT, ABSENT)
    verbs = ("create", "change", "remove")
    properties_class = AccountProperties
    providers = (UseraddProvider,)
    relations = AccountRelations()
    # The programs rewrite the same files: only one of them runs at a time.
    semaphores = ("accounts",)
    own_properties = (
        Property("uid", help="The number of the user."),
        Property("gid", help="The primary group, by name or number."),
        Property("groups", "strings", help="All other groups of the user."),
        Property("home", help="The home directory."),
        Property("shell", help="The login shell."),
        Property("comment", help="The full name."),
        Property("managehome", "boolean", help="Whether the home directory is made and removed with the user."),
    )
    state_fields = (
        *(Property(name, help=f"The {name} of the user.") for name in ("uid", "home", "shell", "comment", "gid")),
        Property("groups", "strings", help="The other groups of the user."),
    )

    def validate_own(self, properties: AccountProperties) -> None:
        """Refuse names that useradd would take for an option, and numbers that are none."""
        if properties.name.startswith("-") or ":" in properties.name or "/" in properties.name:
            raise InvalidResource("name must be the name of a user", property="name", value=properties.name)
        if properties.uid and not properties.uid.isdigit():
            raise InvalidResource("uid must be a number", property="uid", value=properties.uid)

    def decide(self, state: AccountState, properties: AccountProperties, refresh: bool) -> Decision:
        """Return what to do: create or remove the user, or change what differs."""
        if properties.ensure == ABSENT:
            if state.ensure == ABSENT:
                return NOTHING
            return Decision(Step("remove", "Would have removed the user", "Removed the user"))
        if state.ensure == ABSENT:
            return Decision(Step("create", "Would have created the user", "Created the user"))
        names = differing(properties, state)
        if not names:
            return NOTHING
        text = ", ".join(names)
        return Decision(Step("change", f"Would have changed {text}", f"Changed {text}"))


TYPE = AccountType()
