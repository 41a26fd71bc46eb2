# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mounts, and walks that remove: none crosses a mount."""

from __future__ import annotations

import os

import pytest
from ccm.host import mounts, trees
from ccm.host.archives.staging import Staging
from ccm.host.confined import ConfinedDirectory
from ccm.host.errors import HostError
from ccm.host.mounts import MountChanges, MountInTheWay, mount_on, mounts_below, mounts_over

from tests.unit.work import assert_linear


@pytest.fixture
def place(tmp_path):
    """A tree with files before and after a directory, and another directory with a file."""
    for name in ("tree/a/file", "tree/below/mnt/own", "tree/z/file", "other/precious"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("content")
    return tmp_path


@pytest.fixture(params=["mount ids", "devices"])
def unseen(request, monkeypatch, place, mount):
    """Something is mounted in the tree, after the table of mounts was read; with "devices" there is no /proc."""
    monkeypatch.setattr(mounts, "_TABLE", str(place / "no table"))
    if request.param == "devices":
        monkeypatch.setattr(mounts, "_OPEN_FILES", str(place / "no files"))
        mount("-t", "tmpfs", "none", place / "tree/below/mnt")
        (place / "tree/below/mnt/precious").touch()
        return place / "tree/below/mnt"
    mount("--bind", place / "other", place / "tree/below/mnt")
    return place / "other"


def points(path):
    return [mount.point for mount in mounts_below(str(path))]


def test_mounts_at_a_path_and_below_it(listed_mounts, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    odd = os.fsdecode(b"b\\\xff \n")
    listed_mounts(tmp_path / "real/m", tmp_path / "real/m2/x", tmp_path / "real" / odd)
    assert points(tmp_path / "real/m") == points(tmp_path / "link/m") == [f"{tmp_path}/real/m"]
    assert points(tmp_path / "real" / odd) == [f"{tmp_path}/real/{odd}"]
    assert len(points(tmp_path / "real/")) == 3
    assert points(tmp_path / "link") == points(tmp_path / "real/m2/x/y") == []
    assert len(points("/")) == 4
    found = mount_on([f"{tmp_path}/link/none", f"{tmp_path}/link/m"])
    assert (found[0], str(found[1])) == (f"{tmp_path}/link/m", "/at2 of /dev/b (ext4)")
    assert mount_on([f"{tmp_path}/real", f"{tmp_path}/other/m"]) is None


def test_mounts_over_paths(listed_mounts, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/link").symlink_to("/")
    listed_mounts(tmp_path / "real", tmp_path / "real/m")
    paths = [f"{tmp_path}/{name}" for name in ("link/m/a/b", "real/m", "real/m2", "link", "real/link")]
    found = {mount.point: over for mount, over in mounts_over(paths)}
    assert found == {f"{tmp_path}/real": [*paths[:3], paths[4]], f"{tmp_path}/real/m": paths[:2]}
    assert mounts_over(["/", "/none"]) == []


def test_mounts_that_another_one_covers_are_not_reached(listed_mounts):
    listed_mounts("/x/y/deep", "/x/y/deep/more", "/x/y", "/x/yy")
    assert points("/x") == ["/x/y", "/x/yy"]
    # Of several mounts of a point the last one is seen.
    listed_mounts("/x/y", "/x/y")
    assert [str(mount) for mount in mounts_below("/x")] == ["/at3 of /dev/b (ext4)"]
    assert str(mount_on(["/x/y"])[1]) == "/at3 of /dev/b (ext4)"


def test_many_mounts_are_looked_through_in_linear_time(listed_mounts):
    def work(size):
        listed_mounts(*(f"/layers/{number}/merged" for number in range(size)))
        return lambda: (mounts_below("/layers"), mount_on(["/layers/1/merged"]), mounts_over(["/layers/1/merged"]))

    assert_linear(work, 50)


def test_without_a_table_no_mount_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr(mounts, "_TABLE", str(tmp_path / "none"))
    assert (mounts_below("/"), mount_on(["/"]), mounts_over(["/"])) == ([], None, [])


@pytest.mark.parametrize("point", ["tree", "tree/below/mnt", "tree/z/file"])
def test_nothing_is_removed_when_a_mount_is_in_the_tree(listed_mounts, place, point):
    listed_mounts(place / "elsewhere", place / point)
    expected = f"cannot remove {place}/tree: /at3 of /dev/b (ext4) is mounted on {place}/{point}; unmount it first"
    with pytest.raises(MountInTheWay) as caught:
        trees.remove_tree(f"{place}/tree")
    assert str(caught.value) == expected
    assert (place / "tree/a/file").exists()


@pytest.mark.needs("mounts")
def test_a_mount_that_appears_stops_the_walk(place, unseen):
    expected = f"cannot remove {place}/tree: something is mounted on {place}/tree/below/mnt; unmount it first"
    with pytest.raises(MountInTheWay) as caught:
        trees.remove_tree(f"{place}/tree")
    assert str(caught.value) == expected
    assert os.listdir(unseen) == ["precious"]


@pytest.mark.needs("mounts")
def test_a_mounted_file_that_appears_is_named(place, monkeypatch, mount):
    monkeypatch.setattr(trees, "mounts_below", lambda _path: [])
    mount("--bind", place / "other/precious", place / "tree/z/file")
    with pytest.raises(MountInTheWay, match=rf"/other/precious of .* is mounted on {place}/tree/z/file; unmount it fi"):
        trees.remove_tree(f"{place}/tree")
    assert (place / "other/precious").read_text() == "content"


@pytest.mark.needs("mounts")
def test_files_of_a_mount_below_a_tree_are_not_removed(place, unseen):
    with ConfinedDirectory(f"{place}/tree") as tree:
        tree.remove("a/file")
        for _trial in range(2):
            with pytest.raises(MountInTheWay) as caught:
                tree.remove("below/mnt/precious")
            assert str(caught.value) == (
                f"cannot remove {place}/tree/below/mnt/precious: {place}/tree/below/mnt is in another mount than "
                f"{place}/tree; unmount it first"
            )
        tree.remove("a file above the mount that is not there")
        with pytest.raises(MountInTheWay):
            tree.remove_directory("below/mnt/precious")
        assert not tree.remove_directory("below/mnt")
        tree.remove("z/file")
    assert os.listdir(unseen) == ["precious"]
    assert sorted(os.listdir(place / "tree/a") + os.listdir(place / "tree/z")) == []


@pytest.mark.needs("mounts")
@pytest.mark.parametrize("sees_table", [True, False])
def test_a_staging_directory_stays_when_something_is_mounted_in_it(place, monkeypatch, mount, sees_table):
    if not sees_table:
        monkeypatch.setattr(mounts, "_TABLE", str(place / "no table"))
    (place / "base").mkdir()
    base = os.open(place / "base", os.O_RDONLY)
    try:
        with Staging(base, f"{place}/base") as staging:
            hidden = os.readlink(f"/proc/self/fd/{staging.fd}")
            os.mkdir(f"{hidden}/mnt")
            mount("--bind", place / "other", f"{hidden}/mnt")
            with pytest.raises(HostError, match=r"is mounted on .*/mnt; unmount it first$"):
                staging.remove()
        assert (os.listdir(place / "other"), os.listdir(f"{hidden}/mnt")) == (["precious"], ["precious"])
    finally:
        os.close(base)


@pytest.mark.needs("mounts")
def test_a_closed_directory_of_a_mount_is_not_opened(place, monkeypatch, mount):
    """Users open their closed directories, but not one that something else is mounted on."""
    monkeypatch.setattr(mounts, "_TABLE", str(place / "no table"))
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    (place / "other").chmod(0o500)
    mount("--bind", place / "other", place / "tree/below/mnt")
    with pytest.raises(MountInTheWay):
        trees.remove_tree(f"{place}/tree", opened=True)
    assert (place / "other").stat().st_mode & 0o777 == 0o500


@pytest.mark.parametrize(("root", "source"), [("/", "/dev/c"), ("/other", "/dev/b")])
def test_a_mount_in_the_place_of_another_is_a_change(tmp_path, monkeypatch, root, source):
    """The kernel uses the number of a mount that ended for the next one."""

    def mounted(*fields):
        table.write_text("1 0 8:1 / / rw - ext4 /dev/a rw\n7 1 8:2 {} /m rw - ext4 {} rw\n".format(*fields))

    table = tmp_path / "mountinfo"
    changes = MountChanges()
    monkeypatch.setattr(mounts, "_TABLE", str(table))
    mounted("/", "/dev/b")
    changes.read()
    assert changes.read() == set()
    mounted(root, source)
    assert changes.read() == {"/m"}
    changes.close()
