# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in the directory of a state: made for their user alone, read in part, and removed."""

from __future__ import annotations

import os

import pytest
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.engine.state.own_files import content_of, digest_of_key, made, mark, remove
from ccm.engine.state_directory import StateDirectory
from ccm.model.errors import StoreError
from ccm.model.log import Log


@pytest.fixture
def directory(tmp_path):
    return StateDirectory(str(tmp_path / "root"), "", Log(), "0" * 32)


def test_nothing_is_made_by_reading(directory, tmp_path):
    assert (content_of(directory.opened(), "state"), directory.names(), directory.opened()) == (None, [], None)
    mark(directory.opened(), "void-1")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_is_made_for_its_user_alone(directory):
    mask = os.umask(0)
    try:
        with LockedDirectory(directory) as locked:
            locked.replace("state", [b"a", b"b"])
        mark(directory.opened(), "void-1")
    finally:
        os.umask(mask)
    path = directory.path
    assert [os.stat(each).st_mode & 0o777 for each in (directory.root, os.path.dirname(path), path)] == [0o700] * 3
    assert sorted(directory.names()) == ["lock", "state", "void-1"]
    assert {os.stat(f"{path}/{name}").st_mode & 0o777 for name in directory.names()} == {0o600}
    assert (content_of(directory.opened(), "state"), content_of(directory.opened(), "none")) == (b"ab", None)
    assert content_of(directory.opened(), "state", 1) == b"a"


def test_without_a_directory_nothing_is_removed(directory):
    remove(directory.opened(), "void-1")
    remove(made(directory), "void-1")
    assert directory.names() == []


def test_a_mark_is_made_once(directory):
    opened = made(directory)
    assert [mark(opened, "void-1") for _time in range(2)] == [True, False]
    remove(opened, "void-1")
    assert directory.names() == []


def test_a_file_of_another_kind_is_refused(directory):
    opened = made(directory)
    os.mkfifo(f"{directory.path}/state")
    with pytest.raises(StoreError, match=r"/state is not a file$"):
        content_of(opened, "state")


def test_the_digests_of_keys_differ():
    digests = {digest_of_key(key) for key in ("file#/a", "file#/b", "file#/\ud800")}
    assert [len(digest) for digest in digests] == [16] * 3
