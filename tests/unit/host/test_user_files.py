# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a user are reached by open directories, and checked as sshd with StrictModes checks them."""

from __future__ import annotations

import errno
import grp
import os
import pwd

import pytest
from ccm.host import user_files
from ccm.host.errors import HostError, SystemCallError
from ccm.host.files import NoDirectory
from ccm.host.user_files import NoHome, UserFile


@pytest.fixture
def home(tmp_path):
    place = tmp_path / "home"
    place.mkdir(mode=0o755)
    return place


def reached(path, home, uid=None):
    return UserFile(str(path), str(home), os.getuid() if uid is None else uid)


def test_a_missing_home_has_its_own_error(home):
    home.rmdir()
    with pytest.raises(NoHome, match=f"^its home {home} does not exist$"):
        reached(home / ".ssh/keys", home)


def test_only_the_directory_in_the_home_itself_may_be_missing(home):
    assert reached(home / ".ssh/keys", home).read() is None
    with pytest.raises(NoDirectory, match=f'^"{home}/a/b" is not a directory$'):
        reached(home / "a/b/keys", home)
    (home / "a").mkdir()
    with pytest.raises(NoDirectory):
        reached(home / "a/b/keys", home)


def test_a_file_in_the_home_itself_and_one_deep_below_it(home):
    (home / "a/b").mkdir(parents=True)
    for path in (home / "keys", home / "a/b/keys"):
        path.write_text("x")
        found = reached(path, home)
        assert (found.read(), found.fault()) == (b"x", "")


def test_a_home_that_only_begins_with_the_same_letters_is_another_one(home, tmp_path):
    (tmp_path / "home2").mkdir()
    (tmp_path / "home2").chmod(0o777)
    (tmp_path / "home2/keys").write_text("x")
    found = reached(tmp_path / "home2/keys", home)
    assert found.read() == b"x"
    assert found.fault() == f"{tmp_path}/home2 is writable for more than its owner (mode 0777)"


def test_a_link_between_directories_is_refused(home):
    (home / "real/b").mkdir(parents=True)
    (home / "a").symlink_to("real")
    with pytest.raises(HostError, match=f"^{home}/a is a symbolic link; nothing is read or written through it$"):
        reached(home / "a/b/keys", home)


def test_what_is_checked_is_where_the_directory_is_now(home, tmp_path):
    """As sshd, which resolves the path: a directory that was moved out of the home is below others."""
    (home / ".ssh").mkdir()
    found = reached(home / ".ssh/keys", home)
    assert found.fault() == ""
    tmp_path.chmod(0o777)
    (home / ".ssh").rename(tmp_path / "moved")
    assert found.fault() == f"{tmp_path} is writable for more than its owner (mode 0777)"


def test_paths_that_the_system_refuses_are_named(home):
    long = "x" * 300
    for path, place in ((home / "keys" / long, None), (home / long / "keys", home / long), (f"/{long}/k", f"/{long}")):
        (home / "keys").mkdir(exist_ok=True)
        with pytest.raises(SystemCallError, match=f"^open {place or path}: file name too long$"):
            reached(path, home).read()


def test_a_file_that_cannot_be_read_is_named(home, monkeypatch):
    (home / "keys").write_text("x")

    def refuse(*_arguments):
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(user_files, "open_reached", refuse)
    with pytest.raises(SystemCallError, match=f"^read {home}/keys: input/output error$"):
        reached(home / "keys", home).read()


def test_nothing_stays_open(home):
    (home / "a/b").mkdir(parents=True)
    (home / "a/b/keys").write_text("x")
    before = os.listdir("/proc/self/fd")
    for _round in range(3):
        found = reached(home / "a/b/keys", home)
        found.read()
        found.fault()
    del found
    assert os.listdir("/proc/self/fd") == before


def account(name, uid, gid):
    return pwd.struct_passwd((name, "x", uid, gid, "", "/", ""))


@pytest.mark.parametrize(
    ("family", "others", "named", "is_read"),
    [
        ("debian", [], [], True),
        ("debian", [], ["me"], True),
        ("fedora", [], [], False),
        ("debian", [account("you", 7, "own")], [], False),
        ("debian", [account("you", 7, 8)], ["you"], False),
        ("debian", [account("you", 7, 8)], ["me", "you"], False),
        ("debian", [], ["me", "gone"], False),
        ("debian", [], None, False),
    ],
)
def test_a_private_group_counts_as_its_user_to_sshd_of_debian(home, monkeypatch, family, others, named, is_read):
    gid = home.stat().st_gid
    accounts = [account("me", os.getuid(), gid)]
    accounts += [account(each.pw_name, each.pw_uid, gid if each.pw_gid == "own" else each.pw_gid) for each in others]

    def group(_gid):
        if named is None:
            raise KeyError
        return grp.struct_group(("g", "x", gid, named))

    monkeypatch.setattr(user_files, "os_family", lambda: family)
    monkeypatch.setattr(pwd, "getpwall", lambda: accounts)
    monkeypatch.setattr(grp, "getgrgid", group)
    home.chmod(0o775)
    fault = reached(home / "keys", home).fault()
    assert fault == ("" if is_read else f"{home} is writable for more than its owner (mode 0775)")
    home.chmod(0o777)
    assert reached(home / "keys", home).fault() == f"{home} is writable for more than its owner (mode 0777)"
