# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import errno
import os
import shutil

import pytest
from ccm.host import inotify
from ccm.host.inotify import Inotify, Notice
from ccm.host.watched_paths import LOST, WatchedPaths

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
    assert paths.add(str(path), ONE)
    assert not paths.add(str(path), ONE)
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
