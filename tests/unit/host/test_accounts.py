# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups for health checks."""

from __future__ import annotations

import os
import pwd

import pytest
from ccm.host import accounts
from ccm.host.errors import HostError
from ccm.host.reading import Reader

UNKNOWN_ID = 4_000_000_123


def test_existing_accounts():
    assert accounts.known_user("root").pw_uid == accounts.known_group("root").gr_gid == 0
    assert (accounts.user_name(0), accounts.group_name(0)) == ("root", "root")
    assert "root" in accounts.groups_of("root", 0)
    me = pwd.getpwuid(os.getuid())
    assert accounts.groups_of(me.pw_name, me.pw_gid) == sorted(accounts.groups_of(me.pw_name, me.pw_gid))


def test_missing_accounts():
    assert accounts.user("nobody-knows-me") is None
    assert accounts.group("no\0name") is None
    for call, argument, words in (
        (accounts.known_user, "nobody-knows-me", "user: unknown user nobody-knows-me"),
        (accounts.known_group, "no-group", "group: unknown group no-group"),
        (accounts.user_name, UNKNOWN_ID, "getent passwd: exit status 2"),
        (accounts.group_name, UNKNOWN_ID, "getent group: exit status 2"),
    ):
        with pytest.raises(HostError, match=words):
            call(argument)


def test_only_line_feeds_separate_lines_of_groups(tmp_path, monkeypatch):
    groups = tmp_path / "group"
    groups.write_bytes("one:x:7:ann\u2028fake:x:8:ann\ntwo:x:9:ann,bob\n".encode())
    monkeypatch.setattr(accounts, "Reader", lambda path: Reader({"/etc/group": str(groups)}[path]))
    assert accounts.groups_of("ann", 5) == ["two"]
