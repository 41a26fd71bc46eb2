# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups: names, numbers, unknown ones, and one lookup for each."""

from __future__ import annotations

import grp
import os
import pwd

import pytest
from ccm.host.errors import HostError
from ccm.host.machine import Machine


@pytest.fixture
def machine():
    return Machine()


@pytest.fixture
def owners(machine):
    return machine.owners


def test_names_and_numbers(owners):
    assert (owners.uid_of("root"), owners.gid_of("root")) == (0, 0)
    assert owners.names_of(0, 0) == ("root", "root")
    assert owners.names_of(os.geteuid(), 0)[0] == pwd.getpwuid(os.geteuid()).pw_name
    assert owners.names_of(0, os.getegid())[1] == grp.getgrgid(os.getegid()).gr_name


@pytest.mark.parametrize(("name", "number"), [("0", 0), ("54321", 54321), ("007", 7), ("4294967294", 4294967294)])
def test_digits_are_not_looked_up(owners, name, number, monkeypatch):
    monkeypatch.setattr(pwd, "getpwnam", None)
    monkeypatch.setattr(grp, "getgrnam", None)
    assert owners.uid_of(name) == owners.gid_of(name) == number


def test_ids_without_a_name_are_numbers(owners):
    assert owners.names_of(54321, 54321) == ("54321", "54321")
    assert (owners.user_name(54321), owners.group_name(54321)) == ("54321", "54321")


@pytest.mark.parametrize("name", ["nosuchuser9", "-1", "+5", "1a", "\u0661", "a\0b", "\ud800", " root"])
def test_unknown_names(owners, name):
    with pytest.raises(HostError) as caught:
        owners.uid_of(name)
    assert str(caught.value) == f'could not lookup user "{name}": user: unknown user {name}'
    with pytest.raises(HostError) as caught:
        owners.gid_of(name)
    assert str(caught.value) == f'could not lookup group "{name}": group: unknown group {name}'


@pytest.mark.parametrize("number", [-1, 2**32 - 1])
def test_an_account_whose_id_means_no_change_to_the_kernel_is_refused(owners, monkeypatch, number):
    """With it setresuid leaves a process the id that it has, which may be root's."""
    monkeypatch.setattr(pwd, "getpwnam", lambda name: pwd.struct_passwd(("evil", "x", number, 1, "", "/", "/bin/sh")))
    monkeypatch.setattr(grp, "getgrnam", lambda name: grp.struct_group(("evil", "x", number, [])))
    for lookup, kind in ((owners.uid_of, "user"), (owners.gid_of, "group")):
        with pytest.raises(HostError, match=f'^could not lookup {kind} "evil": {kind} id is out of range$'):
            lookup("evil")


@pytest.mark.parametrize("name", ["4294967295", "4294967296", "9" * 100_000])
def test_invalid_ids(owners, name):
    for look_up in (owners.uid_of, owners.gid_of):
        with pytest.raises(HostError, match=r"id is out of range"):
            look_up(name)


def test_empty_names(owners):
    with pytest.raises(HostError, match=r"^user name cannot be empty$"):
        owners.uid_of("")
    with pytest.raises(HostError, match=r"^group name cannot be empty$"):
        owners.gid_of("")


def test_each_name_is_looked_up_once_until_the_cache_is_cleared(machine, owners, monkeypatch):
    lookups = []

    def counting(module, function):
        real = getattr(module, function)

        def look_up(key):
            lookups.append((function, key))
            return real(key)

        monkeypatch.setattr(module, function, look_up)

    for module, function in ((pwd, "getpwnam"), (pwd, "getpwuid"), (grp, "getgrnam"), (grp, "getgrgid")):
        counting(module, function)
    for _round in range(3):
        owners.uid_of("root"), owners.gid_of("root"), owners.names_of(0, 0), owners.names_of(54321, 54321)
    assert len(lookups) == len(set(lookups)) == 6
    machine.record_change()
    owners.names_of(54321, 54321)
    assert lookups[6:] == [("getpwuid", 54321), ("getgrgid", 54321)]


def test_an_unknown_name_can_be_created_later(owners, monkeypatch):
    with pytest.raises(HostError):
        owners.uid_of("newuser9")
    monkeypatch.setattr(pwd, "getpwnam", lambda name: pwd.struct_passwd((name, "x", 4711, 4711, "", "/", "/bin/sh")))
    assert owners.uid_of("newuser9") == 4711


@pytest.mark.starts_processes
def test_a_command_can_change_names_and_numbers(machine, owners, monkeypatch):
    number = 2000
    entry = ("bob", "x", 2000, 2000, "", "/", "/bin/sh")
    monkeypatch.setattr(pwd, "getpwnam", lambda name: pwd.struct_passwd((name, "x", number, *entry[3:])))
    monkeypatch.setattr(grp, "getgrnam", lambda name: grp.struct_group((name, "x", number, [])))
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: pwd.struct_passwd((f"user{number}", "x", uid, *entry[3:])))
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group((f"group{number}", "x", gid, [])))

    def known():
        return owners.uid_of("bob"), owners.gid_of("bob"), *owners.names_of(7, 7)

    assert known() == (2000, 2000, "user2000", "group2000")
    number = 3000
    assert known() == (2000, 2000, "user2000", "group2000")
    machine.run(["true"])
    assert known() == (3000, 3000, "user3000", "group3000")
