# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups: names, numbers, unknown ones, and one lookup for each."""

from __future__ import annotations

import grp
import os
import pwd
from functools import partial

import pytest
from ccm.host import account_files, files
from ccm.host.errors import HostError
from ccm.host.machine import Machine, record_acting


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


SOURCES = "passwd: files systemd\ngroup:files [SUCCESS=merge] systemd # as on Fedora\nhosts: dns\n"
PASSWD = "root:x:0:0:root:/root:/bin/sh\nbob:x:2000:2000::/:/bin/sh\n"
GROUP = "root:x:0:\nbob:x:2000:\n"
#: The lookups of `known` at three changes of the machine.
LOOKED_UP_AT_EACH = ["bob", "bob", 2000, 2000] * 3


class Accounts:
    """Users and groups in files; `lookups` are the names and numbers that the C library was asked for."""

    def __init__(self, directory, monkeypatch):
        self.lookups = []
        self.sources, self.passwd, self.group = (directory / name for name in ("nsswitch.conf", "passwd", "group"))
        for file, text in ((self.sources, SOURCES), (self.passwd, PASSWD), (self.group, GROUP)):
            file.write_text(text)
        files = {"user": (str(self.passwd), "passwd", 7), "group": (str(self.group), "group", 4)}
        monkeypatch.setattr(account_files, "_SOURCES", str(self.sources))
        monkeypatch.setattr(account_files, "_FILES", files)
        monkeypatch.setattr(account_files, "_UNCERTAIN", -account_files._UNCERTAIN)
        for module, function, file, field in (
            (pwd, "getpwnam", self.passwd, 0),
            (pwd, "getpwuid", self.passwd, 2),
            (grp, "getgrnam", self.group, 0),
            (grp, "getgrgid", self.group, 2),
        ):
            monkeypatch.setattr(module, function, partial(self._look_up, module, file, field))

    def _look_up(self, module, file, field, key):
        self.lookups.append(key)
        for line in file.read_text().splitlines():
            fields = line.split(":")
            if fields[field] == str(key) and len(fields) == (7 if module is pwd else 4):
                fields[2] = int(fields[2])
                return pwd.struct_passwd(fields) if module is pwd else grp.struct_group(fields)
        raise KeyError(key)


@pytest.fixture
def accounts(tmp_path, monkeypatch):
    return Accounts(tmp_path, monkeypatch)


def known(owners):
    return owners.uid_of("bob"), owners.gid_of("bob"), *owners.names_of(2000, 2000)


def known_after_changes(machine, count=3):
    for _change in range(count):
        machine.record_change()
        found = known(machine.owners)
    return found


def lookups_at_changes(machine, accounts):
    """Return the lookups at the next three changes of the machine."""
    accounts.lookups.clear()
    known_after_changes(machine)
    return accounts.lookups


def test_accounts_in_files_are_looked_up_again_only_when_the_files_change(machine, owners, accounts):
    assert known_after_changes(machine) == (2000, 2000, "bob", "bob")
    assert lookups_at_changes(machine, accounts) == []
    assert known_after_changes(machine) == (2000, 2000, "bob", "bob")


def _rewrite(accounts):
    accounts.passwd.write_text(PASSWD.replace("2000", "3000"))


def _replace(accounts):
    files.write_file(str(accounts.passwd), PASSWD.replace("2000", "3000").encode(), mode=0o644)


def _link(accounts):
    accounts.passwd.with_name("other").write_text(PASSWD.replace("2000", "3000"))
    accounts.passwd.unlink()
    accounts.passwd.symlink_to("other")


@pytest.mark.parametrize("change", [_rewrite, _replace, _link])
def test_a_changed_file_of_users_is_seen_at_the_next_change_of_the_machine(machine, owners, accounts, change):
    known_after_changes(machine)
    change(accounts)
    assert owners.uid_of("bob") == 2000
    assert known_after_changes(machine, 1) == (3000, 2000, "2000", "bob")
    assert known_after_changes(machine) == (3000, 2000, "2000", "bob")


def written(machine, path):
    record_acting(machine, path)
    return known(machine.owners)


@pytest.mark.parametrize("way", ["its own name", "a wait", "a command", "a link"])
def test_after_another_file_was_written_the_files_are_not_compared(machine, owners, accounts, way):
    """A file can be one of them by another path; when the run waits, others may change them."""
    if way == "a link":
        _link(accounts)
        _rewrite_linked(accounts, "2000")
    known_after_changes(machine)
    _rewrite_linked(accounts, "3000") if way == "a link" else _rewrite(accounts)
    changed = (3000, 2000, "2000", "bob")
    if way != "a link":
        assert written(machine, "/x/other") == (2000, 2000, "bob", "bob")
    if way == "a wait":
        machine.before_waiting()
        assert known(owners) == (2000, 2000, "bob", "bob")
    if way == "a command":
        machine.record_change()
    assert written(machine, "/x/passwd" if way == "its own name" else "/x/other") == changed


def _rewrite_linked(accounts, number):
    accounts.passwd.with_name("other").write_text(PASSWD.replace("2000", number))


def test_a_file_behind_a_link_is_compared(machine, owners, accounts):
    _link(accounts)
    assert known_after_changes(machine) == (3000, 2000, "2000", "bob")
    accounts.passwd.with_name("other").write_text(PASSWD)
    assert known_after_changes(machine, 1) == (2000, 2000, "bob", "bob")


@pytest.mark.parametrize(
    "sources",
    [
        SOURCES.replace("files", "sss files"),
        SOURCES.replace("files systemd", "files [SUCCESS=continue] sss").replace(
            "[SUCCESS=merge]", "[!NOTFOUND=Continue]"
        ),
        SOURCES.replace("files", "compat"),
        SOURCES * 2,
        "hosts: dns\n",
    ],
)
def test_accounts_are_looked_up_at_each_change_where_files_are_not_all(machine, owners, accounts, sources):
    accounts.sources.write_text(sources)
    known_after_changes(machine)
    assert lookups_at_changes(machine, accounts) == LOOKED_UP_AT_EACH


def test_changed_sources_are_seen(machine, owners, accounts):
    known_after_changes(machine)
    accounts.sources.write_text(SOURCES.replace("files", "sss files"))
    assert lookups_at_changes(machine, accounts) == LOOKED_UP_AT_EACH


def test_an_account_that_the_files_do_not_have_is_looked_up_at_each_change(machine, owners, accounts, monkeypatch):
    """It comes from systemd, a directory service, or a cache of the C library with another answer."""
    entry = ("bob", "x", 4711, 4711, "", "/", "/bin/sh")
    monkeypatch.setattr(pwd, "getpwnam", lambda name: accounts.lookups.append(name) or pwd.struct_passwd(entry))
    known_after_changes(machine)
    accounts.lookups.clear()
    assert known_after_changes(machine) == (4711, 2000, "bob", "bob")
    assert accounts.lookups == ["bob"] * 3


def test_only_the_first_account_with_a_name_or_number_is_kept(machine, owners, accounts, monkeypatch):
    accounts.passwd.write_text("toor:x:2000:0::/:\nbob:x:9\nbob:x:2000:0::/:\n")
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: accounts.lookups.append(uid) or pwd.getpwnam("bob"))
    assert known_after_changes(machine) == (2000, 2000, "bob", "bob")
    assert lookups_at_changes(machine, accounts) == [2000, "bob"] * 3


def test_files_that_changed_just_now_are_not_relied_on(machine, owners, accounts, monkeypatch):
    """A second change at the same moment might leave all that is compared as it is."""
    monkeypatch.setattr(account_files, "_UNCERTAIN", -account_files._UNCERTAIN)
    known_after_changes(machine)
    assert lookups_at_changes(machine, accounts) == LOOKED_UP_AT_EACH


def test_without_sources_accounts_are_looked_up_at_each_change(machine, owners, accounts):
    known_after_changes(machine)
    accounts.sources.unlink()
    assert lookups_at_changes(machine, accounts) == LOOKED_UP_AT_EACH
