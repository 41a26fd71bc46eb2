# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Who the command of a resource runs as: `user`, `group` and `umask` (behaviour.md 6.3, decisions.md Q90)."""

from __future__ import annotations

import os
import pwd

from ...host.errors import HostError
from ...host.run_as import RunAs
from ...model.errors import NotThereYet, ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.owners import Owners
    from .type import ExecProperties


def wanted_user(properties: ExecProperties, owners: Owners) -> tuple[RunAs, list[str]]:
    """Return who a command runs as, and the variables that its user's account gives.

    Raises NotThereYet for an unknown user or group, ResourceFailed where this process may not be that user.
    """
    umask = int(properties.umask, 8) if properties.umask else None
    if not properties.user and not properties.group:
        return RunAs(None, None, None, umask), []
    account = _account(properties, owners)
    gid = _gid(properties, owners, account)
    uid = None if account is None else account.pw_uid
    if properties.user and account is None:
        uid = owners.uid_of(properties.user)
    variables = [] if account is None else [f"{name}={account.pw_name}" for name in ("USER", "LOGNAME")]
    if account is not None:
        variables.append(f"HOME={account.pw_dir}")
    if os.geteuid() != 0:
        _require_same(properties, uid, gid)
        return RunAs(None, None, None, umask), variables
    groups = [gid] if account is None else os.getgrouplist(account.pw_name, gid)
    return RunAs(uid, gid, groups, umask), variables


def _account(properties: ExecProperties, owners: Owners) -> pwd.struct_passwd | None:
    """Return the account of the user; None without one, and for a number that no account has."""
    if not properties.user:
        return None
    try:
        uid = owners.uid_of(properties.user)
    except HostError as error:
        raise NotThereYet(
            str(error), property="user", value=properties.user, advice="create the user before, or name another one"
        ) from None
    try:
        return pwd.getpwuid(uid) if properties.user.isdigit() else pwd.getpwnam(properties.user)
    except KeyError:
        return None


def _gid(properties: ExecProperties, owners: Owners, account: pwd.struct_passwd | None) -> int:
    if properties.group:
        try:
            return owners.gid_of(properties.group)
        except HostError as error:
            raise NotThereYet(
                str(error),
                property="group",
                value=properties.group,
                advice="create the group before, or name another one",
            ) from None
    if account is None:
        raise NotThereYet(
            f"user {properties.user} has no account, so its group is not known",
            property="user",
            value=properties.user,
            advice="name its group in group",
        )
    return account.pw_gid


def _require_same(properties: ExecProperties, uid: int | None, gid: int) -> None:
    """Refuse another user or group than this process has, which is not root's."""
    if uid not in (None, os.geteuid()):
        at_fault, value = "user", properties.user
    elif gid != os.getegid():
        at_fault, value = ("group", properties.group) if properties.group else ("user", properties.user)
    else:
        return
    raise ResourceFailed(
        f"only root may run commands as {at_fault} {value}",
        property=at_fault,
        value=value,
        advice="run ccm as root, or leave out user and group",
    )
