# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import errno
import os
import shutil

import pytest
from ccm.host import inotify
from ccm.host.inotify import Inotify, Notice
from ccm.host.watched_paths import ABOVE, LOST, MADE, REMOVED, WatchedPaths

ONE, TWO = 1, 2


@pytest.fixture
def kernel():
    kernel = Inotify()
    yield kernel
    kernel.close()


@pytest.fixture
def paths(kernel):
    return WatchedPaths(kernel)


@pytest.fixture
def changed(kernel, paths):
    """Return the keys of what changed since the last call."""

    def read():
        found = set()
        while True:
            notices = kernel.read()
            if not notices:
                return found
            found |= paths.changed(notices).keys()

    return read


def write(path, text="text"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def rename_over(path):
    write(path.with_name("other"))
    path.with_name("other").rename(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.unlink(),
        lambda path: path.write_text("new"),
        lambda path: os.truncate(path, 1),
        lambda path: path.chmod(0o600),
        lambda path: os.utime(path, (1, 1)),
        rename_over,
        lambda path: path.rename(path.with_name("away")),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), path.symlink_to("nowhere")),
        lambda path: shutil.rmtree(path.parent),
        lambda path: path.parent.rename(path.parent.with_name("away")),
        lambda path: path.parent.parent.rename(path.parent.parent.with_name("away")),
    ],
)
def test_a_change_of_a_path_is_seen(tmp_path, paths, changed, change):
    path = tmp_path / "above/directory/file"
    write(path)
    paths.add(str(path), ONE)
    paths.add(str(path), ONE)
    assert changed() == set()
    change(path)
    assert changed() == {ONE}


def test_what_is_beside_a_path_is_not_seen(tmp_path, paths, changed):
    path = tmp_path / "directory/file"
    write(path)
    paths.add(str(path), ONE)
    write(path.with_name("sibling"))
    path.with_name("sibling").unlink()
    write(tmp_path / "other/file")
    assert changed() == set()


def test_a_path_that_is_made_later_is_seen(tmp_path, paths, changed):
    path = tmp_path / "a/b/c/file"
    paths.add(str(path), ONE)
    (tmp_path / "a").mkdir()
    changed()
    write(path)
    assert changed() == {ONE}
    path.write_text("again")
    assert changed() == {ONE}


def test_directories_that_are_removed_and_made_again_leave_no_watches(tmp_path, paths, changed):
    path = tmp_path / "above/directory/file"
    write(path)
    paths.add(str(path), ONE)
    watches = len(paths)
    for _time in range(1000):
        shutil.rmtree(tmp_path / "above")
        write(path)
        assert changed() == {ONE}
    assert len(paths) == watches
    path.unlink()
    assert changed() == {ONE}


def test_a_link_that_leads_elsewhere_is_seen(tmp_path, paths, changed):
    for name in ("old", "new"):
        write(tmp_path / name / "file")
    link = tmp_path / "link"
    link.symlink_to("old")
    paths.add(str(link / "file"), ONE)
    (tmp_path / "next").symlink_to("new")
    (tmp_path / "next").rename(link)
    assert changed() == {ONE}
    (tmp_path / "new/file").write_text("text")
    assert changed() == {ONE}


def test_all_of_a_tree_is_seen_but_hidden_files_of_this_program(tmp_path, paths, changed):
    tree = tmp_path / "tree"
    write(tree / "one/two/file")
    paths.add(str(tree), ONE, is_tree=True)
    paths.add(str(tree / "one/two/file"), TWO)
    write(tree / "one/two/.file.ccm-new")
    (tree / "one/two/.file.ccm-new").unlink()
    assert changed() == set()
    write(tree / "one/new")
    assert changed() == {ONE}
    write(tree / "made/deep/er/file")
    assert changed() == {ONE}
    write(tree / "made/deep/er/file")
    assert changed() == {ONE}
    (tree / "one/two/file").write_text("new")
    assert changed() == {ONE, TWO}
    watches = len(paths)
    shutil.rmtree(tree / "made")
    changed()
    assert len(paths) == watches - 3
    shutil.rmtree(tree)
    assert changed() == {ONE, TWO}
    write(tree / "again/file")
    changed()
    write(tree / "again/file")
    assert changed() == {ONE}


def test_what_is_watched_no_more_has_no_watches(tmp_path, paths, changed):
    write(tmp_path / "a/one")
    write(tmp_path / "a/two")
    before = len(paths)
    paths.add(str(tmp_path / "a/one"), ONE)
    paths.add(str(tmp_path / "a/two"), TWO)
    paths.add(str(tmp_path / "a"), TWO, is_tree=True)
    paths.remove([TWO])
    (tmp_path / "a/two").unlink()
    assert changed() == set()
    (tmp_path / "a/one").unlink()
    assert changed() == {ONE}
    paths.remove([ONE])
    changed()
    assert len(paths) == before


def test_after_too_many_notices_everything_may_have_changed(tmp_path, paths, changed):
    paths.add(str(tmp_path / "one"), ONE)
    paths.add(str(tmp_path / "missing/two"), TWO)
    assert paths.changed([Notice(-1, inotify.OVERFLOW, "")]) == {ONE: LOST, TWO: LOST}
    write(tmp_path / "missing/two")
    assert changed() == {TWO}


def test_where_links_lead_to_is_followed(tmp_path, paths, changed):
    """Of a directory above, of a link to a link, and of a link that is put in the place of a directory."""
    path = tmp_path / "first/file"
    write(path)
    before = len(paths)
    paths.add(str(path), ONE)
    (tmp_path / "first").rename(tmp_path / "moved")
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to(tmp_path / "moved")
    assert changed() == {ONE}
    (tmp_path / "moved/file").write_text("new")
    assert changed() == {ONE}
    for name in ("moved", "second"):
        (tmp_path / name).rename(tmp_path / "away")
        assert changed() == {ONE}
        (tmp_path / "away").rename(tmp_path / name)
        assert changed() == {ONE}
    (tmp_path / "second").unlink()
    (tmp_path / "second").mkdir()
    assert changed() == {ONE}
    write(tmp_path / "moved/file")
    assert changed() == set()
    write(tmp_path / "second/file")
    assert changed() == {ONE}
    paths.remove([ONE])
    assert changed() == set()
    assert len(paths) == before


def test_links_in_a_circle_are_followed_once(tmp_path, paths, changed):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "own").symlink_to("own/below")
    (tmp_path / "above").symlink_to("..")
    for number, name in enumerate(("a", "own", "above")):
        paths.add(str(tmp_path / name / "file"), number)
    (tmp_path / "b").unlink()
    (tmp_path / "b").mkdir()
    assert changed() == {0}
    write(tmp_path / "b/file")
    assert changed() == {0}


def test_links_that_lead_to_one_place_after_the_other_leave_no_watches(tmp_path, paths, changed):
    for number in range(50):
        write(tmp_path / f"releases/{number}/file")
    (tmp_path / "current").symlink_to("releases/0")
    paths.add(str(tmp_path / "current/file"), ONE)
    changed()
    watches = len(paths)
    for number in range(1, 50):
        (tmp_path / "next").symlink_to(f"releases/{number}")
        (tmp_path / "next").rename(tmp_path / "current")
        assert changed() == {ONE}
        assert len(paths) == watches


class UsedUp(Inotify):
    """A kernel with so many watches."""

    left = 0

    def add(self, directory, mask):
        if self.left <= 0:
            raise OSError(errno.ENOSPC, "")
        self.left -= 1
        return super().add(directory, mask)


def test_what_the_kernel_has_no_watch_for_is_said(tmp_path):
    write(tmp_path / "a/b/file")
    kernel = UsedUp()
    kernel.left = 1000
    paths = WatchedPaths(kernel)
    paths.add(str(tmp_path / "a/file"), ONE)
    kernel.left = 0
    paths.add(str(tmp_path / "a/b/file"), TWO)
    assert paths.unwatched == {TWO: "no space left on device"}
    kernel.close()


def test_no_watch_is_given_where_there_is_no_directory(tmp_path, kernel):
    write(tmp_path / "file")
    for name in ("file", "missing"):
        with pytest.raises(OSError):
            kernel.add(str(tmp_path / name), inotify.CREATE)


def test_a_long_chain_of_links_is_not_followed_to_its_end(tmp_path, paths, changed):
    """Any user who may write above a watched path could end the program before, with some 330 links."""
    path = tmp_path / "directory/file"
    write(path)
    paths.add(str(path), ONE)
    before = directories(paths)
    for number in range(1500):
        (tmp_path / f"link{number}").symlink_to(f"link{number + 1}")
    path.parent.rename(tmp_path / "away")
    path.parent.symlink_to("link0")
    assert changed() == {ONE}
    assert paths.unwatched == {ONE: "too many levels of symbolic links"}
    assert directories(paths) == before + 40
    paths.unwatched.clear()
    paths.add(str(path.with_name("other")), TWO)
    paths.add(str(path.parent / "a/b"), 3)
    assert paths.unwatched.keys() == {TWO, 3}
    path.parent.unlink()
    path.parent.symlink_to("away")
    assert changed() == {ONE, TWO, 3}
    paths.renew()
    write(tmp_path / "away/file")
    assert changed() == {ONE}
    paths.remove([ONE, TWO, 3])


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_to_a_deep_path_is_not_followed(tmp_path, paths, changed, exists):
    """A dangling link to a path of 2,000 parts had as many directories nested before."""
    path = tmp_path / "directory/file"
    path.parent.mkdir()
    paths.add(str(path), ONE)
    before = directories(paths)
    deep = "d/" * 250 if exists else "d/" * 2000
    if exists:
        (tmp_path / deep).mkdir(parents=True)
    path.parent.rmdir()
    (tmp_path / "step").symlink_to(deep)
    path.parent.symlink_to("step")
    assert changed() == {ONE}
    assert paths.unwatched == {ONE: "file name too long"}
    assert directories(paths) == before + 1
    path.parent.unlink()
    path.parent.mkdir()
    assert changed() == {ONE}
    paths.unwatched.clear()
    paths.renew()
    assert paths.unwatched == {}
    path.touch()
    assert changed() == {ONE}


def test_deep_paths_and_chains_of_links_are_followed_and_forgotten(tmp_path, kernel, paths, changed):
    """Each of the links is watched for itself, so that each was followed before the next one."""
    before = directories(paths)
    for number in range(1200, 0, -1):
        (tmp_path / f"link{number}").symlink_to(f"link{number + 1}")
        paths.add(str(tmp_path / f"link{number}/file"), number)
    paths.add("/nowhere" + "/d" * 2000, ONE)
    kernel.read()
    paths.changed([Notice(-1, inotify.OVERFLOW, "")])
    (tmp_path / "link1200").unlink()
    assert 1200 in changed()
    paths.remove(range(1201))
    assert directories(paths) == before


def directories(paths):
    return len(list(paths._root.all()))


class Counting(Inotify):
    """A kernel that counts the watches that were ended."""

    ended = 0

    def remove(self, watch):
        self.ended += 1
        super().remove(watch)


def test_lost_notices_end_no_watch_of_what_is_still_there(tmp_path):
    """The end of each watch is a notice: with many directories notices were lost again, without an end."""
    for number in range(20):
        (tmp_path / f"tree/{number}").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("tree")
    kernel = Counting()
    paths = WatchedPaths(kernel)
    paths.add(str(tmp_path / "tree"), ONE, is_tree=True)
    paths.add(str(tmp_path / "link/1/file"), TWO)
    watches = len(paths)
    paths.changed([Notice(-1, inotify.OVERFLOW, "")])
    assert (kernel.ended, len(paths)) == (0, watches)
    (tmp_path / "tree/0").rmdir()
    (tmp_path / "tree/new").mkdir()
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("other")
    kernel.read()
    assert paths.changed([Notice(-1, inotify.OVERFLOW, "")]) == {ONE: LOST, TWO: LOST}
    assert (kernel.ended, len(paths)) == (1, watches + 1)
    kernel.read()
    for path, key in (("tree/new/file", ONE), ("tree/1/file", ONE), ("other/1/file", TWO)):
        write(tmp_path / path)
        assert key in paths.read()
    kernel.close()


def test_a_tree_that_is_put_in_its_place_again_keeps_its_watches(tmp_path):
    for number in range(20):
        (tmp_path / f"above/tree/{number}").mkdir(parents=True)
    kernel = Counting()
    paths = WatchedPaths(kernel)
    paths.add(str(tmp_path / "above/tree"), ONE, is_tree=True)
    (tmp_path / "above").rename(tmp_path / "away")
    (tmp_path / "away").rename(tmp_path / "above")
    assert paths.read()[ONE] & ABOVE
    assert kernel.ended == 0
    kernel.close()


def test_directories_that_leave_a_tree_are_forgotten_with_those_below(tmp_path, paths, changed):
    tree = tmp_path / "tree"
    (tree / "stays").mkdir(parents=True)
    paths.add(str(tree), ONE, is_tree=True)
    known, watches = directories(paths), len(paths)
    for number in range(10):
        write(tmp_path / "new/a/b/file")
        (tmp_path / "new").rename(tree / f"new{number}")
        assert changed() == {ONE}
        assert directories(paths) == known + 3
        (tree / f"new{number}").rename(tmp_path / f"away{number}")
        assert changed() == {ONE}
        assert (directories(paths), len(paths)) == (known, watches)


def test_mounts_behind_links_are_followed(tmp_path, paths):
    """As below /var/run, which is a link: the kernel's table names the place that it leads to."""
    (tmp_path / "target/x/y").mkdir(parents=True)
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "to-link").symlink_to("link")
    paths.add(str(tmp_path / "link/x/file"), ONE)
    paths.add(str(tmp_path / "to-link/x/y/z"), TWO)
    paths.add(str(tmp_path / "link/x"), 3)
    paths.add(str(tmp_path / "link/other"), 4)
    assert paths.mounted([str(tmp_path / "target/x")]) == {ONE: ABOVE, TWO: ABOVE, 3: ABOVE}
    assert paths.mounted([str(tmp_path / "target/x/y")]) == {TWO: ABOVE}
    assert paths.mounted([str(tmp_path / "target/x/file")]) == {ONE: ABOVE}


def test_a_link_to_a_watched_directory_takes_nothing_from_its_watch(tmp_path, kernel, paths, changed, monkeypatch):
    """It asked for less at first, and what was written at that time was not noticed."""
    path = tmp_path / "directory/file"
    write(path)
    (tmp_path / "link").symlink_to("directory")
    paths.add(str(path), ONE)
    add, added = kernel.add, []

    def add_and_write(directory, mask):
        found = add(directory, mask)
        added.append(directory)
        if directory == str(tmp_path / "link") and added.count(directory) == 1:
            path.write_text("new")
        return found

    monkeypatch.setattr(kernel, "add", add_and_write)
    paths.add(str(tmp_path / "link/below/other"), TWO)
    assert changed() == {ONE}


def test_what_is_written_into_a_replaced_file_is_not_seen(tmp_path, paths, changed):
    path = tmp_path / "file"
    write(path)
    paths.add(str(path), ONE)
    with path.open("w") as file:
        rename_over(path)
        assert changed() == {ONE}
        file.write("more")
    assert changed() == set()


def test_what_happened_is_told_apart(tmp_path, paths):
    path = tmp_path / "a/b/file"
    paths.add(str(path), ONE)
    (tmp_path / "a").mkdir()
    assert paths.read() == {ONE: MADE}
    write(path)
    paths.read()
    path.unlink()
    assert paths.read()[ONE] & REMOVED
    path.touch()
    assert not paths.read()[ONE] & REMOVED
    path.rename(tmp_path / "away")
    assert paths.read()[ONE] & REMOVED
