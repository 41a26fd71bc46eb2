# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removing a session: nothing but its own files goes."""

from __future__ import annotations

import os

import pytest


@pytest.mark.starts_processes
def test_only_temporary_sessions_are_removed(ccm, tmp_path, monkeypatch):
    (tmp_path / "t/s").mkdir(parents=True)
    (tmp_path / "kept").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    for store in ("t", "kept", "t/../kept", "t/none"):
        assert ccm("session", "report", "--remove", "--session", store).status == 0
    assert (tmp_path / "t/s").exists()
    assert (tmp_path / "kept").exists()
    ccm("ensure", "exec", "true", "--session", "t/s")
    (tmp_path / "t/s/empty").touch()
    (tmp_path / "t/s" / ("a" * 27 + ".event")).write_text("no event")
    (tmp_path / "t/s" / ("b" * 27 + ".changing")).write_text('{"type": "exec", "name": "killed"}')
    (tmp_path / "t/s" / ".event.ccm-new").write_text("{")
    assert ccm("session", "report", "--remove", "--session", "t/s").status == 0
    assert not (tmp_path / "t/s").exists()
    assert (tmp_path / "t").exists()


ADVICE = "  move what is to be kept, and remove the directory yourself\n"


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("data", lambda path: path.write_text("x")),
        ("sub", os.mkdir),
        ("link", lambda path: path.symlink_to("/")),
        ("pipe", os.mkfifo),
        ("a" * 27 + ".event", os.mkdir),
        ("a" * 27 + ".event.1", lambda path: path.write_text("x")),
        ("a" * 27 + ".event.1.x", lambda path: path.write_text("x")),
        ("a" * 26 + ".event", lambda path: path.write_text("x")),
    ],
)
def test_a_directory_without_a_session_is_not_removed(ccm, tmp_path, name, make):
    (tmp_path / "s").mkdir()
    ccm("ensure", "exec", "true", "--session", "s")
    make(tmp_path / "s" / name)
    held = sorted(os.listdir("s"))
    ran = ccm("session", "report", "--remove", "--session", "s")
    assert (ran.status, "Total Resources: 1" in ran.out) == (1, True)
    assert ran.err == f"ccm: error: session store s is not removed: {name} in it is not a file of a session\n{ADVICE}"
    assert sorted(os.listdir("s")) == held


def test_the_root_directory_is_not_a_temporary_directory(ccm, tmp_path, monkeypatch):
    (tmp_path / "s").mkdir()
    monkeypatch.setenv("TMPDIR", "/")
    ran = ccm("session", "report", "--remove", "--session", "s")
    assert (ran.status, ran.err) == (
        1,
        "ccm: error: session store s is not removed: TMPDIR is /\n  let TMPDIR be a directory for temporary files\n",
    )
    assert (tmp_path / "s").exists()


def test_mount_points_are_not_removed(ccm, tmp_path, monkeypatch):
    (tmp_path / "s 1").mkdir()
    event = "a" * 27 + ".event"
    (tmp_path / "s 1" / event).touch()
    table = tmp_path / "table"
    monkeypatch.setattr("ccm.host.mounts._TABLE", str(table))
    place = f"{tmp_path}/s\\0401"
    for point in (place, f"{place}/{event}"):
        table.write_text(f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:2 / {point} rw - ext4 /dev/b rw\n")
        ran = ccm("session", "report", "--remove", "--session", "s 1")
        expected = point.replace("\\040", " ")
        assert (ran.status, ran.err) == (
            1,
            f"ccm: error: session store s 1 is not removed: something is mounted on {expected}\n  unmount it first\n",
        )
        assert os.listdir("s 1") == [event]
    table.write_text(f"2 1 8:2 / {place}x rw - ext4 /dev/b rw\n")
    (tmp_path / "s 2").mkdir()
    assert ccm("session", "report", "--remove", "--session", "s 1").status == 0
    table.unlink()
    assert ccm("session", "report", "--remove", "--session", "s 2").status == 0
    assert not [name for name in os.listdir() if name.startswith("s ")]


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
@pytest.mark.parametrize("without", ["_TABLE", "_OPEN_FILES"])
def test_a_mounted_session_is_not_removed_where_proc_says_little(ccm, tmp_path, monkeypatch, mount, without):
    monkeypatch.setattr(f"ccm.host.mounts.{without}", str(tmp_path / "none"))
    (tmp_path / "s").mkdir()
    mount("-t", "tmpfs", "none", tmp_path / "s")
    (tmp_path / "s" / ("a" * 27 + ".event")).touch()
    ran = ccm("session", "report", "--remove", "--session", "s")
    assert (ran.status, f"session store s is not removed: something is mounted on {tmp_path}/s" in ran.err) == (1, True)
    assert len(os.listdir("s")) == 1


@pytest.mark.parametrize("call", ["open", "rmdir"])
def test_entries_that_cannot_be_removed_are_reported(ccm, tmp_path, monkeypatch, call):
    (tmp_path / "s").mkdir()
    real = getattr(os, call)

    def raise_error(path, *words, **more):
        if path == str(tmp_path / "s"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *words, **more)

    monkeypatch.setattr(os, call, raise_error)
    ran = ccm("session", "report", "--remove", "--session", "s")
    assert (ran.status, ran.err) == (1, "ccm: error: session store s cannot be removed: permission denied\n")


def test_removal_does_not_follow_links(ccm, tmp_path, monkeypatch):
    (tmp_path / "t/s").mkdir(parents=True)
    (tmp_path / "kept/deep").mkdir(parents=True)
    (tmp_path / "t/link").symlink_to(tmp_path / "kept")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    for store in ("t/link", "t/link/deep", "t/link/../kept"):
        assert ccm("session", "report", "--remove", "--session", store).status == 0
    assert (tmp_path / "kept/deep").exists()
    monkeypatch.chdir(tmp_path / "t/s")
    assert ccm("session", "report", "--remove", "--session", ".").status == 0
    assert not (tmp_path / "t/s").exists()
