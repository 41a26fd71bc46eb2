# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees that are changed without leaving them."""

from __future__ import annotations

import os

import pytest
from ccm.host.confined import ConfinedDirectory, ParentIsLink
from ccm.host.errors import HostError
from ccm.host.replaceable import NotRegular


@pytest.fixture
def places(tmp_path):
    """A target, and files outside of it."""
    target, outside = tmp_path / "target", tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_bytes(b"outside")
    return target, outside


def test_a_missing_tree_is_empty(places):
    with ConfinedDirectory(str(places[0])) as tree:
        assert not tree.exists
        assert (tree.holds("a/b", b""), tree.has("a"), tree.read("a"), tree.files()) == (None, False, None, [])
        tree.remove("a/b")
        with pytest.raises(HostError, match="no such file"):
            tree.write("a", b"", 0o644)


def test_directories_and_files_are_created_with_their_modes(places):
    before = os.umask(0o027)
    try:
        with ConfinedDirectory(str(places[0] / "deep" / "er")) as tree:
            tree.create()
            tree.make_directory("d")
            tree.make_directory("d")
            tree.write("d/f", b"x", 0o604)
    finally:
        os.umask(before)
    modes = [os.stat(places[0] / name).st_mode & 0o7777 for name in ("", "deep", "deep/er", "deep/er/d", "deep/er/d/f")]
    assert modes == [0o750, 0o750, 0o750, 0o750, 0o604]


@pytest.mark.parametrize(("length", "reads"), [(0, 1), (5, 1), (262_143, 1), (262_144, 2), (600_000, 3)])
def test_content_is_compared_by_few_reads(places, monkeypatch, length, reads):
    content, lengths, real = b"x" * length, [], os.read
    with ConfinedDirectory(str(places[1])) as tree:
        tree.write("g", content, 0o644)
        monkeypatch.setattr(os, "read", lambda fd, size: lengths.append(size) or real(fd, size))
        assert tree.holds("g", content) is True
        assert (len(lengths), max(lengths) <= 262_144) == (reads, True)
        assert tree.holds("g", content[:-1] + b"y") is False


@pytest.mark.parametrize("now", [b"", b"outsid", b"outside!", b"Outside"])
def test_a_file_that_changes_while_it_is_compared_differs(places, monkeypatch, now):
    real = os.fstat

    def changed(fd):
        found = real(fd)
        (places[1] / "f").write_bytes(now)
        return found

    with ConfinedDirectory(str(places[1])) as tree:
        monkeypatch.setattr(os, "fstat", changed)
        assert tree.holds("f", b"outside") is False


def test_the_directory_of_written_files_is_opened_once(places, monkeypatch):
    copies, real = [], os.dup
    with ConfinedDirectory(str(places[1])) as tree:
        tree.make_directory("d")
        monkeypatch.setattr(
            os, "dup", lambda fd: copies.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))) or real(fd)
        )
        for path in ("a", "b", "d/a", "d/b", "a"):
            tree.write(path, b"x", 0o644)
    assert [name for name in copies if not name.startswith(".")] == ["outside", "d", "outside"]
    assert sorted(os.listdir(places[1])) == ["a", "b", "d", "f"]


def test_existing_files_are_compared_and_replaced(places):
    target, outside = places
    target.mkdir()
    (target / "same").symlink_to(outside / "f")
    (target / "dangling").symlink_to("nowhere")
    (target / "loop").symlink_to("loop")
    os.mkfifo(target / "fifo")
    (target / "directory").mkdir()
    with ConfinedDirectory(str(target)) as tree:
        assert tree.holds("same", b"outside") is True
        assert tree.holds("same", b"outsidE") is False
        assert tree.holds("dangling", b"") is None
        assert tree.holds("loop", b"") is False
        for call in (lambda: tree.holds("fifo", b""), lambda: tree.write("fifo", b"", 0o600)):
            with pytest.raises(
                NotRegular, match=f"^{target}/fifo exists as a named pipe; cannot replace it by a file$"
            ):
                call()
        with pytest.raises(HostError, match=f"^read {target}/directory: is a directory"):
            tree.holds("directory", b"")
        for name in ("same", "dangling", "loop"):
            tree.write(name, b"new", 0o4600)
            assert tree.read(name) == (b"new", 0o4600)
        with pytest.raises(HostError, match="directory"):
            tree.write("directory", b"new", 0o600)
        assert sorted(os.listdir(target)) == ["dangling", "directory", "fifo", "loop", "same"]
    assert (outside / "f").read_bytes() == b"outside"


@pytest.mark.parametrize("deep", [False, True])
def test_no_link_in_the_tree_is_followed(places, deep):
    target, outside = places
    (target / "d").mkdir(parents=True)
    (outside / "in").mkdir()
    (outside / "in" / "f").write_bytes(b"kept")
    link = "d/link" if deep else "link"
    (target / link).symlink_to(outside)
    with ConfinedDirectory(str(target)) as tree:
        for path in (f"{link}/f", f"{link}/in/f"):
            for act in (
                lambda path=path: tree.write(path, b"x", 0o644),
                lambda path=path: tree.remove(path),
                lambda path=path: tree.holds(path, b""),
                lambda path=path: tree.read(path),
                lambda path=path: tree.make_directory(path),
                lambda path=path: tree.remove_directory(path),
            ):
                with pytest.raises(ParentIsLink, match="symbolic link"):
                    act()
        with pytest.raises(ParentIsLink):
            tree.make_directory(link)
        assert tree.files() == [link]
        tree.remove(link)
    assert sorted(os.listdir(outside)) == ["f", "in"]
    assert (outside / "in" / "f").read_bytes() == b"kept"


def test_a_root_behind_a_link_is_resolved(places):
    target, outside = places
    target.symlink_to(outside)
    with ConfinedDirectory(str(target)) as tree:
        tree.write("g", b"x", 0o644)
        assert tree.files() == ["f", "g"]


def test_a_file_is_not_a_tree(places):
    with pytest.raises(HostError, match="not a directory"):
        ConfinedDirectory(str(places[1] / "f"))


def test_descriptors_are_closed(places):
    before = os.listdir("/proc/self/fd")
    with ConfinedDirectory(str(places[0])) as tree:
        tree.create()
        for path in ("a", "a/b", "a/b/c"):
            tree.make_directory(path)
        for path in ("a/b/c/f", "a/f", "f", "a/b/f"):
            tree.write(path, b"x", 0o644)
        assert tree.files() == ["a/b/c/f", "a/b/f", "a/f", "f"]
        tree.remove("a/b/c/f")
        assert tree.remove_directory("a/b/c")
        assert not tree.remove_directory("a/b")
        assert tree.holds("x/y", b"") is None
    assert os.listdir("/proc/self/fd") == before


def test_files_are_read_up_to_the_given_size(places):
    target = places[0]
    target.mkdir()
    (target / "f").write_bytes(b"x" * 100)
    with ConfinedDirectory(str(target)) as tree:
        assert tree.read("f", 10)[0] == b"x" * 10
        assert tree.read("f")[0] == b"x" * 100


def test_an_obstacle_in_place_of_a_directory_is_reported_before_any_change(places):
    target = places[0]
    with ConfinedDirectory(str(target / "deep" / "er")) as tree:
        tree.require_directories(["a", "a/b"])
    target.symlink_to("nowhere")
    for root in (target, target / "below"):
        with ConfinedDirectory(str(root)) as tree, pytest.raises(HostError, match=f"^mkdir {target}: file exists"):
            tree.require_directories([])
    target.unlink()
    target.mkdir()
    (target / "f").write_text("")
    with ConfinedDirectory(str(target)) as tree, pytest.raises(HostError, match=f"{target}/f: not a directory"):
        tree.require_directories(["f"])


def test_system_errors_have_the_path(places):
    target, long = places[0], "n" * 300
    (target / "d").mkdir(parents=True)
    with ConfinedDirectory(str(target)) as tree:
        for call, message in (
            (tree.has, f"^lstat {target}/{long}: file name too long$"),
            (tree.make_directory, f"^mkdir {target}/{long}: file name too long$"),
        ):
            with pytest.raises(HostError, match=message):
                call(long)
        with pytest.raises(HostError, match=f"^remove {target}/d: is a directory$"):
            tree.remove("d")
        with pytest.raises(HostError, match=f"^write {target}/{long}: file name too long$"):
            tree.write(long, b"", 0o600)
