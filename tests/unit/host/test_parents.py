# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links in the path of a written file: those that are followed (decisions.md Q81)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ccm.host import files, path_resolution, trees
from ccm.host.confined import ConfinedDirectory
from ccm.host.errors import HostError, LinkNotFollowed, SystemCallError

DEPLOY, OTHER = 54321, 54322

pytestmark = pytest.mark.needs("root")


class Home:
    """The home of a user who deploys releases, `path`, beside a directory of root, `system`."""

    def __init__(self, directory):
        self.path, self.system = directory / "home", directory / "system"
        (self.path / "releases/7").mkdir(parents=True)
        for place in (self.path, self.path / "releases", self.path / "releases/7"):
            os.chown(place, DEPLOY, DEPLOY)
        self.system.mkdir()

    def link(self, name, target, owner=DEPLOY):
        (self.path / name).symlink_to(target)
        os.chown(self.path / name, owner, owner, follow_symlinks=False)
        return f"{self.path}/{name}"


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def write(root, home):
    files.write_file(f"{root}/f", b"new", mode=0o644)


def make_directory(root, home):
    files.make_directory(f"{root}/deep/er", mode=0o755, uid=DEPLOY)


def set_attributes(root, home):
    files.set_attributes(f"{root}/there", mode=0o666, uid=DEPLOY)


def remove_file(root, home):
    files.remove_file(f"{root}/there")


def remove_directory(root, home):
    files.remove_directory(f"{root}/empty")


def remove_tree(root, home):
    trees.remove_tree(f"{root}/tree")


def render(root, home):
    with ConfinedDirectory(root) as tree:
        tree.create()
        tree.write("f", b"new", 0o644)


def render_below(root, home):
    with ConfinedDirectory(f"{root}/deep/er") as tree:
        tree.create()
        tree.write("f", b"new", 0o644)


def remove_root(root, home):
    with ConfinedDirectory(f"{root}/empty") as tree:
        tree.remove_root()


WRITERS = [
    *(write, make_directory, set_attributes, remove_file, remove_directory, remove_tree),
    *(render, render_below, remove_root),
]


def fill(place):
    (place / "there").write_text("")
    (place / "empty").mkdir()
    (place / "tree/deep").mkdir(parents=True)


def snapshot(place):
    found = [(str(path.relative_to(place)), path.lstat().st_mode, path.lstat().st_uid) for path in place.rglob("*")]
    return sorted(found)


@pytest.mark.parametrize("act", WRITERS)
@pytest.mark.parametrize("way", ["current", "hop", "releases/../current", "relative"])
def test_links_to_files_of_the_same_owner_are_followed(home, act, way):
    home.link("current", home.path / "releases/7")
    home.link("hop", "current")
    home.link("relative", "./releases//7/")
    fill(home.path / "releases/7")
    before = snapshot(home.path / "releases/7")
    act(f"{home.path}/{way}", home)
    assert snapshot(home.path / "releases/7") != before


@pytest.mark.parametrize("act", WRITERS)
def test_links_of_root_are_followed(home, act):
    fill(home.system)
    before = snapshot(home.system)
    act(home.link("mine", home.system, 0), home)
    assert snapshot(home.system) != before


@pytest.mark.parametrize("act", WRITERS)
@pytest.mark.parametrize("way", ["current", "hop", "releases/7/up"])
def test_links_to_files_of_others_are_refused(home, act, way):
    link = home.link("current", home.system)
    home.link("hop", "current", 0)
    home.link("releases/7/up", "../../hop")
    fill(home.system)
    before = snapshot(home.system)
    with pytest.raises(LinkNotFollowed) as caught:
        act(f"{home.path}/{way}", home)
    assert str(caught.value) == (
        f"{link} is a symbolic link of {DEPLOY} and leads to {home.system}, which belongs to root; "
        "it is only followed to what belongs to its owner"
    )
    assert snapshot(home.system) == before


def test_files_below_the_target_of_a_link_can_belong_to_others_but_the_target_cannot(home):
    link = home.link("current", home.path / "releases/7")
    (home.path / "releases/7/of-root").mkdir()
    files.write_file(f"{link}/of-root/f", b"x", mode=0o644)
    os.chown(home.path / "releases/7", OTHER, OTHER)
    with pytest.raises(LinkNotFollowed, match=f"which belongs to {OTHER}"):
        files.write_file(f"{link}/of-root/g", b"x", mode=0o644)


def test_all_components_of_a_link_are_checked(home):
    """A link that leaves a directory by `..`, and a link that is part of another one."""
    home.link("up", "releases/7/../../../system")
    with pytest.raises(LinkNotFollowed):
        files.write_file(f"{home.path}/up/f", b"x", mode=0o644)
    home.link("system", home.system, DEPLOY)
    (home.system / "theirs").mkdir()
    os.chown(home.system / "theirs", OTHER, OTHER)
    home.link("part", "system/theirs", OTHER)
    with pytest.raises(LinkNotFollowed, match=f"{home.path}/system is a symbolic link of {DEPLOY}"):
        files.write_file(f"{home.path}/part/f", b"x", mode=0o644)
    assert os.listdir(home.system) == ["theirs"]


@pytest.mark.starts_processes
def test_an_unprivileged_user_follows_own_links(home, tmp_path):
    link = home.link("current", home.system)
    other = home.link("other", home.system, OTHER)
    for place in (tmp_path, *tmp_path.parents[:-1]):
        place.chmod(place.stat().st_mode | 0o111)
    home.system.chmod(0o777)
    code = f"""import fcntl, hashlib, os, pwd
from ccm.host import extended_attributes, files, owners, path_resolution, targets
from ccm.host.errors import LinkNotFollowed
os.setgroups([]); os.setgid({DEPLOY}); os.setuid({DEPLOY})
files.write_file({link!r} + "/f", b"x", mode=0o644)
try:
    files.write_file({other!r} + "/g", b"x", mode=0o644)
except LinkNotFollowed as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    assert f"{other} is a symbolic link of {OTHER} and leads to" in done.stdout
    assert os.listdir(home.system) == ["f"]


@pytest.mark.parametrize(
    ("mapping", "followed"), [("0 0 4294967295", True), ("0 100000 65536", False), ("0 1000 1", False), (None, False)]
)
def test_two_unmapped_owners_are_not_equal(home, tmp_path, monkeypatch, mapping, followed):
    """65534 can be any user that the user namespace does not map, unless all are mapped."""
    monkeypatch.setattr(path_resolution, "_UID_MAP", str(tmp_path / "uid_map"))
    if mapping:
        (tmp_path / "uid_map").write_text(f"  {mapping}\n")
    link = home.link("current", "releases/7", 65534)
    os.chown(home.path / "releases/7", 65534, 65534)
    if followed:
        files.write_file(f"{link}/f", b"x", mode=0o644)
        return
    with pytest.raises(LinkNotFollowed):
        files.write_file(f"{link}/f", b"x", mode=0o644)
    assert os.listdir(home.path / "releases/7") == []


def test_sticky_and_group_writable_directories_are_treated_equally(home):
    for mode in (0o1777, 0o3775):
        home.path.chmod(mode)
        link = home.link(f"current-{mode}", home.system)
        with pytest.raises(HostError):
            files.write_file(f"{link}/f", b"x", mode=0o644)
        home.link(f"own-{mode}", "releases/7")
    assert os.listdir(home.system) == []


@pytest.mark.parametrize("act", WRITERS)
def test_without_proc_the_rules_are_equal(home, act, monkeypatch):
    def readlink(path, **options):
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(path)
        return real(path, **options)

    real = os.readlink
    monkeypatch.setattr(os, "readlink", readlink)
    link = home.link("current", home.system)
    for place in (home.system, home.path / "releases/7"):
        fill(place)
    before, theirs = snapshot(home.system), snapshot(home.path / "releases/7")
    with pytest.raises(LinkNotFollowed):
        act(link, home)
    assert snapshot(home.system) == before
    act(f"{home.path}/releases/7", home)
    assert snapshot(home.path / "releases/7") != theirs


def test_an_endless_path_is_refused(home, monkeypatch):
    """The kernel limits links too, but they can change between its lookup and ours."""
    monkeypatch.setattr(path_resolution, "_MOST_LINKS", 3)
    for number in range(4):
        home.link(f"l{number}", f"l{number + 1}")
    home.link("l4", "releases/7")
    with pytest.raises(SystemCallError, match=r"^open .*/l0/f: too many levels of symbolic links$"):
        files.write_file(f"{home.path}/l0/f", b"x", mode=0o644)
    files.write_file(f"{home.path}/l2/f", b"x", mode=0o644)


def test_relative_paths_start_in_the_current_directory(home, monkeypatch):
    monkeypatch.chdir(home.path)
    home.link("current", "releases/7")
    files.write_file("f", b"x", mode=0o644)
    files.make_directory("current/a/b", mode=0o755)
    assert os.path.isdir("releases/7/a/b")
    assert trees.remove_tree("current/a")
    assert sorted(os.listdir(home.path / "releases/7")) == []


def test_no_descriptor_stays_open(home):
    home.link("current", "releases/7")
    home.link("bad", home.system)
    before = os.listdir("/proc/self/fd")
    for act in WRITERS:
        trees.remove_tree(f"{home.path}/releases/7")
        (home.path / "releases/7").mkdir()
        os.chown(home.path / "releases/7", DEPLOY, DEPLOY)
        fill(home.path / "releases/7")
        act(f"{home.path}/current", home)
        with pytest.raises(HostError):
            act(f"{home.path}/bad", home)
    (home.path / "releases/7/there").write_text("")
    with pytest.raises(HostError):
        files.make_directory(f"{home.path}/current/there/below/it", mode=0o755)
    assert os.listdir("/proc/self/fd") == before
