# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of files: what cannot be read or written is named with its path."""

from __future__ import annotations

import errno
import os

import pytest
from ccm.host import tree_files
from ccm.host.errors import SystemCallError
from ccm.host.tree_files import TreeFiles

LONG = "x" * 300
ROOT = {"uid": os.geteuid(), "gid": os.getegid()}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda tree: tree.state(LONG), f"lstat {{root}}/{LONG}: file name too long"),
        (lambda tree: tree.target("none"), "readlink {root}/none: no such file or directory"),
        (lambda tree: tree.opened("none"), "open {root}/none: no such file or directory"),
        (lambda tree: tree.opened("d"), "open {root}/d: invalid argument"),
        (lambda tree: tree.put_directory(LONG), f"mkdir {{root}}/{LONG}: file name too long"),
        (lambda tree: tree.put_directory("none/d"), "open {root}/none/d: no such file or directory"),
        (lambda tree: tree.give_link("none", **ROOT), "lchown {root}/none: no such file or directory"),
    ],
    ids=["state", "target", "opened", "opened directory", "put_directory", "no parent", "give_link"],
)
def test_the_path_that_cannot_be_used_is_named(tmp_path, call, text):
    (tmp_path / "d").mkdir()
    with TreeFiles(str(tmp_path)) as tree, pytest.raises(SystemCallError) as caught:
        call(tree)
    assert str(caught.value) == text.format(root=tmp_path)


def test_a_disk_that_cannot_be_read_while_contents_are_compared(tmp_path, monkeypatch):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text("x")

    def broken(_fd, _size):
        raise OSError(errno.EIO, "")

    with TreeFiles(str(tmp_path / "one")) as one, TreeFiles(str(tmp_path / "two")) as two:
        assert one.has_content_of("f", two)
        monkeypatch.setattr(tree_files.os, "read", broken)
        with pytest.raises(SystemCallError) as caught:
            one.has_content_of("f", two)
    assert str(caught.value) == f"read {tmp_path}/one/f: input/output error"
