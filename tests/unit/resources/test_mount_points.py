# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources do not remove what is mounted, and do not replace a file that is a mount point."""

from __future__ import annotations

import json
import re

import pytest
from ccm.host import mounts
from ccm.host.hidden_files import HiddenFile
from ccm.host.machine import Machine, record_acting
from ccm.model.errors import ResourceFailed
from ccm.resources.mount_points import require_no_mount_on

REVERSE = {"meta": {"reverse": True}}


@pytest.fixture
def apply(ccm, tmp_path, me):
    """Apply one resource in the given ways; they must agree. Return its error, "" for none, and how it ended."""
    owner = {"owner": me[0], "group": me[1]}

    def run(type, name, ways=("noop", "plan", "run"), **properties):
        own = {"file": {**owner, "mode": "0644"}, "archive": owner, "scaffold": {}}[type]
        resource = {type: [{str(name): {**own, **properties}}]}
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [resource]}}))
        errors = {
            "noop": lambda: ccm("apply", tmp_path / "m.yaml", "--noop", "--no-report"),
            "plan": lambda: ccm("plan", tmp_path / "m.yaml"),
            "run": lambda: ccm("apply", tmp_path / "m.yaml", "--no-report"),
        }
        outputs = [errors[way]().out for way in ways]
        found = {"".join(re.findall(r"(?:errors=|failed: )(.*)", output)) for output in outputs}
        assert len(found) == 1, outputs
        return found.pop()

    return run


@pytest.fixture
def tree(tmp_path):
    """A tree, a link to the directory above it, and a directory beside it."""
    for name in ("real/tree/a/file", "real/tree/m nt/file", "other/precious"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("content")
    (tmp_path / "link").symlink_to("real")
    return tmp_path / "link/tree"


@pytest.mark.parametrize("point", ["real/tree", "real/tree/m nt", "real/tree/a/file"])
@pytest.mark.parametrize("force", [True, False])
def test_a_tree_with_a_mount_is_not_removed(apply, listed_mounts, tmp_path, tree, point, force):
    listed_mounts(tmp_path / point)
    assert apply("file", tree, ensure="absent", force=force) == (
        f"cannot remove {tree}: /at2 of /dev/b (ext4) is mounted on {tmp_path}/{point}; unmount it first"
    )
    assert (tree / "a/file").exists()
    listed_mounts(tmp_path / "real/tree2", tmp_path / "real")
    assert (apply("file", tree, ["run"], ensure="absent", force=True), tree.exists()) == ("", False)


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
def test_a_mounted_directory_keeps_its_content(apply, mount, tmp_path, tree):
    mount("--bind", tmp_path / "other", tree / "m nt")
    assert f"is mounted on {tmp_path}/real/tree/m nt; unmount it first" in apply(
        "file", tree, ensure="absent", force=True
    )
    assert ((tmp_path / "other/precious").exists(), (tree / "a/file").exists()) == (True, True)


@pytest.fixture
def scaffold(tmp_path, tree):
    """A directory of templates that render a/file and m nt/file."""
    for name in ("source/a", "source/m nt"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_text("rendered")
    return {"source": str(tmp_path / "source"), "ensure": "present", "purge": True}


def test_purging_a_scaffold_ends_at_a_mount(apply, listed_mounts, tmp_path, tree, scaffold):
    listed_mounts(tree.resolve() / "m nt")
    (tree / "m nt/foreign").touch()
    assert apply("scaffold", tree, **scaffold) == (
        f"cannot remove {tree}/m nt/foreign: /at2 of /dev/b (ext4) is mounted on {tree.resolve()}/m nt; "
        "unmount it first"
    )
    assert ((tree / "m nt/foreign").exists(), (tree / "a/file").read_text()) == (True, "content")
    # What is rendered there is written, what is beside it is removed, and the target may be a mount.
    (tree / "m nt/foreign").unlink()
    (tree / "a/foreign").touch()
    listed_mounts(tree.resolve(), tree.resolve() / "m nt")
    assert apply("scaffold", tree, **scaffold) == ""
    assert [(tree / name / "file").read_text() for name in ("a", "m nt")] == ["rendered", "rendered"]
    assert not (tree / "a/foreign").exists()


def test_removing_a_scaffold_ends_at_a_mount(apply, listed_mounts, tree, scaffold):
    listed_mounts(tree.resolve(), tree.resolve() / "m nt")
    assert f"cannot remove {tree}/m nt/file: /at3 of /dev/b (ext4) is mounted on {tree.resolve()}/m nt" in apply(
        "scaffold", tree, **{**scaffold, "ensure": "absent"}
    )
    assert ((tree / "m nt/file").exists(), (tree / "a/file").exists()) == (True, True)
    listed_mounts(tree.resolve())
    assert apply("scaffold", tree, **{**scaffold, "ensure": "absent"}) == ""


def test_an_undo_does_not_remove_a_mount(ccm, apply, listed_mounts, tmp_path):
    apply("file", tmp_path / "made/below", ["run"], ensure="directory", **REVERSE)
    listed_mounts(tmp_path / "made")
    for words in (["--noop"], []):
        ran = ccm("undo", tmp_path / "m.yaml", *words)
        assert (
            f"{tmp_path}/made can be neither replaced nor removed: /at2 of /dev/b (ext4) is mounted on {tmp_path}/made"
            in ran.out
        )
        assert (tmp_path / "made/below").exists()
    listed_mounts()
    ccm("undo", tmp_path / "m.yaml")
    assert not (tmp_path / "made").exists()


def test_an_undo_does_not_replace_a_mount(ccm, apply, listed_mounts, tmp_path):
    (tmp_path / "f").write_text("old")
    apply("file", tmp_path / "f", ["run"], ensure="present", content="new", **REVERSE)
    listed_mounts(tmp_path / "f")
    assert f"is mounted on {tmp_path}/f; manage what is mounted there" in ccm("undo", tmp_path / "m.yaml").out
    assert (tmp_path / "f").read_text() == "new"


def test_an_undo_sets_attributes_of_a_mount(ccm, apply, listed_mounts, tmp_path):
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o600)
    apply("file", tmp_path / "f", ["run"], ensure="present", **REVERSE)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o644
    listed_mounts(tmp_path / "f")
    assert "1 of 1 changes undone" in ccm("undo", tmp_path / "m.yaml").out
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
def test_a_file_that_is_a_mount_point_is_not_replaced(apply, mount, tmp_path):
    for name in ("f", "o"):
        (tmp_path / name).write_text(name)
    mount("--bind", tmp_path / "o", tmp_path / "f")
    error = apply("file", tmp_path / "f", ensure="present", content="new")
    assert re.fullmatch(
        rf"{tmp_path}/f can be neither replaced nor removed: .*/o of .* is mounted on {tmp_path}/f; "
        "manage what is mounted there, or unmount it first",
        error,
    )
    assert [(tmp_path / name).read_text() for name in ("f", "o")] == ["o", "o"]
    # Attributes are set as of any file.
    assert apply("file", tmp_path / "f", ensure="present", content="o", mode="0600") == (error)
    assert apply("file", tmp_path / "f", ensure="present", mode="0600") == ""
    assert (tmp_path / "o").stat().st_mode & 0o777 == 0o600


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
def test_a_file_on_which_something_is_mounted_meanwhile_is_not_replaced(apply, mount, tmp_path, monkeypatch):
    """The table of mounts was read before; the kernel refuses the rename."""
    for name in ("f", "o"):
        (tmp_path / name).write_text(name)
    real = HiddenFile.close_written

    def mounted(file):
        real(file)
        mount("--bind", tmp_path / "o", tmp_path / "f")

    monkeypatch.setattr(HiddenFile, "close_written", mounted)
    error = apply("file", tmp_path / "f", ("run",), ensure="present", content="new")
    assert f"{tmp_path}/f can be neither replaced nor removed: " in error
    assert f" is mounted on {tmp_path}/f; manage what is mounted there, or unmount it first" in error
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["f", "m.yaml", "o"]


def test_mounts_are_read_again_after_more_than_a_written_file(listed_mounts, tmp_path):
    machine, path = Machine(), str(tmp_path / "f")

    def is_refused():
        try:
            require_no_mount_on([path], machine)
        except ResourceFailed:
            return True
        return False

    assert not is_refused()
    listed_mounts(path)
    record_acting(machine, path)
    assert not is_refused()
    machine.record_change()
    assert is_refused()
    listed_mounts()
    record_acting(machine, path)
    assert is_refused()
    machine.before_waiting()
    assert not is_refused()


def test_a_file_of_a_scaffold_that_is_a_mount_point_is_not_replaced(apply, listed_mounts, tree, scaffold):
    listed_mounts(tree.resolve() / "m nt/file")
    assert f"{tree}/m nt/file can be neither replaced nor removed: " in apply("scaffold", tree, **scaffold)
    assert (tree / "a/file").read_text() == "content"
    (tree / "m nt/file").write_text("rendered")
    assert apply("scaffold", tree, **scaffold) == ""


@pytest.mark.parametrize("ensure", ["present", "absent"])
def test_an_archive_that_is_a_mount_point_is_not_replaced(apply, listed_mounts, tmp_path, ensure):
    (tmp_path / "a.tar").write_text("old")
    listed_mounts(tmp_path / "a.tar")
    properties = {"ensure": ensure, "url": "http://127.0.0.1:1/a.tar", "checksum": "0" * 64}
    assert f"{tmp_path}/a.tar can be neither replaced nor removed: " in apply(
        "archive", tmp_path / "a.tar", **properties
    )
    assert (tmp_path / "a.tar").read_text() == "old"


def test_runs_that_replace_and_remove_nothing_do_not_read_the_table(apply, monkeypatch, tmp_path, tree, scaffold):
    def refuse(_path):
        raise AssertionError("the table of mounts was read")

    (tmp_path / "f").write_text("content")
    monkeypatch.setattr(mounts, "Reader", refuse)
    apply("file", tmp_path / "f", ensure="present", content="content", mode="0600")
    apply("file", tmp_path / "new", ensure="present", content="content")
    apply("file", tmp_path / "dangling", ensure="absent")
    for _trial in range(2):
        assert apply("scaffold", tmp_path / "target", **scaffold) == ""
    assert (tmp_path / "target/a/file").read_text() == "rendered"
