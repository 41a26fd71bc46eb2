# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of users and groups."""

from __future__ import annotations

from ....host.accounts import group, groups_of, known_group, known_user, user
from ..kind import Kind
from ..rule import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine_user(rule: Rule, snapshot: Snapshot) -> None:
    name = rule.subject
    rule.gate("exists", lambda: user(name) is not None)
    for attribute in ("uid", "gid"):
        whole_number(rule, attribute)
    rule.may("uid", lambda: known_user(name).pw_uid)
    rule.may("gid", lambda: known_user(name).pw_gid)
    rule.may("home", lambda: known_user(name).pw_dir)
    rule.may("groups", lambda: tuple(groups_of(name, known_user(name).pw_gid)))
    rule.may("shell", lambda: known_user(name).pw_shell)


USER = Kind(
    "User",
    dict.fromkeys(("exists", "uid", "gid", "groups", "home", "shell"), "matcher"),
    _examine_user,
    required=("exists",),
    subject="username",
)


def _examine_group(rule: Rule, snapshot: Snapshot) -> None:
    name = rule.subject
    rule.gate("exists", lambda: group(name) is not None)
    whole_number(rule, "gid")
    rule.may("gid", lambda: known_group(name).gr_gid)


GROUP = Kind(
    "Group", {"exists": "matcher", "gid": "matcher"}, _examine_group, subject="groupname", required=("exists",)
)
