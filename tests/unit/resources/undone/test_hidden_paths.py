# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that a mount may hide are not undone: what is at their paths may be something else."""

from __future__ import annotations

import json
import re

import pytest

REVERSE = {"meta": {"reverse": True}}


@pytest.fixture
def changes(ccm, tmp_path, me):
    """Apply some resources in tmp_path, and undo them in noop and then really; both must agree."""
    owner = {"owner": me[0], "group": me[1], "mode": "0644"}

    class Changes:
        def apply(self, *resources):
            all = [
                {type: [{str(tmp_path / name): {**(owner if type == "file" else {}), **REVERSE, **properties}}]}
                for type, name, properties in resources
            ]
            (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": all}}))
            assert ccm("apply", tmp_path / "m.yaml", "--no-report").status == 0

        def undo(self, *words):
            """Return the errors, and the last line."""
            outputs = [ccm("undo", tmp_path / "m.yaml", *words, *noop).out for noop in (["--noop"], [])]
            found = [re.findall(r"errors=(.*)", output) for output in outputs]
            assert found[0] == found[1], outputs
            return [*found[1], outputs[1].splitlines()[-1]]

    return Changes()


@pytest.fixture
def cover(listed_mounts, tmp_path):
    """Put another directory with these files in the place of a directory, as a mount does, until it `ends`."""

    def cover(name, ends=False, **files):
        hidden, other = tmp_path / "hidden", tmp_path / "other"
        if ends:
            (tmp_path / name).rename(other)
            hidden.rename(tmp_path / name)
            listed_mounts()
            return
        (tmp_path / name).rename(hidden)
        (tmp_path / name).mkdir(mode=0o755)
        for file, content in files.items():
            (tmp_path / name / file).write_text(content)
            (tmp_path / name / file).chmod(0o644)
        listed_mounts(tmp_path / name)

    return cover


FORCE = "; unmount it first; ccm undo --force undoes what is there, if it was mounted before the change"


FORGET = "; ccm undo --forget leaves it as it is"


DIRECTORY = ("file", "newd", {"ensure": "directory", "mode": "2775"})


CONTENT = ("file", "newd/f", {"ensure": "present", "content": "y"})


@pytest.mark.parametrize("files", [{}, {"g": "foreign"}, {"f": "another"}])
@pytest.mark.parametrize("without_reverse", [False, True])
def test_what_a_mount_hides_is_not_undone(changes, cover, tmp_path, files, without_reverse):
    if without_reverse:
        (tmp_path / "newd").mkdir()
        changes.apply((*DIRECTORY[:2], {**DIRECTORY[2], "meta": {}}), CONTENT)
    else:
        changes.apply(DIRECTORY, CONTENT)
    cover("newd", **files)
    mounted = f"/at2 of /dev/b (ext4) is mounted on {tmp_path}/newd"
    error = f"not undone: {mounted}, and may hide what was changed at {tmp_path}/newd/f"
    of_directory = f"{tmp_path}/newd can be neither replaced nor removed: {mounted}; manage what is mounted there, or "
    after = [] if without_reverse else [f"{of_directory}unmount it first"]
    count = 2 - without_reverse
    advice = FORCE if "f" in files else "; unmount it first"
    for _trial in range(2):
        assert changes.undo() == [f"{error}{advice}{FORGET}", *after, f"0 of {count} changes undone"]
    if not files:
        # There is nothing that --force could undo.
        assert changes.undo("--force")[0] == f"{error}; unmount it first{FORGET}"
    cover("newd", ends=True)
    assert changes.undo() == [f"{count} of {count} changes undone"]
    assert (tmp_path / "newd").exists() == without_reverse
    assert not (tmp_path / "newd/f").exists()


def test_attributes_of_a_directory_that_a_mount_hides_are_not_undone(changes, cover, tmp_path):
    (tmp_path / "newd").mkdir(mode=0o755)
    changes.apply(DIRECTORY)
    cover("newd")
    # The mounted directory has the attributes that are to come back.
    error = f"is mounted on {tmp_path}/newd, and may hide what was changed at {tmp_path}/newd; unmount it first{FORGET}"
    for words in ([], ["--force"]):
        assert error in changes.undo(*words)[0]
    cover("newd", ends=True)
    assert changes.undo() == ["1 of 1 changes undone"]
    assert (tmp_path / "newd").stat().st_mode & 0o7777 == 0o755


def test_attributes_of_a_mounted_directory_are_undone_by_force(changes, listed_mounts, tmp_path):
    (tmp_path / "newd").mkdir(mode=0o755)
    changes.apply(DIRECTORY)
    listed_mounts(tmp_path / "newd")
    assert f"and may hide what was changed at {tmp_path}/newd{FORCE}{FORGET}" in changes.undo()[0]
    assert changes.undo("--force") == ["1 of 1 changes undone"]
    assert (tmp_path / "newd").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("made", [["t/m"], ["t"], []])
def test_files_of_a_scaffold_that_a_mount_hides_are_not_undone(changes, cover, tmp_path, made):
    for name in ("source/m/a", "source/m/b"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("rendered")
    if made != ["t"]:
        (tmp_path / "t").mkdir()
    if not made:
        (tmp_path / "t/m").mkdir()
    # The kernel has the mount point without links.
    (tmp_path / "link").symlink_to(".")
    changes.apply(("scaffold", "link/t", {"ensure": "present", "source": str(tmp_path / "source")}))
    point = "t" if made == ["t"] else "t/m"
    # One of the files happens to be the same.
    cover(point, a="rendered", other="foreign")
    error, counted = changes.undo()
    assert (f"is mounted on {tmp_path}/{point}" in error, counted) == (True, "0 of 1 changes undone")
    cover(point, ends=True)
    assert changes.undo() == ["1 of 1 changes undone"]
    assert not (tmp_path / "t/m/a").exists()


def test_what_was_changed_in_a_mount_is_undone(changes, listed_mounts, tmp_path):
    """A mount that was there before, on a directory that the manifest made, is one where files are as they were."""
    changes.apply(DIRECTORY, CONTENT, ("file", "newd/sub", {"ensure": "directory"}))
    # A mount above all that the manifest manages counts as part of the machine.
    (tmp_path / "newd/f").unlink()
    listed_mounts(tmp_path)
    assert changes.undo("file#" + str(tmp_path / "newd/f")) == ["1 of 1 changes undone"]
    changes.apply(CONTENT)
    listed_mounts(tmp_path / "newd")
    assert changes.undo("file#" + str(tmp_path / "newd/f")) == ["1 of 1 changes undone"]
    assert not (tmp_path / "newd/f").exists()


@pytest.mark.parametrize("change", ["content", "mode", "file"])
def test_a_mount_is_named_before_what_differs(changes, listed_mounts, tmp_path, change):
    """Not the directory that is not empty, or the content that is another one: unmounting helps, and those do not."""
    (tmp_path / "f").write_text("old")
    changes.apply(DIRECTORY, ("file", "f", {"ensure": "present", "content": "new"}))
    if change == "content":
        (tmp_path / "f").write_text("foreign")
        listed_mounts(tmp_path / "f")
    elif change == "mode":
        (tmp_path / "newd").chmod(0o755)
        listed_mounts(tmp_path / "newd")
    else:
        (tmp_path / "newd/foreign").touch()
        listed_mounts(tmp_path / "newd")
    name = "f" if change == "content" else "newd"
    for words in ([], ["--force"]):
        assert changes.undo(f"file#{tmp_path}/{name}", *words) == [
            f"{tmp_path}/{name} can be neither replaced nor removed: /at2 of /dev/b (ext4) is mounted on "
            f"{tmp_path}/{name}; manage what is mounted there, or unmount it first",
            "0 of 1 changes undone",
        ]


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
def test_a_mounted_directory_is_not_taken_for_what_it_hides(changes, mount, tmp_path):
    changes.apply(DIRECTORY, CONTENT)
    (tmp_path / "other").mkdir()
    mount("--bind", tmp_path / "other", tmp_path / "newd")
    for _trial in range(2):
        assert re.fullmatch(
            rf"not undone: .*/other of .* is mounted on {tmp_path}/newd, and may hide what was changed at "
            rf"{tmp_path}/newd/f; unmount it first{FORGET}\n"
            rf"{tmp_path}/newd can be neither .*\n"
            "0 of 2 changes undone",
            "\n".join(changes.undo()),
        )
