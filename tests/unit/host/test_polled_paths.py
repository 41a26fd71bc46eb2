# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os

import pytest
from ccm.host.polled_paths import PolledPaths


@pytest.fixture
def polled():
    return PolledPaths()


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("longer text"),
        lambda path: path.chmod(0o600),
        lambda path: path.unlink(),
        lambda path: path.rename(path.with_name("moved")),
        lambda path: path.parent.rename(path.parent.with_name("moved")),
        lambda path: os.utime(path, (1, 1)),
    ],
    ids=["written", "chmod", "removed", "renamed", "directory renamed", "touched"],
)
def test_a_change_is_seen_once(polled, tmp_path, change):
    path = tmp_path / "d/one"
    path.parent.mkdir()
    path.write_text("text")
    polled.add(str(path), 1)
    polled.add(str(tmp_path / "other"), 2)
    assert polled.look() == [(1, False), (2, False)]
    change(path)
    assert polled.look() == [(1, True), (2, False)]
    assert polled.look() == [(1, False), (2, False)]


def test_what_a_link_leads_to_is_seen(polled, tmp_path):
    (tmp_path / "link").symlink_to("target")
    polled.add(str(tmp_path / "link"), 1)
    (tmp_path / "target").touch()
    assert polled.look() == [(1, True)]


@pytest.mark.parametrize("is_tree", [True, False])
def test_what_is_below_counts_in_trees(polled, tmp_path, is_tree):
    (tmp_path / "tree/below").mkdir(parents=True)
    polled.add(str(tmp_path / "tree"), 1, is_tree=is_tree)
    (tmp_path / "tree/below/new").touch()
    assert polled.look() == [(1, is_tree)]
    assert polled.look() == [(1, False)]


def test_what_was_noted_or_removed_is_not_seen(polled, tmp_path):
    for key in (1, 2, 3):
        polled.add(str(tmp_path / "one"), key)
    (tmp_path / "one").touch()
    assert polled.renew(1)
    polled.remove([2, 4])
    assert polled.look() == [(1, False), (3, True)]
    polled.remove([1, 3])
    assert not polled
