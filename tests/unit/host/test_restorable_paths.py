# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os

import pytest
from ccm.host.errors import HostError
from ccm.host.restorable_paths import all_below, found_at, missing_above, paths_in, put_back


def test_what_is_at_paths_and_put_back(tmp_path):
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/file").write_bytes(b"\0content")
    (tmp_path / "d/e/file").chmod(0o4755)
    (tmp_path / "d/link").symlink_to("e/file")
    (tmp_path / "d/e").chmod(0o2750)
    paths = sorted(all_below(str(tmp_path / "d")))
    kept = {}
    found = {path: found_at(path, lambda piece, path=path: kept.setdefault(path, piece)) for path in paths}
    assert list(kept.values()) == [b"\0content"]
    assert [each[0] for each in found.values()] == ["directory", "directory", "file", "link"]
    assert found[str(tmp_path / "d/e/file")][1] == "4755"
    content = tmp_path / "content"
    content.write_bytes(b"\0content")
    (tmp_path / "d/link").unlink()
    (tmp_path / "d/link").mkdir()
    (tmp_path / "d/e/file").unlink()
    (tmp_path / "d/e").rmdir()
    (tmp_path / "d/e").write_text("in its place")
    assert put_back(found, lambda _found: str(content)) == []
    assert {path: found_at(path) for path in paths} == found


def test_only_empty_directories_are_removed(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/other").touch()
    wanted = {str(tmp_path / name): ["absent"] for name in ("a", "a/b", "none/at/all", "a/other/below")}
    assert put_back(wanted, str) == [str(tmp_path / "a")]
    assert os.listdir(tmp_path / "a") == ["other"]


def test_missing_directories_above_a_path(tmp_path):
    assert missing_above(f"{tmp_path}/a/b/c") == [f"{tmp_path}/a", f"{tmp_path}/a/b"]
    assert missing_above("/a") == []


def test_a_device_is_something_else():
    assert found_at("/dev/null") == ["other"]


@pytest.mark.parametrize("path", ["/\0", "/" + "x" * 300])
def test_a_path_that_cannot_be(path):
    with pytest.raises(HostError, match=f"^lstat {path}: "):
        found_at(path)


def test_a_directory_that_cannot_be_read(tmp_path):
    assert paths_in(f"{tmp_path}/none") == []
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match=rf"^open {tmp_path}/file: not a directory$"):
        paths_in(f"{tmp_path}/file")


def test_a_link_that_cannot_be_made(tmp_path, monkeypatch):
    def refuse(*_given, **_named):
        raise PermissionError(1, "")

    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(HostError, match=rf"^symlink {tmp_path}/a: operation not permitted$"):
        put_back({f"{tmp_path}/a": ["link", "target", os.geteuid() + 1, 0]}, str)
    assert os.listdir(tmp_path) == []
