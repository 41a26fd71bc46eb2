# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources that undo a change: files, trees, links and commands, and what something else changed meanwhile."""

from __future__ import annotations

import os
import re
import shutil

import pytest
from ccm.resources.undone import undone_types

from tests.unit.attributes import attributes
from tests.unit.undoing import NOOP, REVERSE, Site, directory_of, lines


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_differences_do_not_show_contents(site):
    site.path("a").write_text("secret of old times\n")
    site.apply(site.file("a", content="secret of new times\n"))
    ran = site.undo("--noop", "--diff")
    assert "-mode: 0600\n+mode: 0644\n" in ran.out
    assert "sha256" in ran.out
    assert "secret" not in ran.out


def test_what_something_else_changed_is_not_undone(site):
    site.apply(site.file("a"))
    site.path("a").write_text("by hand")
    site.path("a").chmod(0o644)
    reason = f"{site.path('a')} has mode 0644, had 0600 and has another content"
    error = f"not undone: something else changed it since: {reason}; ccm undo --force undoes it nevertheless, "
    error += "ccm undo --forget leaves it as it is"
    for words in ([], ["--noop"]):
        ran = site.undo(*words)
        assert ran.status == 1
        assert f"errors={error}\n0 of 1 changes " in ran.out
    assert error in site.apply(*NOOP)[-1]
    # It is reported in each run.
    assert error in site.apply(*NOOP)[-1]
    assert site.path("a").read_text() == "by hand"
    assert site.undo("--force").status == 0
    assert site.snapshot() == {}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.unlink(), "is absent, was file"),
        (lambda path: (path.unlink(), path.mkdir()), "is directory, was file"),
        (lambda path: (path.unlink(), path.symlink_to("/etc/passwd")), "is link, was file"),
    ],
)
def test_something_else_in_the_place(site, change, reason):
    site.path("a").write_text("old\n")
    site.path("a").chmod(0o644)
    before = site.snapshot()
    site.apply(site.file("a"))
    change(site.path("a"))
    assert f"{site.path('a')} {reason}; ccm undo" in site.undo().out
    assert site.undo("--force").status == 0
    assert site.snapshot() == before


def test_a_directory_with_other_files_stays(site):
    site.apply(site.file("d/e", ensure="directory", mode="0755"))
    site.path("d/e/other").write_text("by hand")
    assert f"errors=not undone: {site.path('d/e')} is not empty" in site.undo().out
    ran = site.undo("--force")
    assert ran.status == 0
    assert f" WARN  A directory is not empty, and stays path={site.path('d/e')}\n" in ran.out
    assert site.path("d/e/other").read_text() == "by hand"
    assert site.undo().out.startswith("Nothing to undo")


def test_parents_that_others_use_stay(site):
    site.apply(site.file("d/e/f", ensure="directory", mode="0755"))
    site.path("d/other").write_text("by hand")
    assert site.undo().status == 0
    assert sorted(site.snapshot()) == [str(site.path("d")), str(site.path("d/other"))]


@pytest.mark.needs("root")
def test_a_removed_tree_comes_back(site):
    site.path("d/deep/er").mkdir(parents=True)
    site.path("d/deep/er/a").write_bytes(b"\0\xff")
    site.path("d/deep/link").symlink_to("../../nowhere")
    site.path("d/deep/er").chmod(0o500)
    before = site.snapshot()
    site.apply(site.file("d", ensure="absent", force=True))
    assert site.snapshot() == {}
    assert site.undo().status == 0
    assert site.snapshot() == before
    site.path("d/deep/er").chmod(0o700)


def test_a_link_that_was_replaced_comes_back(site):
    site.path("target").write_text("target")
    site.path("a").symlink_to("target")
    before = site.snapshot()
    site.apply(site.file("a"))
    assert not site.path("a").is_symlink()
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_scaffold_is_undone(site, tmp_path):
    (tmp_path / "source/sub").mkdir(parents=True)
    (tmp_path / "source/one").write_text("one [[ 1 + 1 ]]\n")
    (tmp_path / "source/sub/two").write_text("two\n")
    site.path("s").mkdir()
    for name in ("one", "purged", "other"):
        site.path(f"s/{name}").write_text(f"old {name}\n")
    before = site.snapshot()
    scaffold = {"ensure": "present", "source": str(tmp_path / "source"), "purge": True, **REVERSE}
    site.apply({"scaffold": [{str(site.path("s")): scaffold}]})
    assert site.path("s/one").read_text() == "one 2\n"
    (tmp_path / "source/three").write_text("three\n")
    site.apply()
    assert site.path("s/three").exists()
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_scaffold_that_was_removed_comes_back(site, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/one").write_text("one\n")
    scaffold = {"ensure": "present", "source": str(tmp_path / "source"), **REVERSE}
    site.apply({"scaffold": [{str(site.path("s")): scaffold}]})
    before = site.snapshot()
    shutil.rmtree(tmp_path / "home")
    site.apply({"scaffold": [{str(site.path("s")): {**scaffold, "ensure": "absent"}}]})
    assert site.snapshot() == {}
    assert site.undo().status == 0
    assert site.snapshot() == before


@pytest.mark.starts_processes
def test_a_command_is_undone_by_another_one(site):
    made, gone = site.path("made"), site.path("gone")
    command = {
        "command": f"touch {made}",
        "creates": str(made),
        "meta": {"undo": "{{ 'sh' }} -c 'echo $0 > " + f"{gone}' x"},
    }
    site.apply({"exec": [{"make": command}]})
    ran = site.undo("--noop")
    assert "noop=Would have undone the change: would have executed\n" in ran.out
    assert not gone.exists()
    assert "WARN  exec#make changed ensure=present provider=posix" in lines(site.undo())
    assert gone.read_text() == "x\n"


def test_a_content_that_is_gone_is_an_error(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    for path in directory.glob("before-*"):
        path.unlink()
    ran = site.undo()
    assert ran.status == 1
    assert "no such file or directory" in ran.out
    assert site.path("a").read_text() == "new\n"


def test_many_differences_are_counted(site, tmp_path):
    (tmp_path / "source").mkdir()
    for name in range(7):
        (tmp_path / f"source/{name}").touch()
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": "source", **REVERSE}}]})
    for name in range(7):
        site.path(f"s/{name}").write_text("by hand")
    shown = site.undo().out
    assert f"{site.path('s/4')} has another content, and 2 more; ccm undo" in shown
    assert "s/5" not in shown


def test_what_is_there_again_at_once_is_not_undone(site, monkeypatch):
    site.apply(site.file("a"))
    monkeypatch.setattr(undone_types, "put_back", lambda *_given: [])
    assert f"errors=failed to reach desired state: not undone: {site.path('a')}\n" in site.undo().out
    monkeypatch.undo()


def test_a_removed_scaffold_leaves_other_files_alone(site, tmp_path):
    (tmp_path / "source").mkdir()
    for path in (tmp_path / "source/one", site.path("s/one"), site.path("s/other")):
        path.parent.mkdir(exist_ok=True)
        path.write_text("one\n")
    scaffold = {"ensure": "absent", "source": str(tmp_path / "source"), **REVERSE}
    site.apply({"scaffold": [{str(site.path("s")): scaffold}]})
    assert not site.path("s/one").exists()
    site.path("s/other").write_text("by hand")
    site.apply(*NOOP)
    assert site.path("s/one").read_text() == "one\n"
    assert site.path("s/other").read_text() == "by hand"


def test_a_directory_below_a_scaffold_that_is_not_empty_stays(site, tmp_path):
    for name in "ab":
        (tmp_path / f"source/{name}").mkdir(parents=True)
        (tmp_path / f"source/{name}/file").touch()
    site.path("s").mkdir()
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": "source", **REVERSE}}]})
    site.path("s/a/other").touch()
    assert site.undo().status == 0
    assert [path.name for path in sorted(site.path("s").rglob("*"))] == ["a", "other"]


@pytest.mark.needs("root")
def test_a_directory_that_is_half_back_is_no_difference(site):
    site.path("d").mkdir()
    for name in "ab":
        site.path(f"d/{name}").write_text(name)
    site.path("d").chmod(0o555)
    before = site.snapshot()
    site.apply(site.file("d", ensure="absent", force=True))
    site.path("d").mkdir(0o755)
    site.path("d").chmod(0o755)
    assert site.undo().status == 0
    assert site.snapshot() == before
    site.path("d").chmod(0o755)


def test_a_content_that_is_damaged_is_not_put_back(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    (content,) = directory_of(site).glob("before-*")
    content.write_text("")
    ran = site.undo()
    assert f"errors={content} does not have the content of {site.path('a')} any more\n" in ran.out
    assert site.path("a").read_text() == "new\n"


@pytest.mark.parametrize("was_link", [False, True])
@pytest.mark.parametrize("now", ["full directory", "empty directory", "named pipe"])
def test_what_cannot_be_replaced_is_named_in_noop_too(site, was_link, now):
    path = site.path("a")
    path.symlink_to("nowhere") if was_link else path.write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a"))
    path.unlink()
    if now == "named pipe":
        os.mkfifo(path)
        error = f"{path} exists as a named pipe; cannot replace it by a file"
    else:
        path.mkdir()
        (path / "inside").touch() if now == "full directory" else None
        error = f"{path} is a directory that is not empty" if now == "full directory" else ""
    for words in (["--noop"], []):
        ran = site.undo("--force", *words)
        assert re.findall("errors=(.*)", ran.out) == ([error] if error else [])
        assert ran.status == bool(error)
    assert (site.snapshot() == before) == (not error)


def test_what_an_earlier_undo_removes_is_not_in_the_way_in_noop(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    site.path("a").unlink()
    site.path("a").mkdir()
    site.apply(site.file("a/inside"))
    for words in (["--noop"], []):
        assert "2 of 2 changes " in site.undo("--force", *words).out
    assert site.path("a").read_text() == "old\n"


@pytest.mark.needs("root", "trusted_attributes", "user_attributes")
def test_attributes_that_a_replaced_file_loses_are_named(site):
    path = site.path("f")
    path.write_text("old")
    site.apply(site.file("f"))
    os.setxattr(path, "trusted.k", b"v")
    os.setxattr(path, "user.k", b"v")
    warning = "WARN  The new file does not have these attributes of the old one"
    assert f"{warning} file={path} attributes=trusted.k" in lines(site.undo())
    assert (path.read_text(), attributes(path)) == ("old", {"user.k": b"v"})


def test_set_id_and_sticky_bits_are_put_back(site):
    site.path("d").mkdir()
    site.path("d").chmod(0o2755)
    site.path("f").write_text("old")
    site.path("f").chmod(0o4755)
    site.path("plain").mkdir(mode=0o755)
    before = site.snapshot()
    site.apply(
        site.file("d", ensure="directory", mode="1700"),
        site.file("plain", ensure="directory", mode="3755"),
        site.file("f", mode="0644"),
    )
    modes = [f"{site.path(name).stat().st_mode & 0o7777:04o}" for name in ("d", "plain", "f")]
    assert modes == ["1700", "3755", "0644"]
    assert lines(site.undo())[-1] == "3 of 3 changes undone"
    assert site.snapshot() == before
