# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that manage one file: their results, with and without check mode."""

from __future__ import annotations

import itertools
import json
import os

import pytest
from ccm.ansible_tasks.argument_spec import STAGED_SOURCE
from ccm.ansible_tasks.file_task import file_argument_spec, run_file
from ccm.host import reading
from ccm.host.hidden_files import HiddenFile
from ccm.resources.file import posix
from ccm.resources.file.type import TYPE as FILE

from .module import ran

OWN = {"owner": str(os.geteuid()), "group": str(os.getegid()), "mode": "0640"}


def task(check=False, diff=False, **arguments):
    spec = {**file_argument_spec(FILE), STAGED_SOURCE: {"type": "str"}}
    return ran(lambda module: run_file(module, FILE), spec, arguments, check, diff)


@pytest.mark.parametrize("mode", ["644", "0644", 0o644])
def test_a_mode_is_three_or_four_octal_digits(tmp_path, mode):
    result = task(name=str(tmp_path / "f"), content="x", **{**OWN, "mode": mode})
    assert (result["changed"], result["event"]["properties"]["mode"]) == (True, "0644")
    assert (tmp_path / "f").stat().st_mode & 0o7777 == 0o644


@pytest.mark.parametrize("wanted", [{"content": "right"}, {"ensure": "absent"}, {"content": "other"}])
@pytest.mark.parametrize("name", ["f", "n" * 240])
def test_what_a_killed_task_left_goes_with_the_next_one(tmp_path, wanted, name):
    """Also where the next one writes nothing, because the file is as wanted, or is to be absent."""
    target = tmp_path / name
    if "content" in wanted:
        assert task(name=str(target), content="right", **OWN)["changed"]
    left = tmp_path / f".{name[:200]}.ccm-new"
    left.write_text("a part with a secret", encoding="utf-8")
    task(check=True, name=str(target), **wanted, **OWN)
    assert left.exists()
    with HiddenFile(os.open(tmp_path, os.O_RDONLY), "other") as written:
        task(name=str(target), **wanted, **OWN)
        assert sorted(os.listdir(tmp_path)) == [written.name, *([name] if target.exists() else [])]
        task(name=str(tmp_path / "other"), ensure="absent")
        assert written.name in os.listdir(tmp_path)


def begin(path, kind):
    if kind == "right":
        path.write_text("wanted", encoding="utf-8")
        path.chmod(0o640)
    elif kind == "content":
        path.write_text("other", encoding="utf-8")
        path.chmod(0o640)
    elif kind == "mode":
        path.write_text("wanted", encoding="utf-8")
        path.chmod(0o600)
    elif kind == "both":
        path.write_text("other", encoding="utf-8")
        path.chmod(0o600)
    elif kind == "directory":
        path.mkdir()
        path.chmod(0o750)
    elif kind == "link":
        path.symlink_to("/dev/null")
    elif kind == "link to a directory":
        (path.parent / "real").mkdir(mode=0o700)
        path.symlink_to("real")
    elif kind == "dangling":
        path.symlink_to("/no/such/file")
    elif kind == "fifo":
        os.mkfifo(path)


@pytest.mark.parametrize("given", ["content", "source", "nothing"])
def test_a_sparse_file_of_terabytes_is_not_read(tmp_path, given):
    """A user can put a sparse file in place of a managed file in a directory of their own."""
    (tmp_path / "source").write_text("wanted")
    with open(tmp_path / "f", "wb") as file:
        file.truncate(1 << 40)
    what = {"content": {"content": "wanted"}, "source": {"source": str(tmp_path / "source")}, "nothing": {}}[given]
    preview = task(check=True, name=str(tmp_path / "f"), **what, **OWN)
    assert (preview["changed"], preview["failed"]) == (True, False)
    assert "checksum" not in preview["event"]["status"]["metadata"]
    assert task(name=str(tmp_path / "f"), **what, **OWN)["changed"]
    assert given == "nothing" or (tmp_path / "f").read_text() == "wanted"


def test_a_large_file_of_the_wanted_size_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(posix, "_ALWAYS_HASHED", 5)
    for text, changed in (("others", True), ("wanted", False), ("oth", True), ("longer", True), ("other texts", True)):
        path = tmp_path / text
        path.write_text(text)
        path.chmod(0o640)
        result = task(check=True, name=str(path), content="wanted", **OWN)
        assert result["changed"] is changed
        assert ("checksum" in result["event"]["status"]["metadata"]) is (text != "other texts")


def test_a_growing_file_is_read_up_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(posix, "_ALWAYS_HASHED", 5)
    path = tmp_path / "f"
    path.write_text("small")
    found = reading.inspect(str(path))
    monkeypatch.setattr(reading, "look", lambda _path: found)
    path.write_text("grown to more")
    assert "checksum" not in task(check=True, name=str(path), **OWN)["event"]["status"]["metadata"]


KINDS = ("absent", "right", "content", "mode", "both", "directory", "link", "link to a directory", "dangling", "fifo")
WANTED = (
    {"ensure": "present", "content": "wanted", **OWN},
    {"ensure": "present", "content": "", **OWN},
    {"ensure": "present", **OWN},
    {"ensure": "directory", **OWN},
    {"ensure": "absent"},
    {"ensure": "absent", "force": True},
)


def updated_parts(kind, wanted):
    """What changes of a file that exists: OWN has its owner, and the mode of the kinds `right` and `content`."""
    if wanted["ensure"] != "present" or kind not in ("right", "content", "mode", "both", "fifo"):
        return ""
    begun = {"right": "wanted", "mode": "wanted"}.get(kind, "other")
    parts = ["mode"] if kind in ("mode", "both", "fifo") else []
    return ", ".join([*parts, "content"] if wanted.get("content", begun) != begun else parts)


@pytest.mark.parametrize(("kind", "wanted"), list(itertools.product(KINDS, WANTED)))
def test_check_mode_predicts_the_run(tmp_path, kind, wanted):
    path = tmp_path / "managed"
    begin(path, kind)
    preview = task(check=True, diff=True, name=str(path), **wanted)
    assert preview["event"]["noop"] or preview["failed"]
    done = task(diff=True, name=str(path), **wanted)
    assert done["changed"] == preview["changed"]
    assert done["failed"] == preview["failed"], (preview["msg"], done["msg"])
    if done["failed"]:
        assert done["msg"] == preview["msg"]
        return
    assert done["diff"] == preview["diff"]
    assert bool(done["diff"]) == done["changed"]
    message = preview["event"].get("noop_message", "")
    parts = updated_parts(kind, wanted)
    assert preview["msg"] == (f"would update ({parts})" if parts else message or "Nothing to do")
    assert done["msg"].lower() == (message.replace("Would have ", "").lower() or "nothing to do")
    again = task(diff=True, name=str(path), **wanted)
    assert (again["changed"], again["diff"], again["msg"]) == (False, [], "Nothing to do")


def test_the_event_has_the_given_values(tmp_path):
    """Content from the controller is used, and the event names its source."""
    path = tmp_path / "managed"
    result = task(name=str(path), ensure="present", source="app.conf", content="found", **OWN)
    assert path.read_text("utf-8") == "found"
    assert result["event"]["properties"]["source"] == "app.conf"
    assert "content" not in result["event"]["properties"]
    staged = tmp_path / "staged"
    staged.write_bytes(b"\xff\0")
    result = task(name=str(path), ensure="present", source="b", **{STAGED_SOURCE: str(staged)}, **OWN)
    assert path.read_bytes() == b"\xff\0"
    assert result["event"]["properties"]["source"] == "b"


def test_a_source_file_without_text_is_empty_content(tmp_path):
    path = tmp_path / "managed"
    path.write_text("full", encoding="utf-8")
    path.chmod(0o640)
    assert task(name=str(path), ensure="present", source="empty", content="", **OWN)["changed"] is True
    assert path.read_bytes() == b""


def test_a_tree_on_the_node_is_copied(tmp_path):
    (tmp_path / "source/d").mkdir(parents=True)
    (tmp_path / "source/d/f").write_text("x", encoding="utf-8")
    given = {"name": str(tmp_path / "t"), "ensure": "directory", "source": str(tmp_path / "source")}
    result = task(**given, recurse=True, remote_src=True)
    assert (result["changed"], (tmp_path / "t/d/f").read_text(encoding="utf-8")) == (True, "x")
    second = task(**given, recurse=True, remote_src=True)
    assert (second["changed"], second["event"]["status"]["metadata"]["unchanged"]) == (False, 2)


def test_a_link_is_made(tmp_path):
    result = task(name=str(tmp_path / "l"), ensure="link", target="../x")
    assert (result["changed"], os.readlink(tmp_path / "l")) == (True, "../x")
    assert result["event"]["status"]["metadata"]["target"] == "../x"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"name": "/x/", "ensure": "absent"}, 'file#/x/: file path must be canonical (name: "/x/"); write /x'),
        ({"name": "/x", "ensure": "present", "owner": ""}, "file#/x: owner cannot be empty"),
        (
            {"name": "/x", "ensure": "present", **OWN, "mode": 644},
            'file#/x: mode must be text from "0000" to "7777", but YAML reads the number 644',
        ),
        (
            {"name": "/x", "ensure": "present", **OWN, "mode": True},
            'file#/x: mode must be text from "0000" to "7777", but YAML reads the boolean true',
        ),
        ({"name": "/no/such/x", "ensure": "present", **OWN, "content": ""}, 'file#/no/such/x: "/no/such" is not a dir'),
        ({"name": "/tmp/x\0y", "ensure": "absent"}, "file#/tmp/x"),
        ({"name": "/tmp/x", "ensure": "present", **OWN, "content": "\ud800"}, "file#/tmp/x: "),
        ({"name": "/tmp/" + "x" * 5000, "ensure": "absent"}, "file name too long"),
        ({"name": "/tmp/\ud800", "ensure": "absent"}, ""),
        ({"name": "/x", "ensure": "present", **OWN, "owner": "9" * 5000, "content": ""}, "file#/x: "),
    ],
)
def test_invalid_options_are_reported(arguments, expected):
    result = task(**arguments)
    if expected:
        assert result["failed"], result
    assert expected in result["msg"]
    assert "Traceback" not in json.dumps(result)


def test_a_file_in_an_unreadable_directory_is_treated_as_absent(tmp_path, as_unprivileged_user):
    closed = tmp_path / "closed"
    closed.mkdir(0)
    as_unprivileged_user()
    result = task(name=str(closed / "x"), ensure="absent")
    assert (result["changed"], result["failed"]) == (False, False)
    denied = f"Permission denied for file {closed}/x: stat {closed}/x: permission denied"
    assert result["warnings"] == [denied]


def test_an_integer_mode_is_converted_back(tmp_path):
    result = task(name=str(tmp_path / "x"), ensure="present", **{**OWN, "mode": 0o604})
    assert result["event"]["properties"]["mode"] == "0604"
    assert (tmp_path / "x").stat().st_mode & 0o7777 == 0o604


def test_diffs_have_a_size_limit_and_no_binary_content(tmp_path):
    path = tmp_path / "managed"
    cases = (
        (b"a\n", "b\n", {"before": "a\n", "after": "b\n"}),
        (b"\xff", "b", {"dst_binary": 1}),
        (b"a\0", "b", {"dst_binary": 1}),
        (b"a", "b\0", {"src_binary": 1}),
        (b"a" * 100_000, "b", {"before": "a" * 100_000, "after": "b"}),
        (b"a" * 100_001, "b", {"dst_larger": 100_000}),
        (b"a", "b" * 100_001, {"src_larger": 100_000}),
    )
    for before, after, expected in cases:
        path.write_bytes(before)
        path.chmod(0o640)
        (diff,) = task(check=True, diff=True, name=str(path), ensure="present", content=after, **OWN)["diff"]
        header = {"before_header": str(path), "after_header": str(path)}
        assert diff == {**header, **expected}


def test_attributes_are_compared_separately(tmp_path):
    path = tmp_path / "managed"
    path.mkdir()
    path.chmod(0o700)
    (diff,) = task(check=True, diff=True, name=str(path), ensure="directory", **OWN)["diff"]
    assert (diff["before"], diff["after"]) == ({"mode": "0700"}, {"mode": "0750"})
    (diff,) = task(check=True, diff=True, name=str(path), ensure="absent")["diff"]
    assert (diff["before"], diff["after"]) == ({"ensure": "directory"}, {"ensure": "absent"})


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.starts_processes
def test_refused_content_is_not_put_in_place(tmp_path):
    path = tmp_path / "managed"
    begin(path, "content")
    (tmp_path / "refuse").write_text('#!/bin/sh\nstat -c %a "$1"; cat "$1" >&2; echo " is wrong" >&2; exit 3\n')
    (tmp_path / "refuse").chmod(0o755)
    before = path.stat()
    result = task(name=str(path), content="wanted", validate=f"{tmp_path}/refuse %s", backup=True, **OWN)
    assert result["failed"] is True
    assert "validate refused the new content with exit code 3: wanted is wrong" in result["msg"]
    assert (path.read_text(), path.stat().st_mtime_ns) == ("other", before.st_mtime_ns)
    assert entries(tmp_path) == ["managed", "refuse"]


@pytest.mark.starts_processes
def test_a_command_checks_the_complete_file_beside_its_place(tmp_path):
    path = tmp_path / "managed"
    script = f'test "$(cat "$1")" = wanted && test "$(stat -c %a "$1")" = 640 && test "${{1%/*}}" = {tmp_path}'
    result = task(name=str(path), content="wanted", validate=f"sh -c '{script}' sh %s", **OWN)
    assert (result["failed"], result["changed"]) == (False, True), result["msg"]
    assert "backup_file" not in result


def test_a_backup_is_the_replaced_file(tmp_path):
    path = tmp_path / "managed"
    begin(path, "both")
    result = task(name=str(path), content="wanted", backup=True, **OWN)
    (kept,) = [each for each in tmp_path.iterdir() if each != path]
    assert result["backup_file"] == str(kept)
    assert kept.name.startswith(f"managed.{os.getpid()}.")
    assert kept.name.endswith("~")
    assert (kept.read_text(), kept.stat().st_mode & 0o777, path.read_text()) == ("other", 0o600, "wanted")
    again = task(name=str(path), content="wanted", backup=True, **OWN)
    assert (again["changed"], "backup_file" in again, len(entries(tmp_path))) == (False, False, 2)
    path.chmod(0o600)
    repaired = task(name=str(path), content="wanted", backup=True, **OWN)
    assert (repaired["changed"], "backup_file" in repaired, len(entries(tmp_path))) == (True, False, 2)


def test_check_mode_neither_checks_content_nor_keeps_a_backup(tmp_path):
    path = tmp_path / "managed"
    begin(path, "content")
    result = task(check=True, name=str(path), content="wanted", validate=f"touch {tmp_path}/ran %s", backup=True, **OWN)
    assert (result["changed"], entries(tmp_path)) == (True, ["managed"])


@pytest.mark.starts_processes
@pytest.mark.parametrize("command", ["grep -q '|' %s", 'grep -q "a;\\"|" %s', "grep -q \\| %s"])
def test_quoted_operators_are_arguments_of_the_command(tmp_path, command):
    path = tmp_path / "managed"
    result = task(name=str(path), content='a;"|', validate=command, **OWN)
    assert (result["failed"], path.read_text("utf-8")) == (False, 'a;"|')


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"validate": "true"}, 'validate must contain %s, the place of the path of the new content (validate: "true")'),
        ({"validate": "true '%s"}, "validate cannot be split into words: "),
        ({"validate": ""}, "validate must contain %s"),
        ({"validate": "true %s && false"}, "validate is run without a shell, and && is for shells"),
        ({"validate": "true '|' %s; true"}, "validate is run without a shell, and ; is for shells"),
        ({"validate": "sh -c 'kill -9 $$' %s"}, "validate could not run: signal: killed"),
        ({"validate": "sh -c 'echo more >> $0' %s"}, "validate changed or removed the new file"),
        ({"validate": "ln -sf /etc/hostname %s"}, "validate changed or removed the new file"),
        ({"validate": "sh -c 'rm $0; mkfifo $0' %s"}, "validate changed or removed the new file"),
        ({"validate": "rm %s"}, "validate changed or removed the new file"),
        ({"validate": "chmod 0777 %s"}, "validate changed or removed the new file"),
        ({"validate": "/no/such/command %s"}, "validate could not run: "),
        ({"validate": "true %s", "ensure": "absent"}, "validate needs ensure: present, not absent"),
        ({"backup": True, "ensure": "directory"}, "backup is for files with ensure: present, not directory"),
    ],
)
def test_wrong_checks_of_content_are_refused(tmp_path, arguments, expected):
    path = tmp_path / "managed"
    begin(path, "content")
    content = {} if "ensure" in arguments else {"content": "wanted"}
    result = task(name=str(path), **content, **OWN, **arguments)
    assert result["failed"] is True
    assert expected in result["msg"]
    assert path.read_text() == "other"
    assert entries(tmp_path) == ["managed"]


@pytest.mark.starts_processes
def test_the_words_of_a_command_that_checks_content_hide_secrets(tmp_path):
    path = tmp_path / "managed"
    result = task(name=str(path), content="x", validate="sh -c 'echo password=hidden1; exit 1' %s", **OWN)
    assert "hidden1" not in str(result)
    assert "exit code 1" in result["msg"]


def test_a_backup_that_cannot_be_made_leaves_the_file(tmp_path):
    path = tmp_path / ("n" * 240)
    begin(path, "content")
    result = task(name=str(path), content="wanted", backup=True, **OWN)
    assert "backup could not be made: " in result["msg"]
    assert (path.read_text(), len(entries(tmp_path))) == ("other", 1)
